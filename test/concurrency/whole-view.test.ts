import { expect, test } from 'vitest';
import { meanwhile } from '../harness/meanwhile.ts';
import { useBatches } from '../harness/queue/batches.ts';

// Several workers at once, as when a shard passes from one to another: a single worker would never compete
// with itself.
const batches = useBatches();

test('20 of 20 units are seen, and issued at once, while moves shift the lots from spot to spot', async () => {
  const worker = batches.worker();
  const itemID = await batches.item();
  const apply = async (by: typeof worker, ...asked: Parameters<typeof batches.request>) => {
    const [outcome] = await by
      .apply([batches.request(...asked)])
      .catch((error: Error) => [{ status: 'failed', result: error.message }]);
    return outcome!;
  };
  const receive = (units: number, spot: string) => apply(worker, 'receive', { itemID, units, wid: 1, spot });
  await receive(10, 'A');
  await receive(10, 'B');
  let running = true;
  let moved = 0;
  const move = async (mover: typeof worker, turn: number) => {
    const body = { itemID, units: 1 + (turn % 7), wid: 1, toSpot: ['A', 'B', 'C'][turn % 3] };
    const { status } = await apply(mover, 'move', body);
    // At times too few are elsewhere, or none at all between an issue and the next receive.
    expect(['applied', 'refused']).toContain(status);
    if (status === 'applied') moved += 1;
  };
  const movers = meanwhile(
    Promise.all(
      Array.from({ length: 4 }, async (_, index) => {
        const mover = batches.worker();
        for (let turn = index; running; turn++) await move(mover, turn);
      }),
    ),
  );
  const seen: unknown[] = [];
  for (let turn = 0; turn < 30; turn++) {
    const [stock] = await batches.sql`
      select sum(units)::integer as units
      from lot
      where part_no = (select part_no from item where short_id = ${itemID})`;
    seen.push(stock!.units);
    const { status, result } = await apply(worker, 'issue', { itemID, units: 20, wid: 1 });
    seen.push(status === 'applied' ? JSON.parse(result!).units : result);
    await receive(20, 'A');
  }
  running = false;
  await movers;
  expect(seen).toEqual(Array(60).fill(20));
  expect(moved).toBeGreaterThan(20);
});
