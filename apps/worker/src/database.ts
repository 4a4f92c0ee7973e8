import { type BatchPool, createBatchPool } from '@inventory/db/batch/batch-pool';
import type { LeftBehind } from '@inventory/db/left-behind';
import { type ConnectOptions, connect, type Sql, untilDone } from '@inventory/db/pool';
import { createTimedPool, type TimedPool } from './timed-pool.ts';

/** The worker's connections to Postgres, by who must not stand behind whom. */
export type WorkerDatabase = {
  /** Batches, and the single statements that they need. */
  batches: TimedPool<BatchPool>;
  /** For the counts of the lists, and for removing outdated rows. */
  folds: TimedPool<Sql>;
  /** The audit in the background. */
  audits: TimedPool<Sql>;
  end(): Promise<void>;
};

// Ended by Postgres after this long, a frozen worker's transaction gives its locks back before the api
// gives a request up.
const idleInTransactionMs = 700;
// A gate that is held for longer holds up a batch's other requests: they go on without those for that gate.
const lockTimeoutMs = 300;
// Nobody waits for a batch any more after this long.
const batchWithinMs = 3000;
// A slice of the audit takes some milliseconds; a connection that is silent for longer is replaced.
const auditWithinMs = 6000;
// It gives way to what locks whole tables: migrations, restore, seed.
const auditLockTimeoutMs = 500;

/** `foldWithinMs`: what a fold takes at most, where nothing piled up. */
export function openWorkerDatabase(databaseUrl: string, foldWithinMs: number): WorkerDatabase {
  const connectAs = (name: string, options: Partial<ConnectOptions> = {}) =>
    connect(databaseUrl, {
      name,
      connectionsMax: 1,
      statementTimeoutMs: 5000,
      idleInTransactionMs,
      ...options,
    });
  // Planning for the arrays of each batch would cost a lone request more than its statements do.
  const openStatements = () => connectAs('inventory-worker', { lockTimeoutMs, byKeys: true });
  function openBatches(): BatchPool {
    const sql = openStatements();
    const pool = createBatchPool(sql);
    return {
      ...pool,
      // A new gate is made beside the transactions, and its commit may hang as theirs do.
      untilDone: () => untilBothDone(pool.untilDone(), untilDone(sql)),
      end: (timing) => Promise.all([pool.end(timing), sql.end(timing)]).then(() => {}),
    };
  }
  const openFolds = () => connectAs('inventory-counts');
  const openAudits = () =>
    connectAs('inventory-audit', { lockTimeoutMs: auditLockTimeoutMs, oneProcess: true });
  const batches = createTimedPool(openBatches, batchWithinMs, (pool) => pool.untilDone(), openStatements);
  const folds = createTimedPool(openFolds, foldWithinMs, untilDone, openFolds);
  const audits = createTimedPool(openAudits, auditWithinMs, untilDone, openAudits);
  return {
    batches,
    folds,
    audits,
    end: () => Promise.all([batches.end(), folds.end(), audits.end()]).then(() => {}),
  };
}

type UntilDone = Parameters<LeftBehind['add']>[0];

function untilBothDone(one: UntilDone, other: UntilDone): UntilDone {
  if (one === null || other === null) return one ?? other;
  return (tell) => {
    let left = 2;
    const tellOnce = () => {
      left -= 1;
      if (left === 0) tell();
    };
    one(tellOnce);
    other(tellOnce);
  };
}
