import {
  type PickLimits,
  pickKindsOf,
  readPickedLots,
  tallyLots,
} from '@inventory/db/batch/picks/pick-statements';
import { readsOf } from '@inventory/db/batch/picks/read-picks';
import { readUntaken } from '@inventory/db/batch/picks/untaken-stock';
import { readFacts } from '@inventory/db/batch/read-facts';
import type { LotFilter } from '@inventory/domain/stock/lot-filter';
import { connect, type Sql, type Tx } from '@inventory/postgres/pool';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { type Looked, lookedAt } from '../harness/stock/lots-looked-at.ts';
import { days, fillShared, marksOf, shared } from '../harness/stock/shared-marks.ts';

// Covers each way Postgres' statistics of the table can be wrong, with every pair of fields.
const lots = 30_000;
const limits: PickLimits = { lots: 16, looks: 160 };
// Of the later rounds of a batch.
const largerLimits: PickLimits[] = [256, 1001].map((count) => ({ lots: count, looks: count }));

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
});

afterAll(async () => {
  for (const each of connections) await each.end();
  await database?.drop();
});

/** A connection with the settings of a batch. */
function open(): Sql {
  const sql = connect(database.url, { name: 'looks', connectionsMax: 1, byKeys: true });
  connections.push(sql);
  return sql;
}

const [even, odd] = [marksOf(lots), marksOf(lots - 1)];
const at = days.map((day) => Date.parse(day));
/**
 * Three values of each field: one that half of the lots have, one that a single lot has, one that none has.
 */
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

/** No field and each field alone: every statement has its plan after these. */
const single: Partial<LotFilter>[] = [
  {},
  ...Object.entries(values).flatMap(([field, each]) => each.map((value) => ({ [field]: value }))),
];
/** Each pair of fields with every value. */
const pairs = single.flatMap((one, index) =>
  single.slice(index + 1).flatMap((other) => {
    const both = { ...one, ...other };
    return Object.keys(both).length === 2 ? [both] : [];
  }),
);

const pickOf = (filters: Partial<LotFilter>, expiredToo: boolean): LotFilter => ({
  ...{ partNo, wid: 1, spotField: 'spot', expiredToo, heldToo: false },
  ...filters,
});

/**
 * Runs every pick query of a batch, each in its own transaction, and returns those that looked at too much.
 */
async function tooMuch(
  sql: Sql,
  all = [...single, ...pairs],
  { lots, looks }: PickLimits = limits,
): Promise<unknown[]> {
  const found: unknown[] = [];
  const look = async (what: object, rowsMax: number, work: (tx: Tx) => Promise<unknown>) => {
    const { rows, pages } = (await sql.begin(async (tx) => {
      await readFacts(tx, [], []);
      return lookedAt(tx, () => work(tx));
    })) as Looked;
    // Each may read one page of the table, and some of the index, whose pages hold fifty and more entries.
    // Planning looks at a few rows.
    if (rows > rowsMax + 10 || pages > rowsMax * 1.2 + 60) found.push({ ...what, rows, pages });
  };
  for (const filters of all) {
    const pick = pickOf(filters, 'received' in filters || 'notAtSpot' in filters);
    const held = Object.keys(filters).every((field) => field === 'spot' || field === 'serial');
    for (const read of readsOf('', pick, held)) {
      for (const kind of read.kinds) {
        const what = { filters, kind, isHeld: read.isHeld };
        await look(what, looks, (tx) => readPickedLots(tx, [{ ...read, kind }], { lots, looks }, null));
      }
    }
    const [kind] = pickKindsOf(pick);
    await look({ filters, tally: kind }, 501, (tx) =>
      tallyLots(tx, { pick, kind: kind!, isHeld: false }, 10n ** 15n, 500, new Date()),
    );
    // These are found without a field. As many for one pick as for some; the more picks, the fewer for each.
    if (Object.keys(filters).length === 2) continue;
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

// In this order: each test leaves the table to the next.
test('bounded: with plans made while the table was empty, and never analysed', async () => {
  const early = open();
  await tooMuch(early, single);
  await fillShared(database.sql, 'SHARED', lots);
  expect(await tooMuch(early)).toEqual([]);
  expect(await tooMuch(open())).toEqual([]);
});

test('bounded: with statistics from when the table had a few lots, planned then or now', async () => {
  const { sql } = database;
  await sql.unsafe(
    'set session_replication_role = replica; truncate lot, stock_entry; reset session_replication_role',
  );
  await fillShared(sql, 'SHARED', 100);
  await sql`analyze lot`;
  const early = open();
  await tooMuch(early, single);
  await fillShared(sql, 'SHARED', lots);
  expect(await tooMuch(early)).toEqual([]);
  expect(await tooMuch(open())).toEqual([]);
});

test('bounded: clustered by item among lots of 1,000 other items, and analysed, however many lots are read', async () => {
  const { sql } = database;
  await sql`
    insert into item (short_id, created_by)
    select 'OTHER-' || n, 'tests' from generate_series(1, 1000) as n`;
  await sql`insert into stock_level (part_no, wid) select part_no, 1 from item where part_no <> ${partNo}`;
  await sql`
    insert into lot (part_no, wid, spot, units, received, modified)
    select part_no, 1, 'P-' || n, 1, now(), now()
    from item, generate_series(1, 20) as n
    where part_no <> ${partNo}`;
  await sql`cluster lot using lot_item_idx`;
  await sql`vacuum (analyze) lot`;
  expect(await tooMuch(open())).toEqual([]);
  for (const larger of largerLimits) expect(await tooMuch(open(), single, larger)).toEqual([]);
});

test('bounded: when hold or expiry blocks all of it', async () => {
  const { sql } = database;
  await sql`update lot set hold = true where part_no = ${partNo} and rec_no % 4 < 2`;
  await sql`update lot set expires = '2020-01-01' where part_no = ${partNo} and rec_no % 4 >= 2`;
  await sql`vacuum (analyze) lot`;
  expect(await tooMuch(open())).toEqual([]);
});
