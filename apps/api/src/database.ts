import { type ConnectOptions, connect } from '@inventory/db/pool';
import {
  createStatementPool,
  type StatementPool,
  type StatementPoolOptions,
} from '@inventory/db/statement-pool';
import { createListTurns } from './lists/list-turns.ts';
import { createLists, type Lists, streamWithinMs } from './lists/lists.ts';
import { createReplica, type Replica } from './lists/replica.ts';
import { createTrials, type Trials } from './trials.ts';

/** The api's connections to Postgres, by who must not stand behind whom. */
export type Database = {
  /** Lists, in turns on connections of their own. */
  lists: Lists;
  /** Single items, and lists that cost as little. */
  reads: StatementPool;
  /** Clients, secrets and signing keys, which every request begins with. */
  authentication: StatementPool;
  /** The reads and writes a transaction waits for: its key, a lost answer, the verdict. */
  verdicts: StatementPool;
  /** Dry runs, in turns on connections of their own. */
  trials: Trials;
  /** Writes of items. */
  items: StatementPool;
  /** The page of those who run the service: one statement at a time, and never beside another's work. */
  operations: StatementPool;
  /** Answers lists instead of the primary if it has caught up; null: there is no replica. */
  replica: Replica | null;
  /** How many pieces of work wait for a connection or a turn now. */
  waitingCount(): number;
  /** The same, by the kind of work. */
  waitingCounts(): Record<string, number>;
  /** Connections, by their state. */
  connectionCounts(): { busy: number; idle: number; suspect: number };
  end(): Promise<void>;
};

/** The longest that a write of an item takes once it was begun; see `limitMs`. */
export const itemWriteLimitMs = 4000;

// A list ends so long after it was begun, if Postgres does not end it before.
const listLimitMs = 11_000;
// How long Postgres works on one.
const listTimeoutMs = 10_000;

type Kind = Omit<StatementPoolOptions, 'open'> & Omit<ConnectOptions, 'connectionsMax'>;

// By the statements of a batch, on what nobody holds.
const trialsKind = {
  name: 'inventory-dry-runs',
  statementTimeoutMs: 3000,
  byKeys: true,
  connectionsMax: 2,
  overrunMs: 2000,
  limitMs: 6000,
  waitMs: 3000,
  cancels: true,
} as const;
// Nobody's request waits for it. What takes Postgres longer is left out of the page.
const operationsKind = {
  name: 'inventory-operations',
  statementTimeoutMs: 2000,
  oneProcess: true,
  connectionsMax: 1,
  overrunMs: 3000,
  limitMs: 4000,
  waitMs: 1000,
};

/** Each kind of work and its connections; `readsMax`: those for `cheap`. */
const kindsOf = (readsMax: number) =>
  ({
    cheap: {
      name: 'inventory-api',
      statementTimeoutMs: listTimeoutMs,
      connectionsMax: readsMax,
      overrunMs: 2000,
      limitMs: listLimitMs,
      waitMs: 12_000,
      cancels: true,
    },
    // As many as have a turn at once, each on one processor of Postgres.
    costly: {
      name: 'inventory-costly-lists',
      statementTimeoutMs: listTimeoutMs,
      oneProcess: true,
      connectionsMax: 2,
      overrunMs: 5000,
      limitMs: listLimitMs,
      waitMs: 3000,
      cancels: true,
    },
    // Each piece is one statement; between them the reader is waited for.
    streamed: {
      name: 'inventory-streamed-lists',
      statementTimeoutMs: listTimeoutMs,
      idleInTransactionMs: 15_000,
      oneProcess: true,
      connectionsMax: 4,
      overrunMs: 2 * streamWithinMs,
      limitMs: streamWithinMs,
      waitMs: 3000,
      cancels: true,
    },
    looks: {
      name: 'inventory-looks',
      statementTimeoutMs: 500,
      byIndex: true,
      connectionsMax: 2,
      overrunMs: 700,
      limitMs: 1000,
      // A fleet that asks in one moment waits for its looks as it would for its lists.
      waitMs: 6000,
    },
    // Long beside what they take and what anybody waits for them: a start on a slow machine needs it.
    authentication: {
      name: 'inventory-authentication',
      statementTimeoutMs: 4000,
      connectionsMax: 2,
      overrunMs: 400,
      limitMs: 5000,
      waitMs: 1000,
    },
    verdicts: {
      name: 'inventory-verdict',
      statementTimeoutMs: 700,
      byKeys: true,
      connectionsMax: 4,
      overrunMs: 300,
      limitMs: 1000,
      waitMs: 600,
    },
    trials: trialsKind,
    // Ended by Postgres well before its caller is answered: nothing is applied after a "not applied".
    items: {
      name: 'inventory-items',
      statementTimeoutMs: 3000,
      connectionsMax: 4,
      overrunMs: 1500,
      limitMs: itemWriteLimitMs,
      waitMs: 3000,
    },
    operations: operationsKind,
  }) satisfies Record<string, Kind>;

/** How many connections to Postgres one api opens at most; `readsMax`: DATABASE_CONNECTIONS. */
export function connectionsOf(readsMax: number): number {
  return Object.values(kindsOf(readsMax)).reduce((sum, { connectionsMax }) => sum + connectionsMax, 0);
}

// How far the primary is, for what replicas answer: one statement at a time, for all that wait.
const positionsKind = {
  name: 'inventory-positions',
  statementTimeoutMs: 500,
  connectionsMax: 1,
  overrunMs: 300,
  limitMs: 1000,
  waitMs: 500,
};

/** A replica for lists, and who is told when it fails. */
export type ReplicaOptions = { readUrl: string; report: (error: Error) => void };

/**
 * Opens nothing yet: a connection is made when it is first needed. `readsMax`: connections for cheap lists
 * and single items.
 */
export function openDatabase(
  databaseUrl: string,
  readsMax: number,
  replicaOptions: ReplicaOptions | null = null,
): Database {
  const open = (kind: Kind, onOverrun?: (startedAt: number) => void) =>
    createStatementPool({
      ...kind,
      ...(onOverrun && { onOverrun }),
      open: () => connect(databaseUrl, { ...kind, connectionsMax: 1 }),
    });
  // The quick ones are asked all the time, and see first that connections died without a word. One of another
  // kind may lie idle for long, and whoever uses it next would wait as long as its work may take.
  const tellAll = (since: number) => {
    for (const pool of Object.values(pools)) pool.doubtIdle(since);
  };
  const kinds = kindsOf(readsMax);
  const pools: Record<keyof typeof kinds, StatementPool> = {
    cheap: open(kinds.cheap),
    costly: open(kinds.costly),
    streamed: open(kinds.streamed),
    looks: open(kinds.looks),
    authentication: open(kinds.authentication, tellAll),
    verdicts: open(kinds.verdicts, tellAll),
    trials: open(kinds.trials),
    items: open(kinds.items),
    operations: open(kinds.operations),
  };
  const turns = createListTurns();
  const trials = createTrials(pools.trials, trialsKind);
  const replica =
    replicaOptions === null
      ? null
      : createReplica(replicaOptions.readUrl, open(positionsKind), replicaOptions.report);
  const { cheap: reads, authentication, verdicts, items, operations } = pools;
  const waitingCounts = (): Record<string, number> => ({
    ...Object.fromEntries(Object.entries(pools).map(([kind, pool]) => [kind, pool.waitingCount()])),
    trials: trials.waitingCount(),
    turns: turns.waitingCount(),
  });
  return {
    lists: createLists(pools, turns, replica),
    replica,
    reads,
    authentication,
    verdicts,
    trials,
    items,
    operations,
    waitingCount: () => Object.values(waitingCounts()).reduce((sum, count) => sum + count, 0),
    waitingCounts,
    connectionCounts() {
      const sum = { busy: 0, idle: 0, suspect: 0 };
      const counted = Object.values(pools).map((pool) => pool.counts());
      if (replica !== null) counted.push(replica.connectionCounts());
      for (const { busy, idle, suspect } of counted) {
        sum.busy += busy;
        sum.idle += idle;
        sum.suspect += suspect;
      }
      return sum;
    },
    async end() {
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
      await replica?.end();
    },
  };
}
