import { tryOutTogether } from '@inventory/db/batch/dry-run';
import type { SingleRequest } from '@inventory/domain/kinds/kinds';
import type { Sql } from '@inventory/postgres/pool';
import { beforeAll, expect, test } from 'vitest';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName } from '../harness/service/service.ts';
import { useProbedApi } from '../harness/service/use-probed-api.ts';
import { issueOf } from '../harness/stock/operations.ts';

const { service, api } = useProbedApi();
let client: ApiClient;

beforeAll(async () => {
  client = await service.client({ baseUrl: api.baseUrl, operationsPerMinute: 10_000_000 });
});

/**
 * Expects that enough of some rounds do no more than this part of a batch's work at one stretch: by the
 * processor's time, of which other programs on the machine take none; and not all, for garbage is collected
 * when it is.
 */
async function expectStretches(
  body: object,
  { most, enough, rounds }: { most: number; enough: number; rounds: number },
  status?: number,
  path = '/Inventory/Batch',
) {
  const text = JSON.stringify(body);
  const headers = { Authorization: `Bearer ${client.token}`, 'Content-Type': 'application/json' };
  const shares: number[] = [];
  const count = (isShort: boolean) => shares.filter((share) => share <= most === isShort).length;
  while (count(true) < enough) {
    await api.measure();
    const answer = await fetch(`${api.baseUrl}${path}`, { method: 'POST', body: text, headers });
    expect((await answer.text()).length).toBeGreaterThan(10_000);
    if (status !== undefined) expect(answer.status).toBe(status);
    const { stretchMs, workedMs } = await api.measure();
    shares.push(stretchMs / workedMs);
    expect(count(false), `at one stretch: ${shares}`).toBeLessThanOrEqual(rounds - enough);
  }
}

// A tenth to a fifth is seen, and most of it where nobody is let in between.
const few = { most: 0.45, enough: 3, rounds: 5 };
const wrong = { op: 'receive', itemID: 'X', units: -1, wid: 1, reasonCode: 1 };
const more = <Value>(count: number, value: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => value(index));

test.each([
  ['long texts', { ...wrong, remark: 'x'.repeat(1900) }],
  ['many fields', { ...wrong, ...Object.fromEntries(more(150, (index) => [`f${index}`, index])) }],
  ['many numbers', { ...wrong, numbers: more(300, (index) => 10_000 + index) }],
])('a batch of nearly 1 MiB is read, judged and answered in stretches: %s', async (_, operation) => {
  for (const mode of ['each', 'atomic']) {
    const body = { mode, operations: more(500, () => operation) };
    await expectStretches(body, few);
  }
});

test('500 codes that name twenty lots each are found and answered in stretches', async () => {
  const itemID = await service.item();
  const operations = more(500, (index) => ({
    ...{ op: 'receive', itemID, units: 1, wid: 1, reasonCode: 1, serial: `SHARED-${index % 25}` },
  }));
  expect((await client.post('/Inventory/Batch', { mode: 'atomic', operations })).status).toBe(200);
  const scans = more(500, (index) => ({ data: `SHARED-${index % 25}` }));
  await expectStretches({ scans }, few, 200, '/Scan');
});

// Here there is much to do beside it: a tenth to a fifth is seen in most rounds, a third in those that
// collect garbage, and a third in nearly all where the lots are decided at one stretch.
const fewOfTrial = { most: 0.2, enough: 3, rounds: 11 };

/** Adds so many lots of ten units to each spot, in turns, with their gate and ledger. */
async function addLots(itemID: string, spots: readonly string[], lotsAt: readonly number[]) {
  await service.sql`
    with place as (
      select * from unnest(${spots as string[]}::text[], ${lotsAt as number[]}::integer[]) as place (spot, lots)
    ), gate as (
      insert into stock_level (part_no, wid, in_stock, used)
      select part_no, 1, (select 10 * sum(lots) from place), true from item where short_id = ${itemID}
      returning part_no
    ), made as (
      insert into lot (part_no, wid, spot, units, received, modified)
      select part_no, 1, spot, 10, now(), now()
      from gate, place, generate_series(1, lots) as nth
      order by spot, nth
      returning rec_no, part_no, spot
    ), received as (
      insert into stock_transaction (request_id, client_id, kind, body, status, result)
      values (gen_random_uuid(), 'tests', 'receive', '{}', 'applied', '{}')
      returning transaction_no
    )
    insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta, balance)
    select transaction_no, row_number() over (order by rec_no), rec_no, part_no, 1, spot, 10, 10
    from received, made`;
  // Else Postgres has plans for a table that was empty, and takes seconds.
  await service.sql`analyze lot`;
}

test.each([
  ['that pass over all lots of each place before', 200, () => 11],
  ['of an item with 20,000 lots', 409, (spot: number) => (spot < 64 ? 250 : 16)],
])(
  'an atomic batch is tried out in stretches: 500 issues from 500 places %s',
  async (_, answered, lotsAt) => {
    const stocked = await service.item();
    const spots = more(500, (index) => `S-${index}`);
    await addLots(stocked, spots, more(500, lotsAt));
    const operations = spots.map((spot) => issueOf(stocked, 1, { spot }));
    const body = { mode: 'atomic', dryRun: true, operations };
    await expectStretches(body, fewOfTrial, answered);
  },
);

/** How many statements have read the ledger while this was under way, over this pool. */
async function ledgerReads(sql: Sql, work: () => Promise<unknown>): Promise<number> {
  const options = sql.options as { debug?: unknown };
  let count = 0;
  options.debug = (_: number, text: string) => {
    if (text.includes('join stock_entry on')) count += 1;
  };
  await work();
  options.debug = undefined;
  return count;
}

test('what reversals undo is read in stretches when they are tried out: 2,000 lines of the ledger at a time', async () => {
  const moved = await service.item();
  await addLots(moved, ['A'], [2002]);
  const numbers: number[] = [];
  for (const units of [10_000, 10, 10, 10_000]) {
    const move = { itemID: moved, units, wid: 1, shipToWid: 2, spot: 'A', shipToSpot: 'B', reasonCode: 1 };
    const headers = { 'Idempotency-Key': uniqueName('move') };
    const { status, text, body } = await client.post('/Inventory/Move', move, headers);
    expect(status, text.slice(0, 300)).toBe(200);
    numbers.push(body.transactionNo);
  }
  const undone = numbers.map((transactionNo, index): SingleRequest => {
    const of = { kind: 'move' as const, itemID: moved, wids: [1, 2], lines: index % 3 === 0 ? 2000 : 2 };
    return { kind: 'reverse', body: { transactionNo }, of };
  });
  const tried = (requests: readonly SingleRequest[]) => async () => {
    const trial = await tryOutTogether(service.sql, requests, 'client', new Map());
    expect(trial).toMatchObject({ status: 'applied', texts: requests.map(() => expect.any(String)) });
  };
  expect(await ledgerReads(service.sql, tried(undone.slice(0, 3)))).toBe(2);
  expect(await ledgerReads(service.sql, tried(undone.slice(1, 3)))).toBe(1);
});
