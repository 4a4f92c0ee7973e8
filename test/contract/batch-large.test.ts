import { toldLengthMax } from '@inventory/domain/stock/answers';
import { describe, expect, test } from 'vitest';
import type { ApiAnswer, ApiClient } from '../harness/api-client.ts';
import { inStock, outcomesOf, receiveOf } from '../harness/operations.ts';
import { uniqueName, useService } from '../harness/service.ts';

const service = useService();
// JSON has six characters for each.
const spot = '\u0001'.repeat(100);
const lotCount = 300;
// Together more than one batch answers; each has some 200,000 characters.
const repeats = 40;
// The largest answer, and all that is small.
const textMax = toldLengthMax + 500_000;

/** An item of many lots, and an operation that moves them all, with a key. */
async function largeMove(client: ApiClient) {
  const itemID = await service.item();
  const receipts = Array(lotCount).fill(receiveOf(itemID, 1, { spot: 'A' }));
  await client.post('/Inventory/Batch', { mode: 'atomic', operations: receipts });
  const key = uniqueName('large');
  return { itemID, move: { op: 'move', key, itemID, units: lotCount, wid: 1, shipToWid: 2, toSpot: spot } };
}

async function movesOf(itemID: string): Promise<number> {
  const [row] = await service.sql<{ moves: number }[]>`
    select count(*) as moves
    from stock_transaction
    where kind = 'move' and status = 'applied' and body->>'itemID' = ${itemID}`;
  return row!.moves;
}

const receiptOf = (itemID: string) => ({ itemID, units: 1, wid: 1, reasonCode: 1 });
const bodiesOf = ({ body }: ApiAnswer) => body.results.map((each: { body?: object }) => each.body);
const send = (client: ApiClient, mode: string, operations: unknown[]) =>
  client.post('/Inventory/Batch', { mode, operations });

describe('POST /Inventory/Batch with large answers', () => {
  test('200, atomic: a key again and again, and the same list once more; what has no room is applied, and its transactionNo told', async () => {
    const client = await service.client();
    const { itemID, move } = await largeMove(client);
    const first = await send(client, 'atomic', Array(repeats).fill(move));
    expect(outcomesOf(first.body)).toEqual(Array(repeats).fill('applied 200'));
    // It is told whole where it is new; then those that repeat it have their room.
    expect(first.text.length).toBeLessThan(textMax + 300_000);
    const { transactionNo, lots } = first.body.results[0].body;
    expect(lots).toHaveLength(lotCount);
    expect(bodiesOf(first)[1]).toEqual(first.body.results[0].body);
    expect(bodiesOf(first).at(-1)).toEqual({ transactionNo, leftOut: true, dryRun: false });
    const again = await send(client, 'atomic', Array(repeats).fill(move));
    expect(outcomesOf(again.body)).toEqual(Array(repeats).fill('applied 200'));
    expect(again.text.length).toBeLessThan(textMax);
    expect(again.body.results.map(({ replayed }: { replayed: boolean }) => replayed)).not.toContain(false);
    expect(bodiesOf(again)[0]).toEqual(first.body.results[0].body);
    expect(bodiesOf(again).at(-1)).toEqual({ transactionNo, leftOut: true, dryRun: false });
    expect(await inStock(service, itemID)).toBe(lotCount);
    expect(await movesOf(itemID)).toBe(1);
  });

  test('200, atomic: a list of large answers under a key of its own is told again as it was', async () => {
    const client = await service.client();
    const { move } = await largeMove(client);
    const list = { mode: 'atomic', operations: [receiveOf(move.itemID, 1), ...Array(repeats).fill(move)] };
    const key = { 'Idempotency-Key': uniqueName('list') };
    const first = await client.post('/Inventory/Batch', list, key);
    const again = await client.post('/Inventory/Batch', list, key);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(bodiesOf(again)).toEqual(bodiesOf(first));
  });

  test('409, atomic, within bounds: a malformed operation beside large ones that earlier sends had applied', async () => {
    const client = await service.client();
    const { move } = await largeMove(client);
    const first = await send(client, 'each', [move]);
    const { transactionNo } = first.body.results[0].body;
    const malformed = await send(client, 'atomic', [...Array(repeats).fill(move), { op: 'move' }]);
    expect(malformed.status).toBe(409);
    expect(malformed.text.length).toBeLessThan(textMax);
    expect(outcomesOf(malformed.body)).toEqual([...Array(repeats).fill('applied 200'), 'refused 400']);
    expect(bodiesOf(malformed)[0]).toEqual(first.body.results[0].body);
    expect(bodiesOf(malformed)[repeats - 1]).toEqual({ transactionNo, leftOut: true, dryRun: false });
  });

  test('200, each: a key again and again; what has no room in the answer is applied, and its transactionNo told', async () => {
    const client = await service.client();
    const { itemID, move } = await largeMove(client);
    const { text, body } = await send(client, 'each', Array(repeats).fill(move));
    expect(outcomesOf(body)).toEqual(Array(repeats).fill('applied 200'));
    expect(text.length).toBeLessThan(2 * textMax);
    const { transactionNo } = body.results[0].body;
    expect(body.results[0].body.lots).toHaveLength(lotCount);
    expect(body.results.at(-1)).toMatchObject({
      replayed: true,
      body: { transactionNo, leftOut: true, dryRun: false },
    });
    const alone = await send(client, 'each', [move]);
    expect(alone.body.results[0].body).toEqual(body.results[0].body);
    expect(await inStock(service, itemID)).toBe(lotCount);
  });

  test('200, each: a list whose answers are a hundred and more MiB, sent again; others are answered meanwhile', async () => {
    const [client, other] = await Promise.all([service.client(), service.client()]);
    const items = await Promise.all(Array.from({ length: 8 }, () => service.item()));
    const filled = await send(
      client,
      'each',
      items.map((itemID) => receiveOf(itemID, 32)),
    );
    expect(filled.body.summary.applied).toBe(items.length);
    const moves = items.flatMap((itemID) =>
      Array.from({ length: 32 }, () => ({
        ...{ op: 'move', key: uniqueName('large'), itemID, units: 1, wid: 1, shipToWid: 2, toSpot: 'B' },
      })),
    );
    const applied = Array(moves.length).fill('applied 200');
    await expect
      .poll(async () => outcomesOf((await send(client, 'each', moves)).body), { interval: 500 })
      .toEqual(applied);
    // As those of moves of 1,000 lots are.
    await service.sql.unsafe(`
      set session_replication_role = replica;
      update stock_transaction
      set result = (split_part(result::text, '"lots":', 1) || '"lots":[' || (
        select string_agg('{"recNo":' || place || ',"fromRecNo":' || place || ',"units":1,"remaining":1,"wID":1,"spot":"' || repeat('\\u0001', 96) || '"}', ',')
        from generate_series(100000, 100999) as place
      ) || '],"dryRun":false}')::json
      where kind = 'move' and body->>'itemID' in (${items.map((itemID) => `'${itemID}'`).join(', ')});
      set session_replication_role = origin`);
    for (let count = 0; count < 3; count++) {
      const [again, ...beside] = await Promise.all([
        send(client, 'each', moves),
        ...Array.from({ length: 10 }, () => other.post('/Inventory/Receive', receiptOf(items[0]!))),
      ]);
      expect(again.status, again.text.slice(0, 500)).toBe(200);
      expect(outcomesOf(again.body)).toEqual(applied);
      expect(again.text.length).toBeLessThan(textMax);
      expect(bodiesOf(again).filter((body: { lots?: unknown[] }) => body.lots?.length === 1000)).toHaveLength(
        3,
      );
      expect(beside.map(({ status }) => status)).toEqual(Array(10).fill(201));
    }
  });
});
