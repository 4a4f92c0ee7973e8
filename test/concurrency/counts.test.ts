import { tryOutTogether } from '@inventory/db/batch/dry-run';
import { readOriginals } from '@inventory/db/requests/subjects';
import type { SingleRequest } from '@inventory/domain/kinds/kinds';
import type { Queued } from '@inventory/domain/request';
import { connect, type Sql, type Tx } from '@inventory/postgres/pool';
import { describe, expect, test } from 'vitest';
import { atomicOf, receiveLots, useBatches } from '../harness/queue/batches.ts';

const batches = useBatches();

/** A request that has not been sent: its body and its id. */
type Asked = Queued<SingleRequest>;

/** An item with this many lots of one unit at `Q`, all of them on hold. */
async function heldLots(count: number): Promise<{ itemID: string; recNos: number[] }> {
  const { itemID, recNos } = await receiveLots(batches, count, { spot: 'Q' });
  // The same change as the command makes, lot by lot.
  await batches.sql.begin(async (tx) => {
    await tx`update lot set hold = true, hold_reason = 'recall' where rec_no = any(${recNos})`;
    await tx`
      update stock_level
      set on_hold = ${count}
      from item
      where item.part_no = stock_level.part_no and short_id = ${itemID} and wid = 1`;
  });
  return { itemID, recNos };
}

describe('a count of a place with more lots on hold than are read', () => {
  const tooMany = expect.stringContaining('Too many lots');

  /** Takes some units from the place, then counts the rest plus two. */
  async function movesAndCount(lots: number, moves: number) {
    const { itemID, recNos } = await heldLots(lots);
    const move = (recno: number) => batches.request('move', { itemID, wid: 1, units: 1, recno, toSpot: 'R' });
    const count = batches.request('count', { itemID, wid: 1, spot: 'Q', counted: lots - moves + 2 });
    const requests: Asked[] = [...recNos.slice(0, moves).map(move), count];
    const inStock = async () => {
      const [row] = await batches.sql`
        select sum(lot.units)::integer as units
        from lot
        join item using (part_no)
        where short_id = ${itemID}`;
      return row!.units as number;
    };
    return { requests, inStock };
  }

  test('refused: too many lots, even after the same batch moved one of those it had read', async () => {
    const { requests, inStock } = await movesAndCount(1003, 1);
    const outcomes = await batches.worker().apply(requests);
    expect(outcomes).toMatchObject([{ status: 'applied' }, { status: 'refused', result: tooMany }]);
    expect(await inStock()).toBe(1003);
  });

  test('refused: an atomic batch of a move and a count, as a dry run and for real', async () => {
    const { requests, inStock } = await movesAndCount(1003, 1);
    await expect(tryOutTogether(batches.sql, requests, batches.clientId, new Map())).resolves.toMatchObject({
      status: 'refused',
      refusal: { culprit: { index: 1, refusal: { message: tooMany } } },
    });
    const [outcome] = await batches.worker().apply([atomicOf(requests)]);
    expect(outcome).toMatchObject({ status: 'refused', result: tooMany });
    expect(await inStock()).toBe(1003);
  });

  test('applied: a count of as many lots as it may read, in the batch after the move of the others', async () => {
    const { requests, inStock } = await movesAndCount(1002, 2);
    const worker = batches.worker();
    const first = await worker.applyOnce(requests);
    expect(first.map((outcome) => outcome?.status)).toEqual(['applied', 'applied', undefined]);
    const [counted] = await worker.apply(requests.slice(-1));
    expect(JSON.parse(counted!.result!)).toMatchObject({ before: 1000, difference: 2 });
    expect(await inStock()).toBe(1004);
  });
});

test('one of two simultaneous counts on two workers finds what it expected; the other is judged against the result', async () => {
  const workers = [batches.worker(), batches.worker()] as const;
  const itemID = await batches.item();
  await workers[0].apply([batches.request('receive', { itemID, units: 100, wid: 1 })]);
  for (let units = 100; units > 80; units--) {
    const count = () => batches.request('count', { itemID, wid: 1, counted: units - 1, expected: units });
    const outcomes = await Promise.all(workers.map((worker) => worker.apply([count()])));
    expect(
      outcomes
        .flat()
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['applied', 'refused']);
  }
});

test('one of two simultaneous reversals on two workers is applied', async () => {
  const workers = [batches.worker(), batches.worker()] as const;
  const itemID = await batches.item();
  await workers[0].apply([batches.request('receive', { itemID, units: 100, wid: 1 })]);
  for (let round = 0; round < 20; round++) {
    const [issued] = await workers[0].apply([batches.request('issue', { itemID, units: 3, wid: 1 })]);
    const { transactionNo } = JSON.parse(issued!.result!);
    const of = { kind: 'issue' as const, itemID, wids: [1], lines: 1 };
    const reversal = () => ({ ...batches.request('reverse', {}), body: { transactionNo }, of });
    const outcomes = await Promise.all(workers.map((worker) => worker.apply([reversal()])));
    expect(
      outcomes
        .flat()
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['applied', 'refused']);
  }
});

test('finding the transaction to reverse costs the same however many lines it has', async () => {
  const worker = batches.worker();
  const lots = 200;
  const { itemID } = await receiveLots(batches, lots, { spot: 'A' }, worker);
  const move = (shipToWid: number) =>
    batches.request('move', { itemID, units: lots, wid: 3 - shipToWid, shipToWid });
  const moved = [...(await worker.apply([move(2)])), ...(await worker.apply([move(1)]))];
  const [counted] = await worker.apply([
    batches.request('count', { itemID, wid: 2, counted: 0, reasonCode: 1 }),
  ]);
  const [forth, back, nothing] = [...moved, counted!].map(
    ({ result }): number => JSON.parse(result!).transactionNo,
  );
  const sql = connect(batches.url, { name: 'originals', connectionsMax: 1, byKeys: true });
  try {
    const { originals, read } = await sql.begin(async (tx) => {
      const before = await linesRead(tx);
      const originals = await readOriginals(tx as unknown as Sql, [forth!, back!, nothing!]);
      return { originals, read: (await linesRead(tx)) - before };
    });
    expect(Object.fromEntries(originals)).toEqual({
      [forth!]: { kind: 'move', itemID, wids: [1, 2], lines: 2 * lots },
      [back!]: { kind: 'move', itemID, wids: [2, 1], lines: 2 * lots },
      [nothing!]: { kind: 'count', itemID, wids: [2], lines: 0 },
    });
    // The last line of each.
    expect(read).toBeLessThanOrEqual(2 * originals.size);
  } finally {
    await sql.end();
  }
});

/** The ledger lines and index entries that this database transaction has read. */
async function linesRead(tx: Tx): Promise<number> {
  const [row] = await tx<{ lines: number }[]>`
    select (
        pg_stat_get_xact_tuples_returned('stock_entry'::regclass) + pg_stat_get_xact_tuples_fetched('stock_entry'::regclass)
      )::bigint + (
        select sum(pg_stat_get_xact_tuples_returned(indexrelid))
        from pg_index
        where indrelid = 'stock_entry'::regclass
      )::bigint as lines`;
  return row!.lines;
}
