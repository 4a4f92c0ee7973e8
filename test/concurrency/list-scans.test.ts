import { randomBytes, randomUUID } from 'node:crypto';
import { applyBatch } from '@inventory/db/batch/apply-batch';
import { type BatchPool, createBatchPool } from '@inventory/db/batch/batch-pool';
import { createPartNumbers } from '@inventory/db/batch/gates';
import { readChanges } from '@inventory/db/changes/read-changes';
import { isKeyed } from '@inventory/db/requests/idempotency-keys';
import { settle } from '@inventory/db/requests/settle';
import { readOriginals } from '@inventory/db/requests/subjects';
import type { QueuedRequest } from '@inventory/domain/request';
import type { Sql } from '@inventory/postgres/pool';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBatches } from '../harness/queue/batches.ts';
import { inOrder } from '../harness/queue/outcomes.ts';

/** A node of a plan that was carried out, as `auto_explain` tells it. */
type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Actual Loops': number;
  'Actual Rows': number;
  Plans?: Node[];
};

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Whether a node reads a list again, or a table without a key. */
function isWaste(node: Node): boolean {
  const { 'Node Type': type, 'Actual Loops': loops } = node;
  if (type === 'Function Scan') return loops > 1;
  if (loops === 0) return false;
  return type === 'Seq Scan' || (/^Index (Only )?Scan$/.test(type) && node['Index Cond'] === undefined);
}

const again = <Request extends object>(request: Request) => ({ ...request, requestId: randomUUID() });

describe.each([
  ['the tables were empty', { analysed: false }],
  ['the tables had few rows', { analysed: true }],
])('by plans from when %s', (_, { analysed }) => {
  const batches = useBatches();
  const plans: { text: string; plan: Node }[] = [];
  const parts = createPartNumbers();
  let sql: Sql;
  let pool: BatchPool;

  beforeAll(async () => {
    const [database] = await batches.sql<{ name: string }[]>`select current_database() as name`;
    const settings = {
      session_preload_libraries: 'auto_explain',
      'auto_explain.log_analyze': 'on',
      'auto_explain.log_timing': 'off',
      'auto_explain.log_format': 'json',
      'auto_explain.log_min_duration': '0',
      'auto_explain.log_nested_statements': 'on',
      // The service asks for no lower ones.
      'auto_explain.log_level': 'warning',
    };
    for (const [name, value] of Object.entries(settings))
      await batches.sql.unsafe(`alter database ${database!.name} set ${name} = '${value}'`);
    for (const table of ['item', 'stock_level', 'lot', 'stock_transaction', 'stock_entry', 'idempotency_key'])
      await batches.sql.unsafe(`alter table ${table} set (autovacuum_enabled = off)`);
    const { options } = batches.worker().pool.sql;
    sql = postgres({ ...options, max: 1, onnotice: notePlan } as never) as unknown as Sql;
    pool = createBatchPool(sql);
  });

  afterAll(async () => {
    await pool?.end({ timeout: 5 });
    await sql?.end({ timeout: 5 });
  });

  /** Applies one batch and reads what an api reads of it; all of it by statements on keys. */
  async function apply(requests: readonly QueuedRequest[]) {
    const after = await lastNo();
    await readOriginals(sql, [after]);
    const outcomes = inOrder(requests, await applyBatch(pool, requests, parts));
    const until = await lastNo();
    await settle(sql, requests);
    // Found under their keys.
    await applyBatch(pool, requests.filter(isKeyed).map(again), parts);
    await readChanges(sql, { wids: [1, 2], after, until, limit: requests.length });
    return outcomes;
  }

  async function lastNo(): Promise<number> {
    const [last] = await batches.sql<{ no: number }[]>`
      select max(transaction_no) as no from stock_transaction`;
    return last!.no;
  }

  function notePlan({ message }: postgres.Notice) {
    const json = /^duration: .*plan:\n(.*)$/s.exec(message ?? '')?.[1];
    if (json === undefined) return;
    const { 'Query Text': text, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: Node };
    plans.push({ text: text.replace(/\s+/g, ' ').trim().slice(0, 80), plan });
  }

  /** Receives two lots of ten units of each of so many new items. */
  async function receive(count: number) {
    const itemIDs = await batches.sql<{ itemID: string }[]>`
      insert into item (short_id, created_by)
      select gen_random_uuid(), 'tests' from generate_series(1, ${count})
      returning short_id as "itemID"`;
    const worker = batches.worker();
    const receipts = itemIDs.map(({ itemID }) => batches.request('receive', { itemID, units: 10, wid: 1 }));
    const first = await worker.apply(receipts);
    const second = await worker.apply(receipts.map(again));
    return itemIDs.map(({ itemID }, index) => ({
      itemID,
      transactionNo: JSON.parse(first[index]!.result!).transactionNo as number,
      recNo: JSON.parse(second[index]!.result!).recNo as number,
    }));
  }

  type Received = Awaited<ReturnType<typeof receive>>[number];

  /** A request of each kind: reverses the first of the two lots and takes from the second. */
  function requestsFor({ itemID, recNo, transactionNo }: Received): QueuedRequest[] {
    const request = (kind: 'receive' | 'move' | 'issue' | 'count', body: object) =>
      batches.request(kind, { itemID, wid: 1, ...body });
    const key = { digest: randomBytes(32).toString('base64'), fingerprint: 'AAAA', askedAt: Date.now() };
    const of = { kind: 'receive' as const, itemID, wids: [1], lines: 1 };
    return [
      { ...batches.request('reverse', {}), body: { transactionNo }, of },
      { ...request('receive', { units: 10 }), key },
      request('move', { units: 1, toSpot: 'B' }),
      request('move', { units: 1, recno: recNo, shipToWid: 2 }),
      request('issue', { units: 1, spot: 'B' }),
      request('issue', { units: 100 }),
      request('count', { counted: 5, everywhere: true }),
    ];
  }

  test('each list is read once, and no table from one end to the other', async () => {
    const few = await receive(3);
    if (analysed) await batches.sql`vacuum (analyze)`;
    await apply(few.flatMap(requestsFor));
    const many = await receive(500);
    for (const count of [1, 64]) {
      plans.length = 0;
      const requests = many.splice(0, count).flatMap(requestsFor);
      const outcomes = await apply(requests);
      expect([...new Set(outcomes.map((outcome) => outcome?.status))]).toEqual(['applied', 'refused']);
      expect(plans.some(({ text }) => text.includes('with claimed as'))).toBe(true);
      const waste = plans.flatMap(({ text, plan }) =>
        nodesOf(plan)
          .filter(isWaste)
          .map(({ Plans: _, ...node }) => ({ text, ...node })),
      );
      expect(waste).toEqual([]);
    }
  });
});
