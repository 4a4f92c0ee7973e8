import { readLastBackup } from '@inventory/db/operator/backup-records';
import type { StatementPool } from '@inventory/db/statement-pool';
import { lookEvery } from '@inventory/process/look-every';

/** How old the last backup is that was noted in the database, as the metrics tell it. */
export type BackupAge = {
  /** By what made it; empty when none was ever noted, or nobody could say so yet. */
  seconds(): Record<string, number>;
  stop(): void;
};

const lookEveryMs = 30_000;

/** Asks Postgres now and then; while it is away the last backup grows older as it is. */
export function watchBackupAge(pool: Pick<StatementPool, 'run'>): BackupAge {
  let last: { madeBy: string; takenAtMs: number } | null = null;
  const look = async () => {
    try {
      const found = await pool.run(readLastBackup);
      last = found && { madeBy: found.madeBy, takenAtMs: performance.now() - found.ageSeconds * 1000 };
    } catch {
      // Postgres is away or busy, which others tell.
    }
  };
  const stop = lookEvery(lookEveryMs, look);
  void look();
  return {
    seconds: () => (last === null ? {} : { [last.madeBy]: (performance.now() - last.takenAtMs) / 1000 }),
    stop,
  };
}
