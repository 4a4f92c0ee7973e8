import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutFolder } from '../checkout.ts';

/** The version of the service. */
export const version: string = JSON.parse(readFileSync(join(checkoutFolder, 'package.json'), 'utf8')).version;
