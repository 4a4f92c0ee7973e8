import { createLog } from '@inventory/process/log/log';
import { run } from '@inventory/process/run';
import { startServer } from './server.ts';

const log = createLog('api');
await run(log, () => startServer(process.env, log));
