import { blockMs } from '@inventory/redis/redis';
import { type Processor, Worker, type WorkerOptions } from 'bullmq';

/**
 * BullMQ's worker, which looks for work at least every `blockMs`. By itself, it blocks for longer than a
 * working connection may be silent, and for ten seconds if its next job is due later or after an error.
 * Finished jobs leave nothing in Redis.
 */
export class BriefWorker<Data, Result = void> extends Worker<Data, Result> {
  constructor(name: string, work: Processor<Data, Result>, options: WorkerOptions) {
    super(name, work, {
      ...options,
      drainDelay: blockMs / 1000,
      maxStalledCount: 5,
      skipVersionCheck: true,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
  }

  override get maximumBlockTimeout() {
    return blockMs / 1000;
  }
}
