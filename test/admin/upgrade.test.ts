import { randomUUID } from 'node:crypto';
import { applyBatch } from '@inventory/db/batch/apply-batch';
import { createBatchPool } from '@inventory/db/batch/batch-pool';
import { createPartNumbers } from '@inventory/db/batch/gates';
import { addClient } from '@inventory/db/clients';
import { listTransactions } from '@inventory/db/lists/list-transactions';
import { migrate } from '@inventory/db/migrate';
import { findImbalances } from '@inventory/db/operator/audit';
import type { Sql } from '@inventory/db/pool';
import { readOriginals } from '@inventory/db/requests/originals';
import type { Queued, SingleRequest } from '@inventory/domain/stock/request';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, noTables, type TestDatabase } from '../harness/database.ts';
import { allPermissions } from '../harness/service.ts';

// The tables of a database before lines had balances, and before transactions had their warehouses.
const beforeBalances = 18;
const beforeHistory = 19;

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await createDatabase(noTables);
  sql = database.sql;
  await migrate(sql, () => {}, { to: beforeBalances });
  await fill();
  await migrate(sql, () => {}, { to: beforeHistory });
  await countAndUndo();
  await migrate(sql);
});
afterAll(() => database?.drop());

type Line = [recNo: number, wid: number, spot: string, delta: string];
type Kept = { kind: string; body: object; status?: string; lines?: Line[] };

const body = (more: object) => ({ itemID: 'OLD-1', wid: 1, reasonCode: 0, ...more });

/** What happened before the update, in the order of the numbers; every lot ends as `lots` says. */
const happened: Kept[] = [
  { kind: 'receive', body: body({ units: 10.3, reference: 'PO-1' }), lines: [[1, 1, 'A', '10.3']] },
  { kind: 'issue', body: body({ units: 99 }), status: 'refused' },
  // A part to another warehouse, and the rest to another spot; named or not, that is the same warehouse.
  {
    kind: 'move',
    body: body({ units: 4.1, shipToWid: 2 }),
    lines: [
      [1, 1, 'A', '-4.1'],
      [2, 2, '', '4.1'],
    ],
  },
  {
    kind: 'move',
    body: body({ units: 6.2, shipToWid: 1, toSpot: 'B' }),
    lines: [
      [1, 1, 'A', '-6.2'],
      [1, 1, 'B', '6.2'],
    ],
  },
  { kind: 'hold', body: { recNo: 1, reason: 'inspection' } },
  { kind: 'release', body: { recNo: 1 } },
  {
    kind: 'issue',
    body: body({ units: 0.2, remark: 'sample' }),
    lines: [[1, 1, 'B', '-0.2']],
  },
  { kind: 'issue', body: body({ wid: 2, units: 4.1 }), lines: [[2, 2, '', '-4.1']] },
  { kind: 'receive', body: body({ itemID: 'OLD-2', wid: 3, units: 7 }), lines: [[3, 3, '', '7']] },
];
const lots = [
  { recNo: 1, item: 1, wid: 1, spot: 'B', units: '6.0' },
  { recNo: 2, item: 1, wid: 2, spot: '', units: '0' },
  { recNo: 3, item: 2, wid: 3, spot: '', units: '7' },
];

async function fill() {
  await sql`insert into warehouse (wid, name) values (1, 'Main'), (2, 'Overflow'), (3, 'Elsewhere')`;
  await sql`insert into item (short_id, created_by) values ('OLD-1', 'tests'), ('OLD-2', 'tests')`;
  for (const { recNo, item, wid, spot, units } of lots) {
    await sql`
      insert into stock_level (part_no, wid, in_stock, used)
      values ((select part_no from item where short_id = ${`OLD-${item}`}), ${wid}, ${units}, true)`;
    await sql`
      insert into lot (rec_no, part_no, wid, spot, units, received, shipped, active, modified)
      values (${recNo}, (select part_no from item where short_id = ${`OLD-${item}`}), ${wid}, ${spot}, ${units}, now(),
        case when ${units}::numeric = 0 then now() end, ${units}::numeric > 0, now())`;
  }
  await sql`select setval('lot_rec_no_seq', ${lots.length})`;
  for (const { kind, body, status = 'applied', lines = [] } of happened) {
    const [row] = await sql`
      insert into stock_transaction (request_id, client_id, kind, body, status, result)
      values (${randomUUID()}, 'scanner', ${kind}, ${JSON.stringify(body)}::text::json, ${status}, '{}')
      returning transaction_no`;
    for (const [index, [recNo, wid, spot, delta]] of lines.entries()) {
      await sql`
        insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta)
        select ${row!.transaction_no}, ${index + 1}, rec_no, part_no, ${wid}, ${spot}, ${delta}
        from lot
        where rec_no = ${recNo}`;
    }
  }
  await sql`insert into stock_transaction (request_id, status) values (${randomUUID()}, 'abandoned')`;
}

/** A count that found what was expected, so it has no lines, and its reversal. */
async function countAndUndo() {
  await sql`
    with counted as (
      insert into stock_transaction (request_id, client_id, kind, body, status, result)
      values (${randomUUID()}, 'scanner', 'count', ${JSON.stringify(body({ counted: 6 }))}::text::json, 'applied',
        '{"difference": 0}')
      returning transaction_no
    )
    insert into stock_transaction (request_id, client_id, kind, body, status, result, reverses)
    select ${randomUUID()}, 'scanner', 'reverse', json_build_object('transactionNo', transaction_no), 'applied', '{}',
      transaction_no
    from counted`;
}

async function history(scope: number[]) {
  const { totalCount, records } = await listTransactions(
    sql,
    { page: 1, pageSize: 25, sort: undefined, direction: 'asc', modifiedSince: undefined },
    scope,
    {},
  );
  return [
    totalCount,
    JSON.parse(`[${records}]`).map((each: { transactionNo: number }) => each.transactionNo),
  ];
}

test('levels, lots and ledger of a database from before agree after its update', async () => {
  expect(await findImbalances(sql)).toEqual([]);
});

test('every line that was there has the balance that its lot had', async () => {
  const lines = await sql`
    select transaction_no as no, line, rec_no, trim_scale(balance)::text as balance
    from stock_entry
    order by transaction_no, line`;
  expect(lines.map(({ no, line, rec_no, balance }) => [no, line, rec_no, balance])).toEqual([
    [1, 1, 1, '10.3'],
    [3, 1, 1, '6.2'],
    [3, 2, 2, '4.1'],
    [4, 1, 1, '0'],
    [4, 2, 1, '6.2'],
    [7, 1, 1, '6'],
    [8, 1, 2, '0'],
    [9, 1, 3, '7'],
  ]);
});

test('what was applied before is in the history of its warehouses, and nothing else is', async () => {
  const touched = await sql`
    select transaction_no as no, short_id, wid, to_wid
    from stock_transaction
    left join item using (part_no)
    order by transaction_no`;
  const none = [null, null, null];
  expect(touched.map(({ no, short_id, wid, to_wid }) => [no, short_id, wid, to_wid])).toEqual([
    [1, 'OLD-1', 1, null],
    [2, ...none],
    [3, 'OLD-1', 1, 2],
    [4, 'OLD-1', 1, null],
    [5, ...none],
    [6, ...none],
    [7, 'OLD-1', 1, null],
    [8, 'OLD-1', 2, null],
    [9, 'OLD-2', 3, null],
    [10, ...none],
    [11, 'OLD-1', 1, null],
    [12, 'OLD-1', 1, null],
  ]);
  expect(await history([1])).toEqual([6, [12, 11, 7, 4, 3, 1]]);
  expect(await history([2])).toEqual([2, [8, 3]]);
  expect(await history([1, 2])).toEqual([7, [12, 11, 8, 7, 4, 3, 1]]);
  expect(await history([1, 2, 3])).toEqual([8, [12, 11, 9, 8, 7, 4, 3, 1]]);
});

test('the ledger can be changed no more after an update than before it', async () => {
  const refused = /append-only/;
  await expect(sql`update stock_entry set balance = balance + 1 where line = 1`).rejects.toThrow(refused);
  await expect(sql`update stock_transaction set wid = 2 where transaction_no = 1`).rejects.toThrow(refused);
});

test('what was applied before the update can be undone after it', async () => {
  await addClient(sql, {
    clientId: 'scanner',
    permissions: allPermissions,
    wids: [1, 2],
    readOnly: false,
    rateLimit: null,
    secretDigest: Buffer.alloc(32),
  });
  const originals = await readOriginals(sql, [8, 3, 5]);
  expect(Object.fromEntries(originals)).toEqual({
    8: { kind: 'issue', itemID: 'OLD-1', wids: [2], lines: 1 },
    3: { kind: 'move', itemID: 'OLD-1', wids: [1, 2], lines: 2 },
  });
  const pool = createBatchPool(sql);
  const outcomes = [];
  for (const transactionNo of [8, 8]) {
    const request: Queued<SingleRequest> = {
      ...{ requestId: randomUUID(), clientId: 'scanner', deadline: Date.now() + 3_600_000 },
      ...{ kind: 'reverse', body: { transactionNo }, of: originals.get(transactionNo)! },
    };
    outcomes.push((await applyBatch(pool, [request], createPartNumbers())).get(request.requestId));
  }
  await pool.end({ timeout: 5 });
  expect(outcomes.map((outcome) => outcome?.status)).toEqual(['applied', 'refused']);
  expect(JSON.parse(outcomes[0]!.result!)).toMatchObject({
    reverses: 8,
    lots: [{ recNo: 2, units: 4.1, remaining: 4.1 }],
  });
  expect(await findImbalances(sql)).toEqual([]);
});
