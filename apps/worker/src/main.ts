import { createLog } from '@inventory/process/log/log';
import { run } from '@inventory/process/run';
import { startWorker } from './worker.ts';

const log = createLog('worker');
await run(log, () => startWorker(process.env, log));
