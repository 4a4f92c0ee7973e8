import { describe, expect, test } from 'vitest';
import { conflictObject, errorObject, forbidden, validationError } from '../harness/contract/answers.ts';
import { type ApiClient, untilAnswered } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { inStock, issueOf, outcomesOf, receiveOf } from '../harness/stock/operations.ts';

const service = useService({ workers: 2, env: { QUEUE_SHARDS: '3' } });

const atomic = (client: ApiClient, operations: unknown[], headers: Record<string, string> = {}) =>
  client.post('/Inventory/Batch', { mode: 'atomic', operations }, headers);

async function written() {
  const [row] = await service.sql`
    select (select count(*) from stock_entry) as lines, (select count(*) from lot) as lots,
      (select count(*) from stock_transaction where status = 'applied') as applied`;
  return { ...row };
}

describe('POST /Inventory/Batch, atomic', () => {
  test('200: all operations are applied, over items and warehouses, each with its own transactionNo', async () => {
    const client = await service.client();
    const items = await Promise.all(Array.from({ length: 6 }, () => service.item()));
    const [first, second] = items as [string, string];
    const { status, body } = await atomic(client, [
      ...items.map((itemID) => receiveOf(itemID, 5)),
      { op: 'move', itemID: first, units: 2, wid: 1, shipToWid: 2 },
      issueOf(second, 5),
      { op: 'count', itemID: first, counted: 1, wid: 1, reasonCode: 3, everywhere: true },
      receiveOf(second, 1, { wid: 2 }),
    ]);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(outcomesOf(body)).toEqual([
      ...Array(6).fill('applied 201'),
      ...Array(3).fill('applied 200'),
      'applied 201',
    ]);
    expect(body.summary).toEqual({ applied: 10, refused: 0, notApplied: 0 });
    expect(body.results[8].body).toMatchObject({ before: 3, difference: -2 });
    const numbers = body.results.map((each: { body: { transactionNo: number } }) => each.body.transactionNo);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => Number(a) - Number(b)));
    const kept = await service.sql`
      select count(distinct xmin::text) as together, count(*) as rows from stock_transaction where transaction_no = any(${numbers})`;
    expect({ ...kept[0] }).toEqual({ together: 1, rows: 10 });
    expect(await Promise.all([inStock(service, first), inStock(service, second)])).toEqual([3, 1]);
  });

  test('409: the first operation that the stock refuses is named with its error; nothing is applied', async () => {
    const client = await service.client();
    const [one, two] = [await service.item(), await service.item()];
    await atomic(client, [receiveOf(one, 5), receiveOf(two, 5)]);
    const before = await written();
    const { status, body } = await atomic(client, [
      issueOf(one, 3),
      issueOf(two, 1),
      issueOf(one, 3),
      issueOf(two, 99),
    ]);
    expect(status).toBe(409);
    expect(body).toMatchObject(
      conflictObject(
        'operationRefused',
        { operations: 1, index: 2 },
        'Nothing was applied: operation 2 of the batch was refused.',
      ),
    );
    expect(outcomesOf(body)).toEqual(['notApplied 503', 'notApplied 503', 'refused 409', 'notApplied 503']);
    const message = 'Nothing of the batch was applied, because another operation of it was refused.';
    expect(body.results[0].error).toEqual(errorObject(503, 'internal_error', message));
    // Judged against the stock that the earlier operation would have left.
    expect(body.results[2].error.message).toBe('Not enough stock: 3 asked, 2 available.');
    expect(await written()).toEqual(before);
    expect(await Promise.all([inStock(service, one), inStock(service, two)])).toEqual([5, 5]);
  });

  test('409: every malformed or forbidden operation is named; nothing is applied', async () => {
    const client = await service.client({ permissions: [95], warehouses: [1] });
    const itemID = await service.item();
    const before = await written();
    const { status, body } = await atomic(client, [
      receiveOf(itemID, 1),
      receiveOf(itemID, 0),
      issueOf(itemID, 1),
      receiveOf(itemID, 1, { wid: 3 }),
    ]);
    expect(status).toBe(409);
    expect(body.message).toBe('Nothing was applied: 3 operations of the batch were refused.');
    expect(outcomesOf(body)).toEqual(['notApplied 503', 'refused 400', 'refused 403', 'refused 403']);
    expect(body.results.slice(1).map((each: { error: unknown }) => each.error)).toEqual([
      validationError({ units: ['units must be greater than 0.'] }),
      forbidden.permission,
      forbidden.scope,
    ]);
    expect(await written()).toEqual(before);
  });

  test('200: a reversal, and an issue that needs it; 409: the same reversal twice', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await atomic(client, [receiveOf(itemID, 5)]);
    const issued = await atomic(client, [issueOf(itemID, 5)]);
    const { transactionNo } = issued.body.results[0].body;
    const undo = { op: 'reverse', transactionNo };
    const twice = await atomic(client, [undo, undo]);
    expect(outcomesOf(twice.body)).toEqual(['notApplied 503', 'refused 409']);
    const { body } = await atomic(client, [undo, issueOf(itemID, 4)]);
    expect(outcomesOf(body)).toEqual(['applied 200', 'applied 200']);
    expect(await inStock(service, itemID)).toBe(1);
  });

  test('200: later lots replace those that counts and reversals of the batch take', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const near = await atomic(client, Array(30).fill(receiveOf(itemID, 1, { spot: 'NEAR' })));
    await atomic(client, Array(30).fill(receiveOf(itemID, 1, { spot: 'FAR' })));
    const undone = near.body.results.slice(0, 29).map(({ body }: { body: { transactionNo: number } }) => ({
      op: 'reverse',
      transactionNo: body.transactionNo,
    }));
    const { body } = await atomic(client, [...undone, issueOf(itemID, 10)]);
    expect(outcomesOf(body), body.message).toEqual(Array(30).fill('applied 200'));
    const counted = { op: 'count', itemID, counted: 0, wid: 1, spot: 'FAR', reasonCode: 3 };
    await atomic(client, Array(30).fill(receiveOf(itemID, 1, { spot: 'LAST' })));
    const both = await atomic(client, [counted, issueOf(itemID, 10)]);
    expect(outcomesOf(both.body), both.body.message).toEqual(['applied 200', 'applied 200']);
    expect(await inStock(service, itemID)).toBe(20);
  });

  test('409: operations that together take thousands of lots, also as a dry run; 200: as many as the limit', async () => {
    const client = await service.client();
    const itemID = await service.item();
    expect((await atomic(client, Array(500).fill(receiveOf(itemID, 1, { spot: 'A' })))).status).toBe(200);
    const there = { op: 'move', itemID, units: 500, wid: 1, fromSpot: 'A', toSpot: 'B' };
    const back = { ...there, fromSpot: 'B', toSpot: 'A' };
    // A thousand lines each.
    const tooMany = [there, back, there, back, there];
    const before = await written();
    const real = await atomic(client, tooMany);
    const dryRun = { mode: 'atomic', dryRun: true, operations: tooMany };
    const tried = await client.post('/Inventory/Batch', dryRun);
    for (const { status, body } of [real, tried]) {
      expect(status).toBe(409);
      expect(body.results[4].error.message).toBe(
        'Too many lots: one batch writes at most 4000 lines of the ledger, two for each lot that is moved. Send it in parts.',
      );
    }
    expect(await written()).toEqual(before);
    expect((await atomic(client, tooMany.slice(0, 4))).status).toBe(200);
    expect(await inStock(service, itemID)).toBe(500);
  });

  test('200: an operation refused only for the size of its batch is applied in a smaller batch, under the same key', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await atomic(client, Array(500).fill(receiveOf(itemID, 1, { spot: 'A' })));
    const there = { op: 'move', itemID, units: 500, wid: 1, fromSpot: 'A', toSpot: 'B' };
    const back = { ...there, fromSpot: 'B', toSpot: 'A' };
    const keyed = [there, back, there, back, there].map((each) => ({ ...each, key: uniqueName('part') }));
    expect((await atomic(client, keyed)).status).toBe(409);
    expect((await atomic(client, keyed.slice(4))).status).toBe(200);
  });

  test('200: applied reversals sent again with one more, however many lines they reverse', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await atomic(client, Array(500).fill(receiveOf(itemID, 1, { spot: 'A' })));
    const reversals = [];
    for (const spot of ['B', 'C', 'D', 'E', 'F']) {
      const body = { itemID, units: 500, wid: 1, toSpot: spot };
      const moved = await untilAnswered(() => client.post('/Inventory/Move', body));
      reversals.unshift({
        ...{ op: 'reverse', key: uniqueName('undo'), transactionNo: moved.body.transactionNo },
      });
    }
    // A thousand lines each: one batch may reverse four.
    expect((await atomic(client, reversals)).status).toBe(409);
    const keyed = reversals.map((each) => ({ ...each, key: uniqueName('undo') }));
    expect((await atomic(client, keyed.slice(0, 4))).status).toBe(200);
    const again = await atomic(client, keyed);
    expect(again.status, JSON.stringify(again.body).slice(0, 500)).toBe(200);
    expect(again.body.summary).toEqual({ applied: 5, refused: 0, notApplied: 0 });
  });

  test('200: an applied list sent again with one more operation, however much its operations made the batch read', async () => {
    const client = await service.client();
    const items = await Promise.all(Array.from({ length: 17 }, () => service.item()));
    const received = await atomic(
      client,
      items.map((itemID) => receiveOf(itemID, 5, { spot: 'A' })),
    );
    // By the day of their receipt.
    const moves = items.map((itemID, index) => ({
      ...{ op: 'move', key: uniqueName('again'), itemID, units: 1, wid: 1, toSpot: 'B' },
      received: received.body.results[index].body.lot.received.slice(0, 10),
    }));
    expect((await atomic(client, moves.slice(0, 16))).status).toBe(200);
    const again = await atomic(client, [...moves.slice(0, 16), { ...moves[16]!, key: uniqueName('again') }]);
    expect(again.status, JSON.stringify(again.body)).toBe(200);
    expect(again.body.results.map(({ replayed }: { replayed: boolean }) => replayed)).toEqual([
      ...Array(16).fill(true),
      false,
    ]);
  });

  test('409: an issue of stock that was long expired when received, whatever else the batch reads', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const received = await atomic(client, [receiveOf(itemID, 5, { expires: '0026-12-31', spot: 'A' })]);
    const { recNo } = received.body.results[0].body;
    expect((await client.get(`/Inventory/Lots/${recNo}`)).body.expires).toBe('0026-12-31T23:59:59.999Z');
    const counted = { op: 'count', itemID, counted: 5, wid: 1, spot: 'A', reasonCode: 3 };
    const { body } = await atomic(client, [counted, issueOf(itemID, 1)]);
    expect(outcomesOf(body)).toEqual(['notApplied 503', 'refused 409']);
  });

  test('409 to a resend by a client that has lost rights for a part; the answer does not deny what was applied', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const headers = { 'Idempotency-Key': uniqueName('list') };
    const list = [receiveOf(itemID, 1), receiveOf(itemID, 1, { wid: 2 })];
    expect((await atomic(client, list, headers)).status).toBe(200);
    await service.sql`delete from client_warehouse where client_id = ${client.clientId} and wid = 2`;
    await expect.poll(async () => (await client.get('/Inventory/2')).status, { timeout: 60_000 }).toBe(403);
    const again = await atomic(client, list, headers);
    expect(again.status).toBe(409);
    expect(again.body.message).toContain('stays');
    expect(again.body.results).toBeUndefined();
    const other = await atomic(client, list, { 'Idempotency-Key': uniqueName('list') });
    expect(outcomesOf(other.body)).toEqual(['notApplied 503', 'refused 403']);
  });

  test('200: an operation that needs many lots finds them, behind operations that may need more', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await atomic(client, Array(300).fill(receiveOf(itemID, 1, { spot: 'NEAR' })));
    // The oldest lot moves from spot to spot.
    const moves = Array.from({ length: 9 }, (_, index) => {
      return { op: 'move', itemID, units: 1, wid: 1, toSpot: `SPOT-${index}` };
    });
    const counted = { op: 'count', itemID, counted: 0, wid: 1, spot: 'NEAR', reasonCode: 3 };
    const { body } = await atomic(client, [...moves, counted]);
    expect(outcomesOf(body), JSON.stringify(body.results.at(-1))).toEqual(Array(10).fill('applied 200'));
    expect(body.results.at(-1).body).toMatchObject({ before: 299, difference: -299 });
    expect(await inStock(service, itemID)).toBe(1);
  });

  test('409: the refusal names the lots on hold or expired as the earlier operations left them', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const old = { expires: '2001-01-01' };
    const { body } = await atomic(client, [receiveOf(itemID, 3, old), receiveOf(itemID, 2)]);
    const [expired] = body.results.map((each: { body: { recNo: number } }) => each.body.recNo);
    const away = { op: 'move', itemID, units: 1, wid: 1, recno: expired, shipToWid: 2 };
    const counted = {
      op: 'count',
      itemID,
      counted: 0,
      wid: 1,
      recno: body.results[1].body.recNo,
      reasonCode: 3,
    };
    for (const [operations, reason] of [
      [[issueOf(itemID, 2)], '3 expired'],
      [[counted], '3 expired'],
      [[issueOf(itemID, 2), receiveOf(itemID, 4, old)], '7 expired'],
      [[issueOf(itemID, 2), away, receiveOf(itemID, 4, old)], '6 expired'],
    ] as const) {
      const refused = await atomic(client, [...operations, issueOf(itemID, 1)]);
      expect(refused.body.results.at(-1).error.message).toBe(
        `Not enough stock: 1 asked, 0 available. Not taken: ${reason}.`,
      );
    }
  });

  test('409: a refusal about a tag counts expired lots as the earlier operations left them: a whole lot takes its tag along', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const rfidTag = uniqueName('tag');
    const received = await atomic(client, [receiveOf(itemID, 3, { expires: '2001-01-01', rfidTag })]);
    const [{ body: lot }] = received.body.results;
    const away = { op: 'move', itemID, units: 3, wid: 1, recno: lot.recNo, shipToWid: 2 };
    const none = { asked: 1, available: 0, onHold: 0, expired: 0 };
    const gone = await atomic(client, [away, issueOf(itemID, 1, { rfidTag })]);
    expect(gone.body.results.at(-1).error.figures).toEqual(none);
    const moved = await atomic(client, [away]);
    const undo = { op: 'reverse', transactionNo: moved.body.results[0].body.transactionNo };
    const back = await atomic(client, [undo, issueOf(itemID, 1, { rfidTag })]);
    expect(back.body.results.at(-1).error.figures).toEqual({ ...none, expired: 3 });
    const left = await atomic(client, [undo, issueOf(itemID, 1, { wid: 2, rfidTag })]);
    expect(left.body.results.at(-1).error.figures).toEqual(none);
  });

  test('the header replays the first answer; 409 with another list', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const headers = { 'Idempotency-Key': uniqueName('list') };
    const list = [receiveOf(itemID, 1, { remark: '"replayed":false}' }), issueOf(itemID, 1)];
    const first = await atomic(client, list, headers);
    const again = await atomic(client, list, headers);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(again.body.results).toEqual(
      first.body.results.map((each: object) => ({ ...each, replayed: true })),
    );
    expect((await atomic(client, [receiveOf(itemID, 1)], headers)).status).toBe(409);
    const refusedList = [receiveOf(itemID, 1), issueOf(itemID, 9)];
    const key = { 'Idempotency-Key': uniqueName('refused') };
    const refused = await atomic(client, refusedList, key);
    await atomic(client, [receiveOf(itemID, 100)]);
    const still = await atomic(client, refusedList, key);
    expect(still.status).toBe(409);
    expect(still.body.message).toBe(refused.body.message);
    expect(await inStock(service, itemID)).toBe(100);
  });

  test('the first answer again after the clock of a device was corrected between two sends; a new list is refused', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const send = (operations: object[], sentAt: string, headers: Record<string, string> = {}, fields = {}) =>
      untilAnswered(() =>
        client.post('/Inventory/Batch', { mode: 'atomic', sentAt, operations, ...fields }, headers),
      );
    const right = () => new Date().toISOString();
    const receipt = (fields: object = {}) => receiveOf(itemID, 1, { capturedAt: tomorrow, ...fields });
    const header = { 'Idempotency-Key': uniqueName('k') };
    const list = [receipt(), receipt({ key: uniqueName('k') })];
    const first = await send(list, tomorrow, header);
    expect(outcomesOf(first.body)).toEqual(['applied 201', 'applied 201']);
    const again = await send(list, right(), header);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(again.body.results).toEqual(
      first.body.results.map((result: object) => ({ ...result, replayed: true })),
    );
    expect((await send([...list, receiveOf(itemID, 1)], right(), header)).status).toBe(409);
    const refusing = { 'Idempotency-Key': uniqueName('k') };
    const tooMuch = [receipt(), { ...issueOf(itemID, 1000), capturedAt: tomorrow }];
    const refused = await send(tooMuch, tomorrow, refusing);
    const refusedAgain = await send(tooMuch, right(), refusing);
    expect(outcomesOf(refusedAgain.body)).toEqual(outcomesOf(refused.body));
    expect(outcomesOf(refused.body)).toEqual(['notApplied 503', 'refused 409']);
    // By the keys of its operations, which count as done.
    const keyed = [receipt({ key: uniqueName('k') })];
    await send(keyed, tomorrow);
    const more = await send([...keyed, receiveOf(itemID, 1)], right());
    expect(more.body.results.map(({ replayed }: { replayed: boolean }) => replayed)).toEqual([true, false]);
    // A dry run ignores keys.
    expect((await send(keyed, right(), {}, { dryRun: true })).status).toBe(409);
    const fresh = await send([...keyed, receipt({ key: uniqueName('k') })], right());
    expect(outcomesOf(fresh.body)).toEqual(['applied 201', 'refused 400']);
    expect(await inStock(service, itemID)).toBe(4);
  });

  test('200: an operation applied earlier under its key counts as done, and the new ones beside it are applied', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const [a, b] = [uniqueName('a'), uniqueName('b')];
    const receipt = { itemID, units: 2, wid: 1, reasonCode: 1 };
    const single = await client.post('/Inventory/Receive', receipt, { 'Idempotency-Key': a });
    const list = [receiveOf(itemID, 2, { key: a }), receiveOf(itemID, 3, { key: b })];
    const both = await atomic(client, list);
    expect(both.status, both.text).toBe(200);
    expect(both.body.results[0]).toMatchObject({ replayed: true, body: single.body });
    expect(both.headers.get('Idempotent-Replayed')).toBeNull();
    const known = await atomic(client, list);
    expect(known.headers.get('Idempotent-Replayed')).toBe('true');
    expect(known.body.results).toEqual(
      both.body.results.map((result: object) => ({ ...result, replayed: true })),
    );
    const again = await atomic(client, [...list, issueOf(itemID, 0.5)]);
    expect(outcomesOf(again.body), again.text).toEqual(['applied 201', 'applied 201', 'applied 200']);
    expect(again.headers.get('Idempotent-Replayed')).toBeNull();
    expect(await inStock(service, itemID)).toBe(4.5);
    const other = await atomic(client, [receiveOf(itemID, 9, { key: a })]);
    expect(outcomesOf(other.body)).toEqual(['refused 409']);
    expect(await inStock(service, itemID)).toBe(4.5);
  });

  test('409: an operation that was applied earlier shows its first answer, whatever is refused beside it', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const applied = receiveOf(itemID, 2, { key: uniqueName('applied') });
    const first = await atomic(client, [applied]);
    const done = { ...first.body.results[0], index: 1, replayed: true };
    const lists = [
      // Refused by the stock, before and behind it, and before the stock was asked.
      [issueOf(itemID, 99), applied, receiveOf(itemID, 1)],
      [receiveOf(itemID, 1, { key: uniqueName('k') }), applied, issueOf(itemID, 99)],
      [receiveOf(itemID, 0), applied, receiveOf(itemID, 1)],
    ];
    for (const list of lists) {
      const headers = { 'Idempotency-Key': uniqueName('list') };
      const { status, body, text } = await atomic(client, list, headers);
      expect(status).toBe(409);
      expect(body.results[1]).toEqual(done);
      const others = outcomesOf(body).filter((_, index) => index !== 1);
      expect(others.sort()).toEqual(['notApplied 503', expect.stringMatching(/^refused/)]);
      const again = await atomic(client, list, headers);
      const unlessReplayed = (answer: string) => answer.replaceAll(/"replayed":(true|false)/g, '');
      expect(unlessReplayed(again.text)).toBe(unlessReplayed(text));
    }
    expect(await inStock(service, itemID)).toBe(2);
  });

  test('200: 500 operations over 500 items', async () => {
    const client = await service.client();
    const items = Array.from({ length: 250 }, () => uniqueName('ATOMIC'));
    await service.sql`insert into item (short_id, created_by) select name, 'tests' from unnest(${items}::text[]) as name`;
    const { status, body } = await atomic(client, [
      ...items.map((itemID) => receiveOf(itemID, 2)),
      ...items.map((itemID) => issueOf(itemID, 1)),
    ]);
    expect(status, JSON.stringify(body).slice(0, 300)).toBe(200);
    expect(body.summary.applied).toBe(500);
  });

  test('batches over the same items in opposite orders are each applied whole, without a deadlock', async () => {
    const client = await service.client();
    const items = await Promise.all(Array.from({ length: 8 }, () => service.item()));
    await atomic(
      client,
      items.map((itemID) => receiveOf(itemID, 20)),
    );
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const ordered = index % 2 === 0 ? items : [...items].reverse();
        const key = { 'Idempotency-Key': uniqueName('opposite') };
        const issues = ordered.map((itemID) => issueOf(itemID, 1));
        return untilAnswered(() => atomic(client, issues, key));
      }),
    );
    const applied = answers.filter(({ status }) => status === 200).length;
    expect(applied).toBe(20);
    expect(await Promise.all(items.map((each) => inStock(service, each)))).toEqual(items.map(() => 0));
  });
});
