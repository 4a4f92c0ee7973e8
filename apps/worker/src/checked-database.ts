import { checkDatabase } from '@inventory/db/migrate/check-database';
import { traceStatements } from '@inventory/postgres/trace-statements';
import type { Reporting } from '@inventory/process/reporting';
import { openWorkerDatabase, type WorkerDatabase } from './database.ts';

/** Opens the database, refuses one that cannot be used, and warns of risky settings. */
export async function openCheckedDatabase(
  { DATABASE_URL: url }: { DATABASE_URL: string },
  { log, tracing }: Reporting,
): Promise<WorkerDatabase> {
  if (tracing !== null) traceStatements(tracing.begin);
  const database = openWorkerDatabase(url);
  // Uses the long limit of `folds`: the driver takes longer to report an unreachable database than a batch
  // may take.
  await checkDatabase({ url, part: 'worker', run: database.folds.run }, log);
  return database;
}
