import { foldArrivals } from '@inventory/db/lists/fold-arrivals';
import { transactionPage } from '@inventory/db/lists/list-transactions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { expectInvariants } from '../harness/service/invariants.ts';
import { arriveTransactions } from '../harness/stock/arrive.ts';
import { chanceOf } from '../harness/stock/random-stock.ts';

const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const chance = chanceOf(seed);
const warehouses = 6;
let database: TestDatabase;

/**
 * Transactions of random warehouses, some between two, some of another kind, with gaps; counted as a batch
 * writes them, or by a recount.
 */
async function add(count: number, arrive: boolean) {
  const [last] = await database.sql<{ no: number }[]>`
    select coalesce(max(transaction_no), 0) as no from stock_transaction`;
  await database.sql`
    insert into stock_transaction (transaction_no, request_id, client_id, kind, body, status, result, at, part_no, wid, to_wid)
    select nextval('stock_transaction_no_seq') + n, gen_random_uuid(), 'tests', case when applied then 'count' else 'issue' end, '{}',
      case when applied then 'applied' else 'refused' end, '{"difference": 0}', now(), case when applied then 1 end, case when applied then wid end,
      case when applied and to_wid <> wid then to_wid end
    from (
      select n, random() < 0.8 as applied, 1 + floor(power(random(), 4) * ${warehouses})::integer as wid,
        case when random() < 0.3 then 1 + floor(random() * ${warehouses})::integer end as to_wid
      from generate_series(1, ${count}::integer) as n
    ) as chosen`;
  if (arrive) await arriveTransactions(database.sql, last!.no);
  await database.sql`select setval('stock_transaction_no_seq', (select max(transaction_no) + 700 from stock_transaction))`;
}

async function expectPages(what: string) {
  await expectInvariants(database.sql);
  for (let round = 0; round < 15; round++) {
    const scope = Array.from({ length: warehouses }, (_, index) => index + 1).filter(
      () => chance.upTo(3) === 0,
    );
    const pageSize = chance.of([1, 7, 25, 250]);
    const backwards = chance.upTo(2) === 0;
    const all = await database.sql<{ transaction_no: number }[]>`
      select transaction_no
      from stock_transaction
      where status = 'applied' and (wid = any(${scope}::integer[]) or to_wid = any(${scope}::integer[]))
      order by transaction_no desc`;
    const numbers = all.map((row) => row.transaction_no);
    if (backwards) numbers.reverse();
    const last = Math.max(1, Math.ceil(numbers.length / pageSize));
    for (const page of [1, 2, Math.ceil(last / 2), last, last + 1]) {
      const query = {
        page,
        pageSize,
        sort: backwards ? 'transactionNo' : undefined,
        direction: 'asc' as const,
      };
      const read = await transactionPage(query, scope, {}).read(database.sql);
      const place = `${what}, seed ${seed}, scope ${scope}, page ${page} of ${pageSize} ${backwards ? 'backwards' : ''}`;
      expect(read.totalCount, place).toBe(numbers.length);
      const shown = JSON.parse(`[${read.records}]`).map(
        (each: { transactionNo: number }) => each.transactionNo,
      );
      expect(shown, place).toEqual(numbers.slice((page - 1) * pageSize, page * pageSize));
    }
  }
}

beforeAll(async () => {
  database = await createDatabase();
  await database.sql`insert into item (short_id, created_by) values ('I', 'tests')`;
});
afterAll(() => database.drop());

test('the pages and totals of the history equal those of the whole list, for any set of warehouses', async () => {
  await expectPages('nothing');
  await add(9000, false);
  await database.sql`select recount_lists()`;
  await expectPages('counted anew');
  await add(3000, true);
  await expectPages('arrived');
  await foldArrivals(database.sql, 60_000);
  const [row] = await database.sql`select count(*) as waiting from list_arrival`;
  expect(row!.waiting).toBe(0);
  await add(500, true);
  await expectPages('folded, and more has arrived');
  await foldArrivals(database.sql, 60_000);
  await expectPages('folded again');
  // Another bucket of each tier: 262,144, 34 million and four thousand million numbers.
  await database.sql`select setval('stock_transaction_no_seq', 800000)`;
  await add(3000, true);
  await foldArrivals(database.sql, 60_000);
  await expectPages('in another bucket of tier 1');
  await database.sql`select setval('stock_transaction_no_seq', 100000000)`;
  await add(2000, true);
  await expectPages('in another bucket of tier 2, arrived');
  await foldArrivals(database.sql, 60_000);
  await database.sql`select setval('stock_transaction_no_seq', 100000000000)`;
  await add(3000, true);
  await foldArrivals(database.sql, 60_000);
  await expectPages('in another bucket of tier 3');
  await database.sql`select recount_lists()`;
  await expectPages('the same, counted anew');
}, 240_000);
