import { writeFileSync } from 'node:fs';
import { buildClientPackage, builtPackage } from './client-package.ts';

// Run when the image is built, because the image itself has no compiler.
writeFileSync(builtPackage, await buildClientPackage());
