import { readOldestChange } from '@inventory/db/changes/oldest-change';
import type { StatementPool } from '@inventory/postgres/statement-pool';
import { lookEvery } from '@inventory/process/look-every';

/** The age of the oldest open change, for the metrics. */
export type OldestChange = {
  /** 0: none was open, or Postgres has not answered yet. */
  seconds(): number;
  stop(): void;
};

const lookEveryMs = 5000;

/** Asks Postgres at intervals. */
export function watchOldestChange(pool: Pick<StatementPool, 'run'>): OldestChange {
  let seconds = 0;
  const look = async () => {
    try {
      seconds = await pool.run(readOldestChange);
    } catch {
      // Postgres is away or busy. Other parts report that.
    }
  };
  const stop = lookEvery(lookEveryMs, look);
  void look();
  return { seconds: () => seconds, stop };
}
