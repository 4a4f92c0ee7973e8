import type { Sql } from '@inventory/db/client';
import { TooLateError, within } from '@inventory/process/within';

/** Connections to Postgres that are replaced when what runs on them takes too long. */
export type TimedPool = {
  /** Throws TooLateError after the time; what was begun may still be committed. */
  run<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  end(): Promise<void>;
};

/**
 * A connection can break without a word, and a transaction then waits for it for ever. So each piece of work has `timeMs`; what
 * takes longer is given up, and the next one gets new connections.
 */
export function createTimedPool(open: () => Sql, timeMs: number): TimedPool {
  let sql = open();
  return {
    async run(work) {
      const used = sql;
      try {
        return await within(timeMs, work(used));
      } catch (error) {
        // Once: what ran beside it may be late too.
        if (error instanceof TooLateError && sql === used) {
          sql = open();
          used.end({ timeout: 0 }).catch(() => {});
        }
        throw error;
      }
    },
    end: () => sql.end({ timeout: 5 }),
  };
}
