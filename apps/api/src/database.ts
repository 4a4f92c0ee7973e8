import { type ConnectOptions, connect } from '@inventory/postgres/pool';
import { type SeenServer, seenServers } from '@inventory/postgres/servers/seen-servers';
import {
  createStatementPool,
  type StatementPool,
  type StatementPoolOptions,
} from '@inventory/postgres/statement-pool';
import { createTrials, type Trials } from '@inventory/turns/trials';
import { createListTurns } from './lists/list-turns.ts';
import { createLists, type Lists, streamWithinMs } from './lists/lists.ts';
import { createReplica, type Replica } from './lists/replica.ts';

/**
 * The api's connections to Postgres. Each kind of work has its own, so that it never waits for another kind.
 */
export type Database = {
  /** Lists, which take turns. */
  lists: Lists;
  /** Single items, and lists that are as cheap. */
  reads: StatementPool;
  /** Clients, secrets and signing keys, which every request needs first. */
  authentication: StatementPool;
  /** Reads and writes that a transaction waits for: its key, a lost answer, the verdict. */
  verdicts: StatementPool;
  /** Dry runs, which take turns. */
  trials: Trials;
  /** Writes of items. */
  items: StatementPool;
  /** Pages of the change feed. */
  changes: StatementPool;
  /** The position of the change feed, which waits for standbys and hangs as commits do. */
  feedPosition: StatementPool;
  /**
   * The operator's status page. It runs one statement at a time and never takes a connection from other work.
   */
  operations: StatementPool;
  /** The servers of Postgres as last seen; empty if the address names one. */
  servers(): SeenServer[];
  /** Answers lists in place of the primary when it has caught up. null: there is no replica. */
  replica: Replica | null;
  /** Number of tasks that wait for a connection or a turn now. */
  waitingCount(): number;
  /** The same, by kind of work. */
  waitingCounts(): Record<string, number>;
  /** Number of connections by state. */
  connectionCounts(): { busy: number; idle: number; suspect: number };
  end(): Promise<void>;
};

/** The longest time that a write of an item takes once it has begun; see `limitMs`. */
export const itemWriteLimitMs = 4000;

// The api ends a list after this time, if Postgres has not done so before.
const listLimitMs = 11_000;
// Postgres ends a list after this time.
const listTimeoutMs = 10_000;

type Kind = Omit<StatementPoolOptions, 'open'> & Omit<ConnectOptions, 'connectionsMax'>;

// Dry runs use the statements of a batch, but take no locks.
const trialsKind = {
  name: 'inventory-dry-runs',
  statementTimeoutMs: 3000,
  idleInTransactionMs: 6000,
  byKeys: true,
  connectionsMax: 2,
  overrunMs: 2000,
  limitMs: 6000,
  waitMs: 3000,
  cancels: true,
} as const;
// A stream reads one statement at a time and waits for its reader in between.
const streamedKind = {
  name: 'inventory-streamed-lists',
  statementTimeoutMs: listTimeoutMs,
  idleInTransactionMs: 15_000,
  oneProcess: true,
  connectionsMax: 4,
  overrunMs: 2 * streamWithinMs,
  limitMs: streamWithinMs,
  waitMs: 3000,
  cancels: true,
};
const changesKind = {
  name: 'inventory-changes',
  statementTimeoutMs: 4000,
  byKeys: true,
  connectionsMax: 2,
  overrunMs: 1500,
  limitMs: 5000,
  waitMs: 3000,
} as const;
const feedPositionKind = { ...changesKind, name: 'inventory-feed-position', connectionsMax: 1 };
// No request waits for the status page. It leaves out what takes Postgres longer than this.
const statusPageKind = {
  name: 'inventory-operations',
  statementTimeoutMs: 2000,
  oneProcess: true,
  connectionsMax: 1,
  overrunMs: 3000,
  limitMs: 4000,
  waitMs: 1000,
};

/** Each kind of work and its connections. `readsMax`: the number of connections for `cheap`. */
const kindsOf = (readsMax: number) =>
  ({
    cheap: {
      name: 'inventory-api',
      statementTimeoutMs: listTimeoutMs,
      // For these and the looks, Postgres would take longer to start other processes than to read.
      oneProcess: true,
      connectionsMax: readsMax,
      overrunMs: 2000,
      limitMs: listLimitMs,
      waitMs: 12_000,
      cancels: true,
    },
    // One connection for each turn. Each keeps one core of Postgres busy.
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
    streamed: streamedKind,
    looks: {
      name: 'inventory-looks',
      statementTimeoutMs: 500,
      byIndex: true,
      oneProcess: true,
      connectionsMax: 2,
      overrunMs: 700,
      limitMs: 1000,
      // Many clients may ask at the same moment. They wait for these looks as long as they would for their
      // lists.
      waitMs: 6000,
    },
    // Generous for such small work: a start on a slow machine needs it.
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
    // Postgres ends the write well before the caller is answered, so no write is applied after its caller was
    // told otherwise.
    items: {
      name: 'inventory-items',
      statementTimeoutMs: 3000,
      connectionsMax: 4,
      overrunMs: 1500,
      limitMs: itemWriteLimitMs,
      waitMs: 3000,
    },
    changes: changesKind,
    feedPosition: feedPositionKind,
    operations: statusPageKind,
  }) satisfies Record<string, Kind>;

/** The number of connections to Postgres that one api opens at most. `readsMax`: DATABASE_CONNECTIONS. */
export function connectionsOf(readsMax: number): number {
  return Object.values(kindsOf(readsMax)).reduce((sum, { connectionsMax }) => sum + connectionsMax, 0);
}

// Reads the primary's log position for the replica: one statement at a time serves all lists that wait.
const positionsKind = {
  name: 'inventory-positions',
  statementTimeoutMs: 500,
  connectionsMax: 1,
  overrunMs: 300,
  limitMs: 1000,
  waitMs: 500,
};

/** A replica for lists. `report` is told when it fails. */
export type ReplicaOptions = { readUrl: string; report: (error: Error) => void };

/**
 * Creates the pools. Connections are opened when they are first needed. `readsMax`: connections for cheap
 * lists and single items. `onFailed`: told the error of any work that failed on the primary.
 */
export function openDatabase(
  databaseUrl: string,
  readsMax: number,
  replicaOptions: ReplicaOptions | null = null,
  onFailed: (error: unknown) => void = () => {},
): Database {
  const open = (kind: Kind, onOverrun?: (startedAt: number) => void): StatementPool => {
    const pool = createStatementPool({
      ...kind,
      ...(onOverrun && { onOverrun }),
      open: () => connect(databaseUrl, { ...kind, connectionsMax: 1 }),
    });
    return {
      ...pool,
      run: (work, wait) =>
        pool.run(work, wait).catch((error) => {
          onFailed(error);
          throw error;
        }),
    };
  };
  // The busy pools notice first when connections have died silently, so they tell the others. Otherwise the
  // next use of an idle connection would hang until its time limit.
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
    changes: open(kinds.changes),
    feedPosition: open(kinds.feedPosition),
    operations: open(kinds.operations),
  };
  const turns = createListTurns();
  const trials = createTrials(pools.trials, trialsKind);
  const replica =
    replicaOptions === null
      ? null
      : createReplica(replicaOptions.readUrl, open(positionsKind), replicaOptions.report);
  const { cheap: reads, authentication, verdicts, items, changes, feedPosition, operations } = pools;
  const waitingCounts = (): Record<string, number> => ({
    ...Object.fromEntries(Object.entries(pools).map(([kind, pool]) => [kind, pool.waitingCount()])),
    trials: trials.waitingCount(),
    turns: turns.waitingCount(),
  });
  return {
    lists: createLists(pools, turns, replica),
    servers: () => seenServers(databaseUrl),
    replica,
    reads,
    authentication,
    verdicts,
    trials,
    items,
    changes,
    feedPosition,
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
