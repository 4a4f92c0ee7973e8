import { type BackupRecord, type NotNoted, noteBackup } from '@inventory/db/backup/backup-records';
import { inventoryCommand } from '@inventory/domain/operating/called-as';
import type { Sql } from '@inventory/postgres/pool';
import { describePlaces, readDatabaseAddress } from '@inventory/process/settings/database-address';
import { findDatabaseUrl } from '../cli/database.ts';

const reasons: Record<NotNoted, string> = {
  standby: `this server is a standby; run \`${inventoryCommand('backed-up --by TOOL')}\` on the primary`,
  future: 'this time is in the future',
};

/**
 * Records the backup in the copied database, for `doctor` and the metrics. `takenAt`: null for now. Returns
 * the moment, or why it could not be recorded.
 */
export async function noteMade(
  sql: Sql,
  record: Pick<BackupRecord, 'bytes' | 'madeBy'> & { takenAt: Date | null },
): Promise<Date | string> {
  const url = await findDatabaseUrl();
  const server = `${describePlaces(url)}/${readDatabaseAddress(url).database}`;
  const outcome = await noteBackup(sql, { ...record, server });
  return typeof outcome === 'string' ? reasons[outcome] : outcome;
}
