import { Worker } from 'bullmq';
import { blockMs } from '../redis/redis.ts';

/**
 * BullMQ's worker, which looks for work at least every `blockMs`. By itself, it blocks for ten seconds when
 * the next job is due later, or after an error: longer than a working connection may be silent.
 */
export class BriefWorker<Data, Result = void> extends Worker<Data, Result> {
  override get maximumBlockTimeout() {
    return blockMs / 1000;
  }
}
