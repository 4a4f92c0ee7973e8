import { connect, isConflictOfRecovery, isStatementTimeout, reach, type Sql } from '@inventory/postgres/pool';
import { isPooled, PoolerError, refuseRoleWithoutSettings } from '@inventory/postgres/servers/pooler';
import { type Position, readAsOf, readClusterId, readPosition } from '@inventory/postgres/servers/replica';
import {
  createStatementPool,
  NeverBegunError,
  type StatementPool,
  type StatementPoolOptions,
  type Wait,
} from '@inventory/postgres/statement-pool';
import { gather } from '@inventory/turns/gather';

/** A server of DATABASE_READ_URL. It answers lists in place of the primary. */
export type Replica = {
  /**
   * Runs `read` on the replica, on data from the moment of the call or later. Null if the replica is away or
   * busy, or does not catch up within 50 ms.
   */
  read<T>(kind: ReplicaKind, read: (sql: Sql) => Promise<T>, wait: Wait): Promise<T | null>;
  /**
   * Refuses a server of another database, or one that cannot be used. A server that is away may come back
   * later.
   */
  check(): Promise<void>;
  connectionCounts(): Record<'busy' | 'idle' | 'suspect', number>;
  end(): Promise<void>;
};

export type ReplicaKind = 'cheap' | 'costly';

type Kind = Omit<StatementPoolOptions, 'open'>;

// A replica that keeps up replays almost every write within this time.
const replayWithinMs = 50;
// A replica that is behind or away is left alone for this long. Otherwise every list would wait for it.
const restMs = { behind: 100, away: 1000 };
// With less time left, the primary could not answer either.
const leftMinMs = 500;

const kinds: Record<ReplicaKind, Kind & { statementTimeoutMs: number; oneProcess?: boolean }> = {
  // A list that takes longer goes to the primary.
  cheap: {
    statementTimeoutMs: 2500,
    connectionsMax: 10,
    overrunMs: 2000,
    limitMs: 3000,
    waitMs: 100,
    cancels: true,
  },
  costly: {
    statementTimeoutMs: 10_000,
    oneProcess: true,
    connectionsMax: 2,
    overrunMs: 5000,
    limitMs: 11_000,
    waitMs: 100,
    cancels: true,
  },
};

/**
 * `positions`: connections to the primary, used for one trivial statement per turn of the event loop; they
 * end with the replica's. `report` is told of failures, but not of a replica that is only behind or busy.
 */
export function createReplica(
  readUrl: string,
  positions: StatementPool,
  report: (error: Error) => void,
): Replica {
  const askPosition = gather(positions, async (sql, asked: readonly null[]) => {
    const position = await readPosition(sql);
    return asked.map((): Position => position);
  });
  let pooled: boolean | null = null;
  let examined: Promise<void> | null = null;
  let restUntil = 0;
  const open = (kind: ReplicaKind): StatementPool =>
    createStatementPool({
      ...kinds[kind],
      open: () =>
        connect(readUrl, {
          ...kinds[kind],
          name: `inventory-replica-${kind}`,
          connectionsMax: 1,
          pooled: pooled === true,
        }),
    });
  const pools: Record<ReplicaKind, StatementPool> = { cheap: open('cheap'), costly: open('costly') };
  const rest = (timeMs: number) => {
    restUntil = performance.now() + timeMs;
  };

  /** Checks the server. Throws PoolerError or a network error. */
  async function examine(): Promise<void> {
    const sql = connect(readUrl, { name: 'inventory-start', connectionsMax: 1, statementTimeoutMs: 4000 });
    let isThroughPooler: boolean;
    try {
      isThroughPooler = await isPooled(sql);
      if (!isThroughPooler) await reach(sql);
    } finally {
      await sql.end({ timeout: 1 });
    }
    if (isThroughPooler) await refuseRoleWithoutSettings(readUrl);
    const other = connect(readUrl, { name: 'inventory-start', connectionsMax: 1, pooled: true });
    try {
      const [there, here] = [await readClusterId(other), await positions.run(readClusterId)];
      if (there !== here) throw new PoolerError('DATABASE_READ_URL is no replica of DATABASE_URL');
    } finally {
      await other.end({ timeout: 1 });
    }
    pooled = isThroughPooler;
  }

  return {
    async read(kind, read, wait) {
      if (performance.now() < restUntil) return null;
      // A failure before the list itself is read would hit every list.
      let isOwn = false;
      try {
        if (pooled === null) {
          examined ??= examine().finally(() => {
            examined = null;
          });
          await examined;
        }
        const position = await askPosition(null);
        isOwn = true;
        const result = await pools[kind].run((sql) => readAsOf(sql, position, read, replayWithinMs), wait);
        if (result === null) rest(restMs.behind);
        return result;
      } catch (error) {
        const isOver = wait.hasGone() || wait.until - performance.now() < leftMinMs;
        if (!isOwn || !(isOver || isOfOneList(error))) {
          rest(restMs.away);
          report(error as Error);
        }
        if (isOver) throw error;
        return null;
      }
    },
    async check() {
      try {
        await examine();
      } catch (error) {
        if (error instanceof PoolerError) throw error;
        report(error as Error);
      }
    },
    connectionCounts() {
      const [cheap, costly, asked] = [pools.cheap.counts(), pools.costly.counts(), positions.counts()];
      return {
        busy: cheap.busy + costly.busy + asked.busy,
        idle: cheap.idle + costly.idle + asked.idle,
        suspect: cheap.suspect + costly.suspect + asked.suspect,
      };
    },
    async end() {
      await Promise.all([...Object.values(pools), positions].map((pool) => pool.end()));
    },
  };
}

/** Whether an error concerns only one list. The replica then stays in use for others. */
function isOfOneList(error: unknown): boolean {
  return error instanceof NeverBegunError || isStatementTimeout(error) || isConflictOfRecovery(error);
}
