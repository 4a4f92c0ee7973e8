import { checkDatabase } from '@inventory/db/migrate/check-database';
import { noteUnwritable } from '@inventory/postgres/pool';
import { traceStatements } from '@inventory/postgres/trace-statements';
import type { Reporting } from '@inventory/process/reporting';
import { withLoginOf } from '@inventory/process/settings/database-address';
import { type Database, openDatabase } from './database.ts';

type DatabaseSettings = {
  DATABASE_URL: string;
  DATABASE_CONNECTIONS: number;
  DATABASE_READ_URL?: string | undefined;
};

/** Opens the database, refuses one that cannot be used, and warns of risky settings. */
export async function openCheckedDatabase(
  config: DatabaseSettings,
  { log, report, tracing, unwritable }: Reporting,
): Promise<Database> {
  if (tracing !== null) traceStatements(tracing.begin);
  const { DATABASE_URL: url } = config;
  const readUrl = config.DATABASE_READ_URL && withLoginOf(config.DATABASE_READ_URL, url);
  const database = openDatabase(
    url,
    config.DATABASE_CONNECTIONS,
    readUrl === undefined ? null : { readUrl, report: (error) => report(error, 'the replica') },
    (error) => noteUnwritable(unwritable, error),
  );
  await checkDatabase({ url, part: 'api', run: database.reads.run }, log);
  await database.replica?.check();
  return database;
}
