import type { Sql } from '@inventory/postgres/pool';
import { findLossyReplication } from '@inventory/postgres/servers/replication';
import { namingPostgres } from '@inventory/postgres/unreachable';
import type { Log } from '@inventory/process/log/log';
import { hostCountOf } from '@inventory/process/settings/database-address';
import { excessRightsOf, type Part, roleOf } from '../access/logins.ts';
import { refuseUnsafeDatabase } from './migrate.ts';

/**
 * Refuses a database that a part of the service cannot use, and warns of risky settings. `run` runs work on
 * the database at `url`.
 */
export async function checkDatabase(
  { url, part, run }: { url: string; part: Part; run: <T>(work: (sql: Sql) => Promise<T>) => Promise<T> },
  log: Log,
): Promise<void> {
  await namingPostgres(url, () => run(refuseUnsafeDatabase));
  const excess = await run(excessRightsOf);
  if (excess !== null)
    log.warn(`DATABASE_URL logs in as ${excess}; a login with the role ${roleOf(part)} is enough`);
  const lossy = await run((sql) => findLossyReplication(sql, hostCountOf(url)));
  if (lossy !== null) log.warn(lossy);
}
