import { readSchemaVersion } from '@inventory/db/migrate/migrate';
import { type Holdings, readDatabaseSize, readHoldings } from '@inventory/db/operator/health';
import { inventoryCommand } from '@inventory/domain/operating/called-as';
import { describeServers, primariesOf, type SeenServer } from '@inventory/postgres/servers/seen-servers';
import { messageOf } from '@inventory/process/log/describe-error';
import { within } from '@inventory/process/within';
import { type QueueHealth, readRedis, watchQueues } from '@inventory/queue/health';
import type { Seating } from '@inventory/queue/seats';
import { Command } from 'commander';
import { example, print, printJson, tell } from '../cli/print.ts';
import { printFields, textOf } from '../cli/table.ts';
import { version } from '../cli/version.ts';
import { type Check, describeBytes } from '../doctor/check.ts';
import { type Reached, withServers } from '../doctor/examine.ts';

/** The output of --json. null: could not be read. */
export type Status = {
  version: string;
  postgres: { state: Check['state']; found: string };
  /** Each server of DATABASE_URL, if it names several. */
  servers: readonly SeenServer[];
  redis: { state: Check['state']; found: string };
  schema: number | null;
  databaseBytes: number | null;
  holdings: Holdings | null;
  redisBytes: number | null;
  apis: number | null;
  workers: number | null;
  /** Workers that have just asked for work. */
  workersThatAsk: number | null;
  /** The worker of each queue. */
  shards: Seating['shards'] | null;
  envelopesWaiting: number | null;
};

const watchMs = 3000;
const readWithinMs = 5000;

export const status = new Command('status')
  .description('Show what runs, what waits and how much there is')
  .option('--json', 'print one line of JSON')
  .addHelpText(
    'after',
    `\nExit code 1 when Postgres or Redis cannot be reached, or no worker asks for work: \`doctor\` says why.\n${example('status')}`,
  )
  .action(async ({ json }: { json?: true }) => {
    const found = await withServers(readStatus);
    const isDown =
      primariesOf(found.servers).length > 1 ||
      found.postgres.state === 'fail' ||
      found.redis.state === 'fail' ||
      found.workersThatAsk === 0;
    if (isDown) process.exitCode = 1;
    if (json) return printJson(found);
    printStatus(found);
    if (!isDown) return;
    print('');
    print(`the service does not fully work: run \`${inventoryCommand('doctor')}\``);
  });

async function readStatus({ sql, redis, servers: ofPostgres, prefix, checks }: Reached): Promise<Status> {
  const [postgresCheck, redisCheck] = checks as [Check, Check];
  const readFrom = <Server, Value>(server: Server | null, read: (server: Server) => Promise<Value>) =>
    server &&
    within(readWithinMs, read(server)).catch((error: unknown) => {
      tell(`warning: ${messageOf(error)}`);
      return null;
    });
  const [schema, databaseBytes, holdings, servers, queues] = await Promise.all([
    readFrom(sql, readSchemaVersion),
    readFrom(sql, readDatabaseSize),
    readFrom(sql, readHoldings),
    readFrom(redis, readRedis),
    readFrom(redis, (those) => watchQueues(those, { prefix, watchMs, untilFinished: false })),
  ]);
  return {
    version,
    postgres: { state: postgresCheck.state, found: postgresCheck.found },
    servers: ofPostgres,
    redis: { state: redisCheck.state, found: redisCheck.found },
    schema: schema?.found ?? null,
    databaseBytes,
    holdings,
    redisBytes: servers && sumOf(servers.map(({ usedBytes }) => usedBytes)),
    apis: queues && processesOf(queues, 'api', () => true),
    workers: queues && processesOf(queues, 'worker', () => true),
    workersThatAsk: queues && processesOf(queues, 'worker', ({ asked }) => asked),
    shards: queues?.seating.shards ?? null,
    envelopesWaiting: queues?.shards.reduce((sum, { waiting }) => sum + waiting, 0) ?? null,
  };
}

/** A process may have several connections. Null: Redis does not show its connections. */
function processesOf(
  { parts, hidden }: QueueHealth,
  kind: 'api' | 'worker',
  counts: (part: QueueHealth['parts'][number]) => boolean,
): number | null {
  if (hidden !== null) return null;
  return new Set(parts.filter((part) => part.kind === kind && counts(part)).map((part) => part.process)).size;
}

/** Null if any value is unknown. */
function sumOf(values: readonly (number | null)[]): number | null {
  return values.reduce(
    (sum, value) => (sum === null || value === null ? null : sum + value),
    0 as number | null,
  );
}

function printStatus(found: Status): void {
  const { holdings } = found;
  const last = holdings?.lastTransaction;
  printFields({
    version: `${found.version}, tables of version ${textOf(found.schema)}`,
    Postgres: found.postgres.found,
    ...(found.servers.length === 0 ? {} : { servers: describeServers(found.servers) }),
    Redis: found.redis.found,
    apis: found.apis,
    workers: found.workers === null ? null : `${found.workers}, ${found.workersThatAsk} ask for work`,
    queues:
      found.shards === null
        ? null
        : found.shards.map(({ shard, holder }) => `${shard}: ${holder ?? 'nobody'}`).join(', '),
    'envelopes that wait': found.envelopesWaiting,
    size: found.databaseBytes === null ? null : `${describeBytes(found.databaseBytes)} in Postgres`,
    memory: found.redisBytes === null ? null : `${describeBytes(found.redisBytes)} in Redis`,
    'warehouses, clients': holdings && `${holdings.warehouses}, ${holdings.clients}`,
    'items, lots, transactions': holdings && `${holdings.items}, ${holdings.lots}, ${holdings.transactions}`,
    'last transaction': last ? `${last.transactionNo} at ${last.at.toISOString()}` : null,
  });
}
