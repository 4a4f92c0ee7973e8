import { type BatchPool, createBatchPool } from '@inventory/db/batch/batch-pool';
import type { LeftBehind } from '@inventory/postgres/left-behind';
import { type ConnectOptions, connect, type Sql, untilDone } from '@inventory/postgres/pool';
import { createTimedPool, type TimedPool } from './timed-pool.ts';

/**
 * The worker's connections to Postgres. Each kind of work has its own, so that it never waits for another
 * kind.
 */
export type WorkerDatabase = {
  /** Batches. */
  batches: TimedPool<BatchPool>;
  /** Single statements, on the connections of the batches. */
  statements: { run<T>(work: (sql: Sql) => Promise<T>): Promise<T> };
  /** For folding the counts of the lists and for removing outdated rows. */
  folds: TimedPool<Sql>;
  /** The background audit. */
  audits: TimedPool<Sql>;
  /** Webhooks, between their attempts. */
  webhooks: TimedPool<Sql>;
  end(): Promise<void>;
};

// Postgres then ends the transaction of a frozen worker and frees its locks, before the api gives up on a
// request.
const idleInTransactionMs = 700;
// A gate that is held for longer would delay the batch's other requests. They continue without the requests
// for that gate.
const lockTimeoutMs = 300;
// After this time, no caller waits for the batch any more.
const batchWithinMs = 3000;
/**
 * A fold takes some milliseconds. A connection that is silent for longer is replaced. For one list, and for
 * all.
 */
export const usualFold = { listMs: 1500, allMs: 5000 };
// A slice of the audit takes some milliseconds. A connection that is silent for longer is replaced.
const auditWithinMs = 6000;
// A page of changes takes some milliseconds, and others may wait before it.
const webhookWithinMs = 6000;
// The audit gives way to work that locks whole tables: migrations, restore, seed.
const auditLockTimeoutMs = 500;

/** Creates the pools. Connections are opened when they are first needed. */
export function openWorkerDatabase(databaseUrl: string): WorkerDatabase {
  const connectAs = (name: string, options: Partial<ConnectOptions> = {}) =>
    connect(databaseUrl, {
      name,
      connectionsMax: 1,
      statementTimeoutMs: 5000,
      idleInTransactionMs,
      ...options,
    });
  // Planning again for each batch's arrays would cost a single request more than its statements.
  const openStatements = () => connectAs('inventory-worker', { lockTimeoutMs, byKeys: true });
  function openBatches(): BatchPool {
    const sql = openStatements();
    const pool = createBatchPool(sql);
    return {
      ...pool,
      // New gates are created outside the batches' transactions, and their commits may hang as well.
      untilDone: () => untilBothDone(pool.untilDone(), untilDone(sql)),
      end: (timing) => Promise.all([pool.end(timing), sql.end(timing)]).then(() => {}),
    };
  }
  const openFolds = () => connectAs('inventory-counts');
  const openAudits = () =>
    connectAs('inventory-audit', { lockTimeoutMs: auditLockTimeoutMs, oneProcess: true });
  const openWebhooks = () => connectAs('inventory-webhooks');
  const batches = createTimedPool(openBatches, batchWithinMs, (pool) => pool.untilDone(), openStatements);
  const folds = createTimedPool(openFolds, usualFold.allMs, untilDone, openFolds);
  const audits = createTimedPool(openAudits, auditWithinMs, untilDone, openAudits);
  const webhooks = createTimedPool(openWebhooks, webhookWithinMs, untilDone, openWebhooks);
  const all = [batches, folds, audits, webhooks];
  return {
    batches,
    statements: { run: (work) => batches.run(({ sql }) => work(sql)) },
    folds,
    audits,
    webhooks,
    end: () => Promise.all(all.map((pool) => pool.end())).then(() => {}),
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
