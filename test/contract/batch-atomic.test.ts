import { describe, expect } from 'vitest';
import { errorObject, forbidden, invalid } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import { type ApiAnswer, type ApiClient, untilAnswered } from '../harness/service/api-client.ts';
import { uniqueName } from '../harness/service/service.ts';
import { inStock, issueOf, type Operation, outcomesOf, receiveOf } from '../harness/stock/operations.ts';

const { service, test } = useStock({ workers: 2, env: { QUEUE_SHARDS: '3' } });

const atomic = (
  client: ApiClient,
  operations: unknown[],
  headers: Record<string, string> = {},
  fields = {},
) => client.post('/Inventory/Batch', { mode: 'atomic', operations, ...fields }, headers);

/** The same, when all of it must be applied; returns the body of each operation. */
async function applied(client: ApiClient, operations: unknown[], headers: Record<string, string> = {}) {
  const { body, text } = await atomic(client, operations, headers);
  const summary = { applied: operations.length, refused: 0, notApplied: 0 };
  expect(body.summary, text.slice(0, 500)).toEqual(summary);
  return body.results.map(({ body }: { body: ApiAnswer['body'] }) => body);
}

const receipts = (itemID: string, count: number, spot: string): Operation[] =>
  Array(count).fill(receiveOf(itemID, 1, { spot }));
const countOf = (itemID: string, counted: number, place: object) => {
  return { op: 'count', itemID, counted, wid: 1, reasonCode: 3, ...place };
};
const moveOf = (itemID: string, units: number, fields: object) => ({
  op: 'move',
  itemID,
  units,
  wid: 1,
  ...fields,
});
const reversalOf = ({ transactionNo }: { transactionNo: number }) => ({ op: 'reverse', transactionNo });
const keyed = <Body extends object>(operation: Body) => ({ ...operation, key: uniqueName('key') });
const withHeader = () => ({ 'Idempotency-Key': uniqueName('list') });
const isReplay = ({ headers }: ApiAnswer) => headers.get('Idempotent-Replayed') === 'true';
const replayedOf = ({ body }: ApiAnswer) =>
  body.results.map(({ replayed }: { replayed: boolean }) => replayed);
const asReplayed = ({ body }: ApiAnswer) => body.results.map((each: object) => ({ ...each, replayed: true }));

async function written() {
  const [row] = await service.sql`
    select (select count(*) from stock_entry) as lines, (select count(*) from lot) as lots,
      (select count(*) from stock_transaction where status = 'applied') as applied`;
  return { ...row };
}

describe('POST /Inventory/Batch, atomic', () => {
  test('200: all is applied, over items and warehouses, each as its own transaction', async ({ client }) => {
    const items = await Promise.all(Array.from({ length: 6 }, () => service.item()));
    const [first, second] = items as [string, string];
    const { status, body } = await atomic(client, [
      ...items.map((itemID) => receiveOf(itemID, 5)),
      moveOf(first, 2, { shipToWid: 2 }),
      issueOf(second, 5),
      countOf(first, 1, { everywhere: true }),
      receiveOf(second, 1, { wid: 2 }),
    ]);
    expect(status, JSON.stringify(body)).toBe(200);
    const [created, changed] = [Array(6).fill('applied 201'), Array(3).fill('applied 200')];
    expect(outcomesOf(body)).toEqual([...created, ...changed, 'applied 201']);
    expect(body.results[8].body).toMatchObject({ before: 3, difference: -2 });
    const numbers = body.results.map(({ body }: { body: { transactionNo: number } }) => body.transactionNo);
    expect(numbers).toEqual([...new Set<number>(numbers)].sort((a, b) => a - b));
    const [kept] = await service.sql`
      select count(distinct xmin::text) as together, count(*) as rows
      from stock_transaction
      where transaction_no = any(${numbers})`;
    expect({ ...kept }).toEqual({ together: 1, rows: 10 });
    expect(await Promise.all([inStock(service, first), inStock(service, second)])).toEqual([3, 1]);
  });

  // conflicts.test.ts has the error object of the list.
  test('409: the first operation that the stock refuses is named; nothing is applied', async ({ client }) => {
    const [one, two] = [await service.item(), await service.item()];
    await applied(client, [receiveOf(one, 5), receiveOf(two, 5)]);
    const before = await written();
    const list = [issueOf(one, 3), issueOf(two, 1), issueOf(one, 3), issueOf(two, 99)];
    const { status, body } = await atomic(client, list);
    expect([status, body.message]).toEqual([
      409,
      'Nothing was applied: operation 2 of the batch was refused.',
    ]);
    expect(outcomesOf(body)).toEqual(['notApplied 503', 'notApplied 503', 'refused 409', 'notApplied 503']);
    const beside = 'Nothing of the batch was applied, because another operation of it was refused.';
    expect(body.results[0].error).toEqual(errorObject(503, 'internal_error', beside));
    // Judged against the stock that the earlier operation would have left.
    expect(body.results[2].error.message).toBe('Not enough stock: 3 asked, 2 available.');
    expect(await written()).toEqual(before);
    expect(await Promise.all([inStock(service, one), inStock(service, two)])).toEqual([5, 5]);
  });

  test('409: every malformed or forbidden operation is named; nothing is applied', async ({ itemID }) => {
    const client = await service.client({ permissions: [95], warehouses: [1] });
    const before = await written();
    const list = [
      receiveOf(itemID, 1),
      receiveOf(itemID, 0),
      issueOf(itemID, 1),
      receiveOf(itemID, 1, { wid: 3 }),
    ];
    const { body } = await atomic(client, list);
    expect(body.message).toBe('Nothing was applied: 3 operations of the batch were refused.');
    expect(outcomesOf(body)).toEqual(['notApplied 503', 'refused 400', 'refused 403', 'refused 403']);
    expect(body.results.slice(1).map(({ error }: { error: unknown }) => error)).toEqual([
      invalid({ units: 'must be greater than 0.' }),
      forbidden.permission,
      forbidden.scope,
    ]);
    expect(await written()).toEqual(before);
  });

  test('200: later lots replace those that counts and reversals of the batch take', async ({ stock }) => {
    const { client, itemID } = stock;
    const near = await applied(client, receipts(itemID, 30, 'NEAR'));
    await applied(client, receipts(itemID, 30, 'FAR'));
    await applied(client, [...near.slice(0, 29).map(reversalOf), issueOf(itemID, 10)]);
    await applied(client, receipts(itemID, 30, 'LAST'));
    await applied(client, [countOf(itemID, 0, { spot: 'FAR' }), issueOf(itemID, 10)]);
    expect(await stock.units()).toBe(20);
  });

  test('200: an operation finds many lots behind operations that may need more', async ({ stock }) => {
    const { client, itemID } = stock;
    await applied(client, receipts(itemID, 300, 'NEAR'));
    // The oldest lot moves from spot to spot.
    const moves = Array.from({ length: 9 }, (_, index) => moveOf(itemID, 1, { toSpot: `SPOT-${index}` }));
    const bodies = await applied(client, [...moves, countOf(itemID, 0, { spot: 'NEAR' })]);
    expect(bodies.at(-1)).toMatchObject({ before: 299, difference: -299 });
    expect(await stock.units()).toBe(1);
  });

  test('409: more than 4,000 lines of the ledger; 200: a part, under the same key', async ({ stock }) => {
    const { client, itemID } = stock;
    await applied(client, receipts(itemID, 500, 'A'));
    const there = moveOf(itemID, 500, { fromSpot: 'A', toSpot: 'B' });
    const back = moveOf(itemID, 500, { fromSpot: 'B', toSpot: 'A' });
    // A thousand lines each.
    const tooMany = [there, back, there, back, there].map(keyed);
    const before = await written();
    for (const dryRun of [false, true]) {
      const { status, body } = await atomic(client, tooMany, {}, { dryRun });
      expect([status, body.results[4].error.message]).toEqual([
        409,
        'Too many lots: one batch writes at most 4000 lines of the ledger, two for each lot that is moved. Send it in parts.',
      ]);
    }
    expect(await written()).toEqual(before);
    await applied(client, tooMany.slice(4));
    await applied(client, [back, there, back, there]);
    expect(await stock.units()).toBe(500);
  });

  test('200: applied reversals again with one more, however many lines they have', async ({ stock }) => {
    const { client, itemID } = stock;
    await applied(client, receipts(itemID, 500, 'A'));
    const reversals: Operation[] = [];
    for (const toSpot of ['B', 'C', 'D', 'E', 'F'])
      reversals.unshift(reversalOf(await stock.done('Move', { units: 500, toSpot })));
    // A thousand lines each: one batch may reverse four.
    expect((await atomic(client, reversals)).status).toBe(409);
    const list = reversals.map(keyed);
    await applied(client, list.slice(0, 4));
    await applied(client, list);
  });

  test('200: an applied list again with one more, however much the batch reads', async ({ client }) => {
    const items = await Promise.all(Array.from({ length: 17 }, () => service.item()));
    const bodies = await applied(
      client,
      items.map((itemID) => receiveOf(itemID, 5, { spot: 'A' })),
    );
    // By the day of their receipt.
    const moves = items.map((itemID, index) =>
      keyed(moveOf(itemID, 1, { toSpot: 'B', received: bodies[index].lot.received.slice(0, 10) })),
    );
    await applied(client, moves.slice(0, 16));
    const again = await atomic(client, moves);
    expect(replayedOf(again)).toEqual([...Array(16).fill(true), false]);
  });

  test('409: an issue of stock that had expired long before its receipt', async ({ stock }) => {
    const { client, itemID } = stock;
    await stock.addLot(5, { expires: '0026-12-31', spot: 'A' });
    const { body } = await atomic(client, [countOf(itemID, 5, { spot: 'A' }), issueOf(itemID, 1)]);
    expect(outcomesOf(body)).toEqual(['notApplied 503', 'refused 409']);
  });

  test('409: the refusal counts expired lots as the earlier operations left them', async ({ stock }) => {
    const { client, itemID } = stock;
    const old = { expires: '2001-01-01' };
    const expired = await stock.addLot(3, old);
    const fresh = await stock.addLot(2);
    const away = moveOf(itemID, 1, { recno: expired, shipToWid: 2 });
    for (const [operations, reason] of [
      [[issueOf(itemID, 2)], '3 expired'],
      [[countOf(itemID, 0, { recno: fresh })], '3 expired'],
      [[issueOf(itemID, 2), receiveOf(itemID, 4, old)], '7 expired'],
      [[issueOf(itemID, 2), away, receiveOf(itemID, 4, old)], '6 expired'],
    ] as const) {
      const { body } = await atomic(client, [...operations, issueOf(itemID, 1)]);
      const message = `Not enough stock: 1 asked, 0 available. Not taken: ${reason}.`;
      expect(body.results.at(-1).error.message).toBe(message);
    }
  });

  test('409: a refusal about a tag counts the expired lots that still have it', async ({ stock }) => {
    const { client, itemID } = stock;
    const rfidTag = uniqueName('tag');
    const recno = await stock.addLot(3, { expires: '2001-01-01', rfidTag });
    const away = moveOf(itemID, 3, { recno, shipToWid: 2 });
    const expired = async (before: object, wid: number) => {
      const { body } = await atomic(client, [before, issueOf(itemID, 1, { wid, rfidTag })]);
      return body.results.at(-1).error.figures.expired;
    };
    expect(await expired(away, 1)).toBe(0);
    const [moved] = await applied(client, [away]);
    expect(await expired(reversalOf(moved), 1)).toBe(3);
    expect(await expired(reversalOf(moved), 2)).toBe(0);
  });

  test('409 to a resend without rights for a part; it does not deny what was applied', async ({ stock }) => {
    const { client, itemID } = stock;
    const headers = withHeader();
    const list = [receiveOf(itemID, 1), receiveOf(itemID, 1, { wid: 2 })];
    await applied(client, list, headers);
    await service.sql`delete from client_warehouse where client_id = ${client.clientId} and wid = 2`;
    await expect.poll(async () => (await client.get('/Inventory/2')).status).toBe(403);
    const again = await atomic(client, list, headers);
    expect([again.status, again.body.results]).toEqual([409, undefined]);
    expect(again.body.message).toContain('stays');
    const other = await atomic(client, list, withHeader());
    expect(outcomesOf(other.body)).toEqual(['notApplied 503', 'refused 403']);
  });

  test('the header replays the first answer, a refusal too; 409 with another list', async ({ stock }) => {
    const { client, itemID } = stock;
    const [headers, refusing] = [withHeader(), withHeader()];
    const list = [receiveOf(itemID, 1, { remark: '"replayed":false}' }), issueOf(itemID, 1)];
    const first = await atomic(client, list, headers);
    const again = await atomic(client, list, headers);
    expect(isReplay(again)).toBe(true);
    expect(again.body.results).toEqual(asReplayed(first));
    expect((await atomic(client, [receiveOf(itemID, 1)], headers)).status).toBe(409);
    const tooMuch = [receiveOf(itemID, 1), issueOf(itemID, 9)];
    const refused = await atomic(client, tooMuch, refusing);
    await stock.addLot(100);
    const still = await atomic(client, tooMuch, refusing);
    expect([still.status, still.body.message]).toEqual([409, refused.body.message]);
    expect(await stock.units()).toBe(100);
  });

  test('the first answer again after the clock of a device was corrected', async ({ stock }) => {
    const { client, itemID } = stock;
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const receipt = () => receiveOf(itemID, 1, { capturedAt: tomorrow });
    const send = (operations: object[], sentAt: string, headers = {}, fields = {}) =>
      untilAnswered(() => atomic(client, operations, headers, { sentAt, ...fields }));
    const early = (operations: object[], headers = {}) => send(operations, tomorrow, headers);
    const right = (operations: object[], headers = {}, fields = {}) =>
      send(operations, new Date().toISOString(), headers, fields);
    const [header, refusing] = [withHeader(), withHeader()];
    const list = [receipt(), keyed(receipt())];
    const first = await early(list, header);
    expect(outcomesOf(first.body)).toEqual(['applied 201', 'applied 201']);
    const again = await right(list, header);
    expect(isReplay(again)).toBe(true);
    expect(again.body.results).toEqual(asReplayed(first));
    expect((await right([...list, receiveOf(itemID, 1)], header)).status).toBe(409);
    const tooMuch = [receipt(), { ...issueOf(itemID, 1000), capturedAt: tomorrow }];
    for (const sent of [early, right])
      expect(outcomesOf((await sent(tooMuch, refusing)).body)).toEqual(['notApplied 503', 'refused 409']);
    // By the keys of its operations, which count as done.
    const done = [keyed(receipt())];
    await early(done);
    expect(replayedOf(await right([...done, receiveOf(itemID, 1)]))).toEqual([true, false]);
    expect(replayedOf(await right(done, {}, { dryRun: true }))).toEqual([true]);
    const fresh = await right([...done, keyed(receipt())]);
    expect(outcomesOf(fresh.body)).toEqual(['applied 201', 'refused 400']);
    expect(await stock.units()).toBe(4);
  });

  test('200: an operation applied earlier under its key counts as done', async ({ stock }) => {
    const { client, itemID } = stock;
    const [a, b] = [
      receiveOf(itemID, 2, { key: uniqueName('a') }),
      receiveOf(itemID, 3, { key: uniqueName('b') }),
    ];
    const { op: _, key, ...body } = a;
    const single = await stock.call('Receive', body, { 'Idempotency-Key': key as string });
    const both = await atomic(client, [a, b]);
    expect(both.body.results[0], both.text).toMatchObject({ replayed: true, body: single.body });
    const known = await atomic(client, [a, b]);
    expect(known.body.results).toEqual(asReplayed(both));
    const more = await atomic(client, [a, b, issueOf(itemID, 0.5)]);
    expect(outcomesOf(more.body), more.text).toEqual(['applied 201', 'applied 201', 'applied 200']);
    // The whole answer is a replay only if nothing of it is new.
    expect([both, known, more].map(isReplay)).toEqual([false, true, false]);
    const other = await atomic(client, [{ ...a, units: 9 }]);
    expect(outcomesOf(other.body)).toEqual(['refused 409']);
    expect(await stock.units()).toBe(4.5);
  });

  test('409: an operation applied earlier shows its first answer beside a refused one', async ({ stock }) => {
    const { client, itemID } = stock;
    const known = keyed(receiveOf(itemID, 2));
    const first = await atomic(client, [known]);
    const done = { ...first.body.results[0], index: 1, replayed: true };
    for (const list of [
      // Refused by the stock, before and behind it, and before the stock was asked.
      [issueOf(itemID, 99), known, receiveOf(itemID, 1)],
      [keyed(receiveOf(itemID, 1)), known, issueOf(itemID, 99)],
      [receiveOf(itemID, 0), known, receiveOf(itemID, 1)],
    ]) {
      const headers = withHeader();
      const { status, body, text } = await atomic(client, list, headers);
      expect([status, body.results[1]]).toEqual([409, done]);
      const others = outcomesOf(body).filter((_, index) => index !== 1);
      expect(others.sort()).toEqual(['notApplied 503', expect.stringMatching(/^refused/)]);
      const again = await atomic(client, list, headers);
      const unlessReplayed = (answer: string) => answer.replaceAll(/"replayed":(true|false)/g, '');
      expect(unlessReplayed(again.text)).toBe(unlessReplayed(text));
    }
    expect(await stock.units()).toBe(2);
  });

  test('200: 500 operations over 250 items', async ({ client }) => {
    const items = Array.from({ length: 250 }, () => uniqueName('ATOMIC'));
    await service.sql`
      insert into item (short_id, created_by) select name, 'tests' from unnest(${items}::text[]) as name`;
    const receive = items.map((itemID) => receiveOf(itemID, 2));
    await applied(client, [...receive, ...items.map((itemID) => issueOf(itemID, 1))]);
  });

  test('200 for batches over the same items in opposite orders, without a deadlock', async ({ client }) => {
    const items = await Promise.all(Array.from({ length: 8 }, () => service.item()));
    await applied(
      client,
      items.map((itemID) => receiveOf(itemID, 20)),
    );
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const issues = (index % 2 === 0 ? items : items.toReversed()).map((itemID) => issueOf(itemID, 1));
        const headers = withHeader();
        return untilAnswered(() => atomic(client, issues, headers));
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    for (const itemID of items) expect(await inStock(service, itemID)).toBe(0);
  });
});
