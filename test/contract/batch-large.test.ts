import { toldLengthMax } from '@inventory/domain/stock/left-out';
import { describe, expect, test } from 'vitest';
import type { ApiAnswer, ApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { applyLargeMoves, lotsOfLargeMove } from '../harness/stock/large-moves.ts';
import { inStock, outcomesOf, receiveOf } from '../harness/stock/operations.ts';

const service = useService();
// Together more than one batch answers; each answer has some 200,000 characters.
const moveCount = 40;
// The largest answer, plus all small ones.
const textMax = toldLengthMax + 500_000;

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

const receiptOf = (itemID: string) => ({ itemID, units: 1, wid: 1, reasonCode: 1 });
const bodiesOf = ({ body }: ApiAnswer) => body.results.map((each: { body?: object }) => each.body);
const send = (client: ApiClient, mode: string, operations: unknown[]) =>
  client.post('/Inventory/Batch', { mode, operations });

describe('POST /Inventory/Batch with large answers', () => {
  test('200, atomic: replayed answers beyond the room are told by their transactionNo only', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const moves = await applyLargeMoves(client, itemID, moveCount);
    const first = await send(client, 'atomic', moves);
    expect(outcomesOf(first.body)).toEqual(Array(moveCount).fill('applied 200'));
    expect(first.text.length).toBeLessThan(textMax);
    expect(first.headers.get('Idempotent-Replayed')).toBe('true');
    expect(bodiesOf(first)[0].lots).toHaveLength(lotsOfLargeMove);
    expect(bodiesOf(first).at(-1)).toEqual(await leftOut(moves.at(-1)!.key));
    const again = await send(client, 'atomic', moves);
    expect(again.text).toBe(first.text);
    expect(await inStock(service, itemID)).toBe(lotsOfLargeMove);
    expect(await movesOf(itemID)).toBe(moveCount);
  });

  test('200, atomic: a list of large answers with its own key is replayed as it was', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const moves = await applyLargeMoves(client, itemID, moveCount);
    const list = { mode: 'atomic', operations: [receiveOf(itemID, 1), ...moves] };
    const key = { 'Idempotency-Key': uniqueName('list') };
    const first = await client.post('/Inventory/Batch', list, key);
    const again = await client.post('/Inventory/Batch', list, key);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(bodiesOf(again)).toEqual(bodiesOf(first));
  });

  test('409, atomic, of bounded size: a malformed operation beside large ones that earlier sends had applied', async () => {
    const client = await service.client();
    const moves = await applyLargeMoves(client, await service.item(), moveCount);
    const first = await send(client, 'each', moves.slice(0, 1));
    const malformed = await send(client, 'atomic', [...moves, { op: 'move' }]);
    expect(malformed.status).toBe(409);
    expect(malformed.text.length).toBeLessThan(textMax);
    expect(outcomesOf(malformed.body)).toEqual([...Array(moveCount).fill('applied 200'), 'refused 400']);
    expect(bodiesOf(malformed)[0]).toEqual(first.body.results[0].body);
    expect(bodiesOf(malformed)[moveCount - 1]).toEqual(await leftOut(moves.at(-1)!.key));
  });

  test('200, each: a replayed answer that had no room comes when its key is sent alone', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const moves = await applyLargeMoves(client, itemID, moveCount);
    const { text, body } = await send(client, 'each', moves);
    expect(outcomesOf(body)).toEqual(Array(moveCount).fill('applied 200'));
    expect(text.length).toBeLessThan(textMax);
    const left = await leftOut(moves.at(-1)!.key);
    expect(body.results.at(-1)).toMatchObject({ replayed: true, body: left });
    const alone = await send(client, 'each', moves.slice(-1));
    expect(alone.body.results[0].body).toMatchObject({ transactionNo: left.transactionNo });
    expect(alone.body.results[0].body.lots).toHaveLength(lotsOfLargeMove);
    expect(await inStock(service, itemID)).toBe(lotsOfLargeMove);
  });

  test('200, each: a list with answers of more than a hundred MiB, sent again; others are answered meanwhile', async () => {
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
