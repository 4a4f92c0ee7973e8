import { join } from 'node:path';

/** The folder from which the service is started. */
export const checkoutFolder = join(import.meta.dirname, '../../..');

/** The folder for the local Postgres and Redis, their data, the logs and the demo client. */
export const localFolder = join(checkoutFolder, '.local');
