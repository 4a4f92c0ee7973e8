import { toldLengthMax } from '@inventory/api/batch/answer-room';
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

const bodiesOf = ({ body }: ApiAnswer) => body.results.map((each: { body?: object }) => each.body);
const send = (client: ApiClient, mode: string, operations: unknown[]) =>
  client.post('/Inventory/Batch', { mode, operations });

describe('POST /Inventory/Batch with large answers', () => {
  test('409, atomic: what repeats a key more often than one answer has room for; in parts it is applied, once', async () => {
    const client = await service.client();
    const { itemID, move } = await largeMove(client);
    const all = await send(client, 'atomic', Array(repeats).fill(move));
    expect(all.status).toBe(409);
    const refused = all.body.results.find(({ status }: { status: string }) => status === 'refused');
    expect(refused.error.message).toBe(
      'Too many lots: of earlier sends and of repeated keys one batch answers at most 6 MiB. Send it in parts.',
    );
    expect(await movesOf(itemID)).toBe(0);
    const part = await send(client, 'atomic', Array(repeats / 2).fill(move));
    expect(outcomesOf(part.body)).toEqual(Array(repeats / 2).fill('applied 200'));
    expect(new Set(part.body.results.map(({ replayed }: { replayed: boolean }) => replayed))).toEqual(
      new Set([false, true]),
    );
    expect(await inStock(service, itemID)).toBe(lotCount);
    expect(await movesOf(itemID)).toBe(1);
  });

  test('409, atomic: where earlier sends had applied them, and with a malformed operation; that is told within bounds', async () => {
    const client = await service.client();
    const { move } = await largeMove(client);
    const first = await send(client, 'each', [move]);
    const { transactionNo } = first.body.results[0].body;
    const again = await send(client, 'atomic', Array(repeats).fill(move));
    expect(again.status).toBe(409);
    expect(outcomesOf(again.body).filter((each) => each === 'refused 409')).toHaveLength(1);
    const malformed = await send(client, 'atomic', [...Array(repeats).fill(move), { op: 'move' }]);
    expect(malformed.status).toBe(409);
    for (const answer of [again, malformed]) {
      expect(answer.text.length).toBeLessThan(textMax);
      expect(outcomesOf(answer.body).filter((each) => each === 'applied 200').length).toBeGreaterThan(30);
      expect(bodiesOf(answer)[0]).toEqual(first.body.results[0].body);
      expect(bodiesOf(answer)[repeats - 1]).toEqual({ transactionNo, leftOut: true });
    }
  });

  test('200, each: a key again and again; what has no room in the answer is applied, and its transactionNo told', async () => {
    const client = await service.client();
    const { itemID, move } = await largeMove(client);
    const { text, body } = await send(client, 'each', Array(repeats).fill(move));
    expect(outcomesOf(body)).toEqual(Array(repeats).fill('applied 200'));
    expect(text.length).toBeLessThan(2 * textMax);
    const { transactionNo } = body.results[0].body;
    expect(body.results[0].body.lots).toHaveLength(lotCount);
    expect(body.results.at(-1)).toMatchObject({ replayed: true, body: { transactionNo, leftOut: true } });
    const alone = await send(client, 'each', [move]);
    expect(alone.body.results[0].body).toEqual(body.results[0].body);
    expect(await inStock(service, itemID)).toBe(lotCount);
  });
});
