import { join } from 'node:path';

/** The folder that the service is started from. */
export const checkoutFolder = join(import.meta.dirname, '../../..');

/** Where the local Postgres and Redis, their data, the logs and the demo client are kept. */
export const localFolder = join(checkoutFolder, '.local');
