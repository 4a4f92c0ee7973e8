import { refuseOtherDatabase } from '@inventory/db/migrate';
import {
  connect,
  isDiskFull,
  isOutage,
  lacksRight,
  lacksTable,
  reach,
  refusesPassword,
  type Sql,
} from '@inventory/db/pool';
import { whyAway } from '@inventory/db/unreachable';
import { inventoryCommand } from '@inventory/process/called-as';
import { connections, readConfig } from '@inventory/process/config';
import { describePlaces } from '@inventory/process/database-address';
import { within } from '@inventory/process/within';
import { localFolder } from '../checkout.ts';
import { CommandError } from './command-error.ts';

const answerWithinMs = 5000;
// A command that stands still with a change half done, stopped at a terminal say, holds its gate and what
// clients ask for next.
const idleInTransactionMs = 60_000;

/**
 * Does `work` on the database of `DATABASE_URL`, or of the stack that runs in this checkout. Fails with
 * CommandError when there is none or it cannot be reached, with UnfitDatabaseError when the service would
 * refuse it: its tables are of another version, say.
 */
export async function withDatabase(work: (sql: Sql) => Promise<void>): Promise<void> {
  await useDatabase(await findDatabaseUrl(), async (sql) => {
    await refuseOtherDatabase(sql);
    await work(sql);
  });
}

/**
 * The same, whatever the version of its tables is and whatever the server risks: for commands that only read.
 */
export async function withDatabaseAsItIs(work: (sql: Sql) => Promise<void>): Promise<void> {
  await useDatabase(await findDatabaseUrl(), work);
}

/** The same as the owner of the tables, where the address is not given, and whatever the tables are. */
export async function withOwnersDatabase(work: (sql: Sql) => Promise<void>): Promise<void> {
  await useDatabase(await findDatabaseUrl('owner'), work);
}

/** The same on a database of which the address is known. */
export async function useDatabase<Result>(
  databaseUrl: string,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const sql = connect(databaseUrl, {
    name: 'inventory-admin',
    connectionsMax: 4,
    idleInTransactionMs,
  });
  try {
    // A server that is no Postgres may take connections and end them, and the driver would go on trying.
    await within(answerWithinMs, reach(sql));
    return await work(sql);
  } catch (error) {
    throw explain(error, databaseUrl);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Whether the database is one that somebody gave, and not the one that `start` runs in this folder. */
export function isDatabaseGiven(): boolean {
  return readDatabaseUrl() !== undefined;
}

function readDatabaseUrl(): string | undefined {
  return readConfig({ DATABASE_URL: connections.DATABASE_URL.optional() }, process.env).DATABASE_URL;
}

/**
 * The address of `DATABASE_URL`, or of the stack that runs in this checkout. Fails with CommandError when
 * there is none.
 */
export async function findDatabaseUrl(as: 'operator' | 'owner' = 'operator'): Promise<string> {
  const given = readDatabaseUrl();
  if (given !== undefined) return given;
  const stack = await findLocalStack();
  if (stack === null) {
    throw new CommandError(
      `no database: set DATABASE_URL, or start the service here first: \`${inventoryCommand('start')}\``,
    );
  }
  // Meant for a database that was given; the local one has a password of its own.
  delete process.env.DATABASE_PASSWORD;
  return (as === 'operator' && stack.operatorUrl) || stack.databaseUrl;
}

/** The address of `REDIS_URL`, or of the stack that runs in this checkout; null when there is none. */
export async function findRedisUrl(): Promise<string | null> {
  const { REDIS_URL } = readConfig({ REDIS_URL: connections.REDIS_URL.optional() }, process.env);
  if (REDIS_URL !== undefined) return REDIS_URL;
  // A database that was given says that the service is elsewhere.
  return isDatabaseGiven() ? null : ((await findLocalStack())?.redisUrl ?? null);
}

/** The stack that `start` runs in this folder, or null. */
async function findLocalStack() {
  // Loaded only here: the image has no @inventory/local.
  return import('@inventory/local/stack').then(
    ({ readRunningStack }) => readRunningStack(localFolder),
    () => null,
  );
}

/** One line without the address's user and password, whatever the driver says. */
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
  if (isDiskFull(error))
    return new CommandError(
      'the disk of Postgres is full, so not everything was done: make room and run it again',
    );
  if (!isOutage(error)) return error;
  const place = describePlaces(databaseUrl);
  return new CommandError(`the database at ${place} cannot be reached (${whyAway(error)})`);
}
