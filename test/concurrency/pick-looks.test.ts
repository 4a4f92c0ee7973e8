import { type PickLimits, pickKindsOf, readPickedLots, tallyLots } from '@inventory/db/batch/pick-statements';
import { readFacts } from '@inventory/db/batch/read-facts';
import { readsOf } from '@inventory/db/batch/read-picks';
import { readUntaken } from '@inventory/db/batch/untaken-stock';
import { connect, type Sql, type Tx } from '@inventory/db/pool';
import type { LotFilter } from '@inventory/domain/stock/lot-filter';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../harness/database.ts';
import { type Looked, lookedAt } from '../harness/lots-looked-at.ts';
import { days, fillShared, marksOf, shared } from '../harness/shared-marks.ts';

// Where what Postgres believes of the table is wrong in each way there is, and by every two fields.
const lots = 30_000;
const limits: PickLimits = { lots: 16, looks: 160 };

let database: TestDatabase;
let partNo: number;
const connections: Sql[] = [];

beforeAll(async () => {
  database = await createDatabase();
  const { sql } = database;
  await sql`insert into warehouse (wid, name) values (1, 'Main')`;
  await sql`insert into item (short_id, created_by) values ('SHARED', 'tests')`;
  await sql`alter table lot set (autovacuum_enabled = off)`;
  const [item] = await sql<{ part_no: number }[]>`select part_no from item`;
  partNo = item!.part_no;
}, 600_000);

afterAll(async () => {
  for (const each of connections) await each.end();
  await database?.drop();
});

/** A connection as a batch has it. */
function open(): Sql {
  const sql = connect(database.url, { name: 'looks', connectionsMax: 1, byKeys: true });
  connections.push(sql);
  return sql;
}

const [even, odd] = [marksOf(lots), marksOf(lots - 1)];
const at = days.map((day) => Date.parse(day));
/** The values of each field: that of half of the lots, that of one, that of none. */
const values = {
  rfidTag: [shared.even.rfidTag, odd.rfidTag, ''],
  serial: [shared.odd.serial, even.serial, ''],
  serial2: [shared.even.serial2, odd.serial2, ''],
  spot: [shared.odd.spot, even.spot, ''],
  received: [at[0]!, at[1]! + lots - 1, 0].map(
    (from, index) => [from, from + (index === 0 ? 86_400_000 : 1)] as const,
  ),
  notAtSpot: [shared.odd.spot],
} satisfies { [Field in keyof LotFilter]?: readonly LotFilter[Field][] };

/** Each field alone, every two with every value, and none. */
function allFilters(): Partial<LotFilter>[] {
  const single = Object.entries(values).flatMap(([field, each]) => each.map((value) => ({ [field]: value })));
  const pairs = single.flatMap((one, index) =>
    single.slice(index + 1).flatMap((other) => {
      const both = { ...one, ...other };
      return Object.keys(both).length === 2 ? [both] : [];
    }),
  );
  return [{}, ...single, ...pairs];
}

const pickOf = (filters: Partial<LotFilter>, expiredToo: boolean): LotFilter => ({
  ...{ partNo, wid: 1, spotField: 'spot', expiredToo, heldToo: false },
  ...filters,
});

/** Everything that a batch asks about picks, each in a transaction of its own: what looked at too much. */
async function tooMuch(sql: Sql): Promise<unknown[]> {
  const found: unknown[] = [];
  const look = async (what: object, rowsMax: number, work: (tx: Tx) => Promise<unknown>) => {
    const { rows, pages } = (await sql.begin(async (tx) => {
      await readFacts(tx, [], []);
      return lookedAt(tx, () => work(tx));
    })) as Looked;
    // One page of the table for each, and some of the index, whose pages hold fifty and more. A few rows are
    // looked at to make a plan.
    if (rows > rowsMax + 10 || pages > rowsMax * 1.2 + 60) found.push({ ...what, rows, pages });
  };
  for (const filters of allFilters()) {
    const pick = pickOf(filters, 'received' in filters || 'notAtSpot' in filters);
    const held = Object.keys(filters).every((field) => field === 'spot' || field === 'serial');
    for (const read of readsOf('', pick, held)) {
      for (const kind of read.kinds) {
        const what = { filters, kind, isHeld: read.isHeld };
        await look(what, limits.looks, (tx) => readPickedLots(tx, [{ ...read, kind }], limits, null));
      }
    }
    const [kind] = pickKindsOf(pick);
    await look({ filters, tally: kind }, 501, (tx) =>
      tallyLots(tx, { pick, kind: kind!, isHeld: false }, 10n ** 15n, 500, new Date()),
    );
    // For one pick as many as for some; then the more of them, the fewer for each.
    for (const [count, looks] of [
      [6, 18_000],
      [66, 19_800],
      [500, 15_000],
    ] as const) {
      const picks = Array.from({ length: count }, () => pick);
      await look({ filters, untaken: count }, looks, (tx) => readUntaken(tx, picks, new Date()));
    }
  }
  return found;
}

// In their order: each leaves the table to the next one.
test('bounded: by plans that were made while the table was empty, and where it was never analysed', async () => {
  const early = open();
  await tooMuch(early);
  await fillShared(database.sql, 'SHARED', lots);
  expect(await tooMuch(early)).toEqual([]);
  expect(await tooMuch(open())).toEqual([]);
});

test('bounded: where it was analysed while it had a few lots, whether planned then or now', async () => {
  const { sql } = database;
  await sql.unsafe(
    'set session_replication_role = replica; truncate lot, stock_entry; reset session_replication_role',
  );
  await fillShared(sql, 'SHARED', 100);
  await sql`analyze lot`;
  const early = open();
  await tooMuch(early);
  await fillShared(sql, 'SHARED', lots);
  expect(await tooMuch(early)).toEqual([]);
  expect(await tooMuch(open())).toEqual([]);
});

test('bounded: where it is clustered by item, analysed, and half of it shares its marks', async () => {
  const { sql } = database;
  await sql`cluster lot using lot_item_idx`;
  await sql`vacuum (analyze) lot`;
  expect(await tooMuch(open())).toEqual([]);
});

test('bounded: where hold or expiry keeps all of it from being taken', async () => {
  const { sql } = database;
  await sql`update lot set hold = true where rec_no % 4 < 2`;
  await sql`update lot set expires = '2020-01-01' where rec_no % 4 >= 2`;
  await sql`vacuum (analyze) lot`;
  expect(await tooMuch(open())).toEqual([]);
});
