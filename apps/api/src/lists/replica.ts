import { connect, isConflictOfRecovery, isStatementTimeout, reach, type Sql } from '@inventory/db/pool';
import { isPooled, PoolerError, refuseRoleWithoutSettings } from '@inventory/db/pooler';
import { type Position, readAsOf, readClusterId, readPosition } from '@inventory/db/replica';
import {
  createStatementPool,
  NeverBegunError,
  type StatementPool,
  type StatementPoolOptions,
  type Wait,
} from '@inventory/db/statement-pool';
import { gather } from '../gather.ts';

/** A server of DATABASE_READ_URL, which answers lists in the primary's place. */
export type Replica = {
  /**
   * What `read` reads there, as of the moment of the call or later; null: it is not as far within 50 ms, is
   * away, or is busy.
   */
  read<T>(kind: ReplicaKind, read: (sql: Sql) => Promise<T>, wait: Wait): Promise<T | null>;
  /** Refuses a server that is none of this database's, or cannot be used; one that is away may come later. */
  check(): Promise<void>;
  connectionCounts(): Record<'busy' | 'idle' | 'suspect', number>;
  end(): Promise<void>;
};

export type ReplicaKind = 'cheap' | 'costly';

type Kind = Omit<StatementPoolOptions, 'open'>;

// A replica that is as far as this has nearly always replayed what was just answered.
const replayWithinMs = 50;
// One that is not, or is away, is left alone for so long: every list would wait for it.
const restMs = { behind: 100, away: 1000 };
// With less left the primary could not answer either.
const leftMinMs = 500;

const kinds: Record<ReplicaKind, Kind & { statementTimeoutMs: number; oneProcess?: boolean }> = {
  // What takes longer than such a list does is given to the primary.
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
 * `positions`: connections to the primary, for one trivial statement per turn of the event loop; they end
 * with the replica's. `report` is told what fails, but for a replica that is only behind or busy.
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

  /** What stands there; throws PoolerError, or what the network says. */
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
      // What fails before its own run fails for every list.
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

/** Whether an error of a list's own run says nothing of the replica: others are read there as before. */
function isOfOneList(error: unknown): boolean {
  return error instanceof NeverBegunError || isStatementTimeout(error) || isConflictOfRecovery(error);
}
