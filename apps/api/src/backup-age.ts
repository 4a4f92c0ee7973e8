import { readLastBackup } from '@inventory/db/backup/backup-records';
import type { StatementPool } from '@inventory/postgres/statement-pool';
import { lookEvery } from '@inventory/process/look-every';

/** The age of the last backup that the database has on record, for the metrics. */
export type BackupAge = {
  /**
   * Ages in seconds, by the tool that made the backup. Empty if no backup is on record or Postgres has not
   * answered yet.
   */
  seconds(): Record<string, number>;
  stop(): void;
};

const lookEveryMs = 30_000;

/** Asks Postgres at intervals. While Postgres is away, the age of the last known backup keeps growing. */
export function watchBackupAge(pool: Pick<StatementPool, 'run'>): BackupAge {
  let last: { madeBy: string; takenAtMs: number } | null = null;
  const look = async () => {
    try {
      const found = await pool.run(readLastBackup);
      last = found && { madeBy: found.madeBy, takenAtMs: performance.now() - found.ageSeconds * 1000 };
    } catch {
      // Postgres is away or busy. Other parts report that.
    }
  };
  const stop = lookEvery(lookEveryMs, look);
  void look();
  return {
    seconds: () => (last === null ? {} : { [last.madeBy]: (performance.now() - last.takenAtMs) / 1000 }),
    stop,
  };
}
