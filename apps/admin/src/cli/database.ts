import { refuseUnsafeDatabase } from '@inventory/db/migrate/migrate';
import { inventoryCommand } from '@inventory/domain/operating/called-as';
import { adviceOf, sentenceOf } from '@inventory/domain/operating/diagnoses';
import {
  connect,
  isOutage,
  lacksRight,
  lacksTable,
  reach,
  refusesPassword,
  type Sql,
  whyUnwritable,
} from '@inventory/postgres/pool';
import { refusePooler } from '@inventory/postgres/servers/pooler';
import { countHangingCommits } from '@inventory/postgres/servers/replication';
import { whyAway } from '@inventory/postgres/unreachable';
import { lookEvery } from '@inventory/process/look-every';
import { connections, readConfig } from '@inventory/process/settings/config';
import { describePlaces } from '@inventory/process/settings/database-address';
import { describeUnwritable } from '@inventory/process/unwritable';
import { within } from '@inventory/process/within';
import { localFolder } from '../checkout.ts';
import { CommandError } from './command-error.ts';
import { tell } from './print.ts';

const connectionName = 'inventory-admin';
const answerWithinMs = 5000;
const lookAtCommitsEveryMs = 2000;
// A command that is suspended halfway, for example at a terminal, holds its gate and delays clients'
// requests.
const idleInTransactionMs = 60_000;
// The image does not contain @inventory/local.
const local = await import('@inventory/local/stack-file').catch(() => null);

/**
 * Runs `work` on the database of `DATABASE_URL`, or of the stack that runs in this checkout. Fails with
 * CommandError if there is none or it cannot be reached, and with UnfitDatabaseError if the service would
 * refuse it, for example because of the version of its tables.
 */
export async function withDatabase(work: (sql: Sql) => Promise<void>): Promise<void> {
  await useDatabase(await findDatabaseUrl(), async (sql) => {
    await refuseUnsafeDatabase(sql);
    await work(sql);
  });
}

/**
 * The same, whatever the version of its tables and the risks of its settings. For commands that only read. A
 * pooler is refused here, too: locks and time limits of the command would stay with its connections.
 */
export async function withDatabaseAsItIs(work: (sql: Sql) => Promise<void>): Promise<void> {
  await useDatabase(await findDatabaseUrl(), async (sql) => {
    await refusePooler(sql);
    await work(sql);
  });
}

/** The same as the owner of the tables, if the address is not given, and whatever the state of the tables. */
export async function withOwnersDatabase(work: (sql: Sql) => Promise<void>): Promise<void> {
  await useDatabase(await findDatabaseUrl('owner'), work);
}

/** The same for a known address. */
export async function useDatabase<Result>(
  databaseUrl: string,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const sql = connect(databaseUrl, { name: connectionName, connectionsMax: 4, idleInTransactionMs });
  const stopWatching = tellOfHangingCommits(sql);
  try {
    // A server that is not Postgres may accept connections and close them, and the driver would try forever.
    await within(answerWithinMs, reach(sql));
    return await work(sql);
  } catch (error) {
    throw explain(error, databaseUrl);
  } finally {
    stopWatching();
    await sql.end({ timeout: 1 });
  }
}

/** Says once, on standard error, that a commit of this command waits for a standby: it has no time limit. */
function tellOfHangingCommits(sql: Sql): () => void {
  const stop = lookEvery(lookAtCommitsEveryMs, async () => {
    const count = await countHangingCommits(sql, connectionName).catch(() => 0);
    if (count === 0) return;
    stop();
    tell(
      `${sentenceOf('InventoryCommitsHang')} This command waits, too, and ends when a standby has what it wrote. ${adviceOf('InventoryCommitsHang')}`,
    );
  });
  return stop;
}

/** Whether the database was given: to this command, or to the `start` that runs in this folder. */
export function isDatabaseGiven(): boolean {
  return readDatabaseUrl() !== undefined || findLocalStack()?.postgres === 'given';
}

/** A folder on the disk of Postgres' data; null if the database was given. */
export function findDatabaseDisk(): string | null {
  return local === null || isDatabaseGiven() ? null : local.findPostgresDisk(localFolder);
}

function readDatabaseUrl(): string | undefined {
  return readConfig({ DATABASE_URL: connections.DATABASE_URL.optional() }, process.env).DATABASE_URL;
}

/**
 * The address of `DATABASE_URL`, or of the stack that runs in this checkout. Fails with CommandError if there
 * is none.
 */
export async function findDatabaseUrl(as: 'operator' | 'owner' = 'operator'): Promise<string> {
  const given = readDatabaseUrl();
  if (given !== undefined) return given;
  const stack = findLocalStack();
  if (stack === null) {
    throw new CommandError(
      `no database: set DATABASE_URL, or start the service here first: \`${inventoryCommand('start')}\``,
    );
  }
  // It is for a given database; the local one has its own password.
  if (stack.postgres !== 'given') delete process.env.DATABASE_PASSWORD;
  return (as === 'operator' && stack.operatorUrl) || stack.databaseUrl;
}

/** The address of `REDIS_URL`, or of the stack that runs in this checkout; null if there is none. */
export async function findRedisUrl(): Promise<string | null> {
  const { REDIS_URL } = readConfig({ REDIS_URL: connections.REDIS_URL.optional() }, process.env);
  if (REDIS_URL !== undefined) return REDIS_URL;
  const stack = findLocalStack();
  // If a database was given that is not this stack's, the service runs elsewhere.
  return stack !== null && (readDatabaseUrl() ?? stack.databaseUrl) === stack.databaseUrl
    ? stack.redisUrl
    : null;
}

/** The stack that `start` runs in this folder; null if there is none. */
function findLocalStack() {
  return local?.readStackFile(localFolder) ?? null;
}

/** One line that never contains the address's user and password. */
function explain(error: unknown, databaseUrl: string): unknown {
  if (error instanceof CommandError) return error;
  if (lacksTable(error)) {
    return new CommandError(`the database has no tables yet: run \`${inventoryCommand('migrate')}\` first`);
  }
  if (lacksRight(error)) {
    return new CommandError(
      `${(error as Error).message}: this command needs another login in DATABASE_URL: the tables' owner for \`migrate\`, \`seed\`, \`restore\` and \`restored\``,
    );
  }
  if (refusesPassword(error)) {
    return new CommandError(
      `${(error as Error).message}: if its password was lost, see "Lost passwords" in docs/containers.md`,
    );
  }
  const reason = whyUnwritable(error);
  if (reason !== null)
    return new CommandError(
      `Postgres refuses to write (${describeUnwritable(reason)}), so not everything was done: mend that and run it again`,
    );
  if (!isOutage(error)) return error;
  const place = describePlaces(databaseUrl);
  return new CommandError(`the database at ${place} cannot be reached (${whyAway(error)})`);
}
