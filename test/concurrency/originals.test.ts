import { connect, type Sql, type Tx } from '@inventory/db/postgres/pool';
import { readOriginals } from '@inventory/db/requests/originals';
import { expect, test } from 'vitest';
import { receiveLots, useBatches } from '../harness/queue/batches.ts';

const batches = useBatches();

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
