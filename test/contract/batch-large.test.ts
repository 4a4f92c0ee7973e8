import { toldLengthMax } from '@inventory/domain/stock/left-out';
import { describe, expect } from 'vitest';
import { useStock } from '../harness/contract/item-stock.ts';
import type { ApiAnswer, ApiClient } from '../harness/service/api-client.ts';
import { uniqueName } from '../harness/service/service.ts';
import { applyLargeMoves, lotsOfLargeMove } from '../harness/stock/large-moves.ts';
import { outcomesOf, receiveOf } from '../harness/stock/operations.ts';

const { service, test: plain } = useStock();
// Together more than one batch answers; each answer has some 200,000 characters.
const moveCount = 40;
// The largest answer, plus all small ones.
const textMax = toldLengthMax + 500_000;

const test = plain.extend('moves', ({ client, itemID }) => {
  return applyLargeMoves(client, itemID, moveCount);
});

async function movesOf(itemID: string): Promise<number> {
  const [row] = await service.sql<{ moves: number }[]>`
    select count(*) as moves
    from stock_transaction
    where kind = 'move' and status = 'applied' and body->>'itemID' = ${itemID}`;
  return row!.moves;
}

/** The placeholder for a move's answer that has no room. */
async function leftOut(key: unknown) {
  const [row] = await service.sql<{ transaction_no: number }[]>`
    select transaction_no
    from idempotency_key
    join stock_transaction using (request_id)
    where key_digest = sha256(${key as string}::text::bytea)`;
  return { transactionNo: row!.transaction_no, leftOut: true, dryRun: false };
}

const bodiesOf = ({ body }: ApiAnswer) => body.results.map((each: { body?: object }) => each.body);
const send = (client: ApiClient, mode: string, operations: unknown[], headers?: Record<string, string>) =>
  client.post('/Inventory/Batch', { mode, operations }, headers);
const allApplied = Array(moveCount).fill('applied 200');

describe('POST /Inventory/Batch with large answers', () => {
  test('200, atomic: beyond the room only the transactionNo is told', async ({ stock, moves }) => {
    const { client, itemID } = stock;
    const first = await send(client, 'atomic', moves);
    expect(outcomesOf(first.body)).toEqual(allApplied);
    expect(first.text.length).toBeLessThan(textMax);
    expect(first.headers.get('Idempotent-Replayed')).toBe('true');
    expect(bodiesOf(first)[0].lots).toHaveLength(lotsOfLargeMove);
    expect(bodiesOf(first).at(-1)).toEqual(await leftOut(moves.at(-1)!.key));
    expect((await send(client, 'atomic', moves)).text).toBe(first.text);
    expect(await stock.units()).toBe(lotsOfLargeMove);
    expect(await movesOf(itemID)).toBe(moveCount);
  });

  test('200, atomic: a list with its own key is replayed as it was', async ({ client, itemID, moves }) => {
    const list = [receiveOf(itemID, 1), ...moves];
    const key = { 'Idempotency-Key': uniqueName('list') };
    const first = await send(client, 'atomic', list, key);
    const again = await send(client, 'atomic', list, key);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(bodiesOf(again)).toEqual(bodiesOf(first));
  });

  test('409, atomic, of bounded size: a malformed operation beside large ones', async ({ client, moves }) => {
    const first = await send(client, 'each', moves.slice(0, 1));
    const malformed = await send(client, 'atomic', [...moves, { op: 'move' }]);
    expect(malformed.status).toBe(409);
    expect(malformed.text.length).toBeLessThan(textMax);
    expect(outcomesOf(malformed.body)).toEqual([...allApplied, 'refused 400']);
    expect(bodiesOf(malformed)[0]).toEqual(bodiesOf(first)[0]);
    expect(bodiesOf(malformed)[moveCount - 1]).toEqual(await leftOut(moves.at(-1)!.key));
  });

  test('200, each: an answer that had no room comes when sent alone', async ({ client, stock, moves }) => {
    const { text, body } = await send(client, 'each', moves);
    expect(outcomesOf(body)).toEqual(allApplied);
    expect(text.length).toBeLessThan(textMax);
    const left = await leftOut(moves.at(-1)!.key);
    expect(body.results.at(-1)).toMatchObject({ replayed: true, body: left });
    const [alone] = bodiesOf(await send(client, 'each', moves.slice(-1)));
    expect(alone.transactionNo).toBe(left.transactionNo);
    expect(alone.lots).toHaveLength(lotsOfLargeMove);
    expect(await stock.units()).toBe(lotsOfLargeMove);
  });

  test('200, each: more than 100 MiB of answers; others are answered meanwhile', async ({ client }) => {
    const other = await service.client();
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
    // Like the answers of moves of 1,000 lots.
    await service.sql.unsafe(`
      set session_replication_role = replica;
      update stock_transaction
      set result = (split_part(result::text, '"lots":', 1) || '"lots":[' || (
        select string_agg('{"recNo":' || place || ',"fromRecNo":' || place || ',"units":1,"remaining":1,"wID":1,"spot":"' || repeat('\\u0001', 96) || '"}', ',')
        from generate_series(100000, 100999) as place
      ) || '],"dryRun":false}')::json
      where kind = 'move' and body->>'itemID' in (${items.map((itemID) => `'${itemID}'`).join(', ')});
      set session_replication_role = origin`);
    const receipt = { itemID: items[0]!, units: 1, wid: 1, reasonCode: 1 };
    for (let count = 0; count < 3; count++) {
      const [again, ...beside] = await Promise.all([
        send(client, 'each', moves),
        ...Array.from({ length: 10 }, () => other.post('/Inventory/Receive', receipt)),
      ]);
      expect(outcomesOf(again.body), again.text.slice(0, 500)).toEqual(applied);
      expect(again.text.length).toBeLessThan(textMax);
      const whole = bodiesOf(again).filter((body: { lots?: unknown[] }) => body.lots?.length === 1000);
      expect(whole).toHaveLength(3);
      expect(beside.map(({ status }) => status)).toEqual(Array(10).fill(201));
    }
  });
});
