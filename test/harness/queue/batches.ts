import { randomUUID } from 'node:crypto';
import { addClient } from '@inventory/db/access/clients';
import { applyBatch } from '@inventory/db/batch/apply-batch';
import { type BatchPool, createBatchPool } from '@inventory/db/batch/batch-pool';
import { createPartNumbers, type PartNumbers } from '@inventory/db/batch/gates';
import { addWarehouse } from '@inventory/db/catalog/warehouses';
import type { SingleRequest } from '@inventory/domain/kinds/kinds';
import type { AtomicOperation, Queued, QueuedRequest, StockRequest } from '@inventory/domain/request';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { type ConnectOptions, connect, type Sql } from '@inventory/postgres/pool';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { addressFor } from '../as-part.ts';
import { createDatabase, type TestDatabase } from '../servers/database.ts';
import { auditFailedTests, expectInvariants } from '../service/invariants.ts';
import { allPermissions, uniqueName } from '../service/service.ts';
import { inOrder } from './outcomes.ts';

/** The parts with which a worker process applies batches: its own connections and memory. */
export type BatchWorker = {
  pool: BatchPool;
  parts: PartNumbers;
  /** Applies one batch; a null is left to the next one. */
  applyOnce(requests: readonly QueuedRequest[]): Promise<(StoredOutcome | null)[]>;
  /** Applies as many batches as it takes to decide everything. */
  apply(requests: readonly QueuedRequest[]): Promise<StoredOutcome[]>;
  /** Closes its connections. */
  end(): Promise<void>;
};

/** A database without processes, for tests that choose which requests meet in a batch. */
export type Batches = {
  sql: Sql;
  clientId: string;
  url: string;
  worker(options?: Partial<ConnectOptions>, databaseUrl?: string): BatchWorker;
  item(): Promise<string>;
  /**
   * A request of a client with every permission in warehouses 1 and 2; its deadline is far away unless told
   * otherwise.
   */
  request<Kind extends StockRequest['kind']>(
    kind: Kind,
    body: object,
    options?: Partial<QueuedRequest>,
  ): Queued<Extract<StockRequest, { kind: Kind }>>;
};

/** Like {@link useService}, without the processes. */
export function useBatches(): Batches {
  let database: TestDatabase;
  const workers: BatchWorker[] = [];
  const batches = { clientId: 'batches' } as Batches;

  beforeAll(async () => {
    database = await createDatabase();
    const { sql, url } = database;
    for (const wid of [1, 2]) await addWarehouse(sql, { wid, name: `Warehouse ${wid}` });
    await addClient(sql, {
      clientId: batches.clientId,
      permissions: allPermissions,
      wids: [1, 2],
      readOnly: false,
      rateLimit: null,
      secretDigest: Buffer.alloc(32),
    });
    Object.assign(batches, {
      sql,
      url,
      worker(options = {}, databaseUrl = url) {
        const sql = connect(addressFor('worker', databaseUrl), {
          name: 'test-worker',
          connectionsMax: 4,
          byKeys: true,
          ...options,
        });
        const pool = createBatchPool(sql);
        const parts = createPartNumbers();
        const worker: BatchWorker = {
          pool,
          parts,
          async applyOnce(requests) {
            return inOrder(requests, await applyBatch(pool, requests, parts));
          },
          async apply(requests) {
            const outcomes = await worker.applyOnce(requests);
            const open = requests.filter((_, index) => outcomes[index] === null);
            const rest = open.length === 0 ? [] : await worker.apply(open);
            return outcomes.map((outcome) => outcome ?? rest.shift()!);
          },
          end: () => Promise.all([pool.end({ timeout: 5 }), sql.end({ timeout: 5 })]).then(() => {}),
        };
        workers.push(worker);
        return worker;
      },
      async item() {
        const shortId = uniqueName('ITEM');
        await sql`insert into item (short_id, created_by) values (${shortId}, 'tests')`;
        return shortId;
      },
      request: (kind, body, options = {}) =>
        ({
          requestId: randomUUID(),
          clientId: batches.clientId,
          deadline: Date.now() + 3_600_000,
          kind,
          body: { reasonCode: 0, ...body },
          ...options,
        }) as never,
    } satisfies Partial<Batches>);
  });

  auditFailedTests(() => database.sql);

  afterAll(async () => {
    for (const worker of workers) await worker.end();
    if (database === undefined) return;
    try {
      await expectInvariants(database.sql);
    } finally {
      await database.drop();
    }
  });

  return batches;
}

/** An atomic batch of these requests. */
export function atomicOf(operations: readonly Queued<SingleRequest>[]): QueuedRequest {
  const { clientId, deadline } = operations[0]!;
  const each = operations.map((operation): AtomicOperation => ({ ...operation, ownKey: null }));
  return { kind: 'batch', requestId: randomUUID(), clientId, deadline, operations: each } as QueuedRequest;
}

/** Receives this many lots of one unit of a new item in warehouse 1. `body`: further fields of each. */
export async function receiveLots(
  batches: Batches,
  count: number,
  body: object = {},
  worker = batches.worker(),
): Promise<{ itemID: string; recNos: number[] }> {
  const itemID = await batches.item();
  const recNos: number[] = [];
  for (let from = 0; from < count; from += 500) {
    const receives = Array.from({ length: Math.min(500, count - from) }, () =>
      batches.request('receive', { itemID, units: 1, wid: 1, ...body }),
    );
    const outcomes = await worker.apply(receives);
    recNos.push(...outcomes.map(({ result }) => JSON.parse(result!).recNo as number));
  }
  return { itemID, recNos };
}

/**
 * Holds the gates of items, or their gates in one warehouse, as a batch does, until the returned function is
 * called.
 */
export async function holdGates(
  sql: Sql,
  itemIDs: string | readonly string[],
  wid: number | null = null,
): Promise<() => Promise<void>> {
  let release!: () => void;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let held: Promise<unknown>;
  await new Promise<void>((resolve, reject) => {
    held = sql.begin(async (tx) => {
      const gates = await tx`
        select wid
        from stock_level
        join item using (part_no)
        where short_id = any(${[itemIDs].flat()}::text[]) and (${wid}::integer is null or wid = ${wid})
        for no key update of stock_level`;
      if (gates.length === 0) throw new Error(`no gate of ${itemIDs} yet`);
      resolve();
      await released;
    });
    held.catch(reject);
  });
  const end = async () => {
    release();
    await held;
  };
  // Nobody waits for these after the test, however it ended.
  onTestFinished(end);
  return end;
}

/**
 * Waits until this many connections to the database wait for a lock. Postgres itself checks every few
 * milliseconds: a batch waits for a held gate only once and briefly, and this process may be too busy to see
 * it.
 */
export async function expectWaiting(sql: Sql, count: number): Promise<void> {
  const look = () =>
    sql.begin(async (tx) => {
      await tx`
        create or replace function pg_temp.are_waiting(wanted integer) returns boolean language plpgsql as $$
        begin
          for look in 1..200 loop
            perform pg_stat_clear_snapshot();
            if wanted <= (
              select count(*)
              from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'
            ) then
              return true;
            end if;
            perform pg_sleep(0.005);
          end loop;
          return false;
        end $$`;
      const [row] = await tx<{ are_waiting: boolean }[]>`select pg_temp.are_waiting(${count}::integer)`;
      return row?.are_waiting;
    });
  await expect.poll(look).toBe(true);
}

/** The number of rows in stock_transaction by status, among one item's requests. */
export async function countStatuses(sql: Sql, itemID: string): Promise<Record<string, number>> {
  const rows = await sql<{ status: string; count: number }[]>`
    select status, count(*)
    from stock_transaction
    where body->>'itemID' = ${itemID}
    group by status`;
  return Object.fromEntries(rows.map((row) => [row.status, row.count]));
}
