import { type PickKind, type PickWay, pickStatement } from '@inventory/db/batch/picks/pick-statements';
import { readFacts } from '@inventory/db/batch/read-facts';
import { connect, type Sql, type Tx } from '@inventory/db/postgres/pool';
import type { LotFilter } from '@inventory/domain/stock/lot-filter';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { fillLargeStock, largeItem, largeItemLot } from '../harness/stock/large-stock.ts';

// A million lots, a tenth of them of one item in one warehouse, clustered by item and analysed: here a plan
// that reads all lots of an item looks cheapest.
let database: TestDatabase;
let worker: Sql;
let partNo: number;

beforeAll(async () => {
  database = await createDatabase();
  ({ partNo } = await fillLargeStock(database.sql));
  worker = connect(database.url, { name: 'plans', connectionsMax: 1, byKeys: true });
}, 600_000);

afterAll(async () => {
  await worker?.end();
  await database?.drop();
});

const last = largeItemLot(largeItem.lots - 1);
const issue = (filters: Partial<LotFilter>): LotFilter => ({
  ...{ partNo, wid: largeItem.wid, spotField: 'spot', expiredToo: false, heldToo: false },
  ...filters,
});

/** Each kind with its index, picking the lots of the large item that are last in the order. */
const kinds: Record<Exclude<PickKind, 'recNo'>, { index: string; filters: Partial<LotFilter> }> = {
  rfidTag: { index: 'lot_pick_rfid_idx', filters: { rfidTag: last.rfidTag } },
  serial: { index: 'lot_pick_serial_idx', filters: { serial: last.serial } },
  serial2: { index: 'lot_pick_serial2_idx', filters: { serial2: last.serial2 } },
  spot: { index: 'lot_spot_wid_idx', filters: { spot: largeItem.rareSpot } },
  noSpot: { index: 'lot_pick_no_spot_idx', filters: { spot: '' } },
  received: { index: 'lot_item_idx', filters: { received: [0, 1000] } },
  any: { index: 'lot_pick_any_idx', filters: {} },
};
const limits = [16, 256, 1001];

describe.each(Object.entries(kinds))('a pick by %s', (kind, { index, filters }) => {
  const way: PickWay = { kind: kind as PickKind, isHeld: false, isExact: kind !== 'received' };

  test.each(limits)('uses its own index without a sort when %i lots are read', async (limit) => {
    const scans = await inBatch(async (tx) => {
      const limits = { lots: limit, looks: limit };
      const { string } = await pickStatement(tx, way, [issue(filters)], limits, null).describe();
      const [row] = await tx.unsafe(`explain (generic_plan, format json) ${string}`);
      return nodesOf(row!['QUERY PLAN'][0].Plan);
    });
    const onLots = scans.filter((node) => node['Relation Name'] === 'lot');
    // Once for the lots that have not expired, once for those that have.
    expect(onLots.map((node) => [node['Node Type'], node['Index Name']])).toEqual(
      Array(kind === 'received' ? 1 : 2).fill(['Index Scan', index]),
    );
    const sorts = scans.filter((node) => /Sort/.test(String(node['Node Type'])));
    expect(sorts).toHaveLength(kind === 'received' ? 1 : 0);
  });

  test('reads as few pages beside 100,000 lots of the item as beside a few', async () => {
    const picks = Array.from({ length: 16 }, () => issue(filters));
    const pages = await inBatch(async (tx) => {
      const statement = pickStatement(tx, way, picks, { lots: 16, looks: 160 }, null);
      const { string } = await statement.describe();
      const { args } = statement as unknown as { args: never[] };
      const [row] = await tx.unsafe(`explain (analyze, buffers, format json) ${string}`, args);
      const plan = row!['QUERY PLAN'][0].Plan;
      return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    });
    // Four or five pages of the index and one of the table for each lot found, and as many again where none
    // is.
    expect(pages / picks.length).toBeLessThan(64);
  });
});

test.each([
  ['spot', 'lot_spot_wid_idx'],
  ['serial', 'lot_held_of_serial_idx'],
  ['any', 'lot_held_any_idx'],
] as const)(
  'a count by %s reads only the lots on hold there, whatever else of the item is on hold',
  async (kind, index) => {
    const count = issue({ spot: last.spot, serial: last.serial, expiredToo: true, heldToo: true });
    const way: PickWay = { kind, isHeld: true, isExact: false };
    const scans = await inBatch(async (tx) => {
      const limits = { lots: 1001, looks: 10_000 };
      const { string } = await pickStatement(tx, way, [count], limits, null).describe();
      const [row] = await tx.unsafe(`explain (generic_plan, format json) ${string}`);
      return nodesOf(row!['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === 'lot');
    });
    expect(scans.map((node) => [node['Node Type'], node['Index Name']])).toEqual(
      Array(2).fill(['Index Scan', index]),
    );
  },
);

type Node = Record<string, unknown> & { Plans?: Node[] };

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Runs `work` with the settings of a batch. */
function inBatch<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return worker.begin(async (tx) => {
    await readFacts(tx, [], []);
    return work(tx);
  }) as Promise<T>;
}
