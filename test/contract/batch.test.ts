import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { messages } from '@inventory/api/http/errors';
import { refuseKeys } from '@inventory/db/requests/idempotency-keys';
import { describe, expect } from 'vitest';
import { errorObject, expectAnswer, forbidden, invalid } from '../harness/contract/answers.ts';
import { holdGates } from '../harness/queue/batches.ts';
import { type ApiClient, createApiClient } from '../harness/service/api-client.ts';
import { notBusy, served as test } from '../harness/service/served.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { inStock, issueOf, outcomesOf, receiveOf } from '../harness/stock/operations.ts';
import { notEnough } from '../harness/stock/stock.ts';

const service = useService();

const setUp = async () => ({ client: await service.client(), itemID: await service.item() });

const each = async (client: ApiClient, operations: unknown[], fields: object = {}) =>
  notBusy(await client.post('/Inventory/Batch', { mode: 'each', operations, ...fields }));

describe('POST /Inventory/Batch, each', () => {
  test('200: every operation is its own transaction with the answer of its call; a refused one does not stop the others', async () => {
    const { client, itemID } = await setUp();
    const { status, body } = await each(client, [
      receiveOf(itemID, 5, { key: uniqueName('k') }),
      issueOf(itemID, 6),
      { op: 'move', itemID, units: 2, wid: 1, toSpot: 'B' },
      { op: 'count', itemID, counted: 4, wid: 1, reasonCode: 3, everywhere: true },
      receiveOf(await service.item(), 1),
      issueOf(itemID, 4),
    ]);
    expect([status, body.mode]).toEqual([200, 'each']);
    const applied = ['applied 200', 'applied 200', 'applied 201', 'applied 200'];
    expect(outcomesOf(body)).toEqual(['applied 201', 'refused 409', ...applied]);
    expect(body.summary).toEqual({ applied: 5, refused: 1, notApplied: 0 });
    const received = { status: 'received', lot: { units: 5 } };
    expect(body.results[0]).toMatchObject({ index: 0, body: received, replayed: false });
    expect(body.results[1]).toEqual({
      ...{ index: 1, key: null, status: 'refused', statusCode: 409, replayed: false },
      // Judged against the stock that the earlier operation left.
      error: notEnough(6, 5),
    });
    expect(body.results[3].body).toMatchObject({ status: 'counted', before: 5, difference: -1 });
    const numbers = body.results.map(({ body }: { body?: { transactionNo: number } }) => body?.transactionNo);
    // The refused one has none.
    expect(new Set(numbers).size).toBe(5 + 1);
    expect(await inStock(service, itemID)).toBe(0);
  });

  test('200: a reversal in the middle, in the order of the list', async () => {
    const { client, itemID } = await setUp();
    const { body: before } = await each(client, [receiveOf(itemID, 5), issueOf(itemID, 5)]);
    const reverse = { op: 'reverse', transactionNo: before.results[1].body.transactionNo };
    const unknown = { op: 'reverse', transactionNo: 2 ** 40 };
    const list = [issueOf(itemID, 1), reverse, issueOf(itemID, 1), reverse, unknown];
    expect(outcomesOf((await each(client, list)).body)).toEqual([
      ...['refused 409', 'applied 200', 'applied 200', 'refused 409', 'refused 404'],
    ]);
  });

  test('200: 500 operations on one item keep the order of the list', async () => {
    const { client, itemID } = await setUp();
    const operations = Array.from({ length: 500 }, (_, index) =>
      (index % 2 === 0 ? receiveOf : issueOf)(itemID, 1, { key: uniqueName('k') }),
    );
    let { body } = await each(client, operations);
    // A slow machine leaves the last ones undone.
    for (let before = 0; body.summary.notApplied > 0; ) {
      const done = outcomesOf(body).findIndex((outcome) => outcome.startsWith('notApplied'));
      expect(body.summary.applied).toBe(done);
      expect(done).toBeGreaterThan(before);
      before = done;
      ({ body } = await each(client, operations));
    }
    expect(body.summary).toEqual({ applied: 500, refused: 0, notApplied: 0 });
    const numbers = body.results.map(({ body }: { body: { transactionNo: number } }) => body.transactionNo);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });

  test('200: each malformed, forbidden or unknown operation has its own error and does not harm the others', async () => {
    const client = await service.client({ permissions: [11, 15, 95], warehouses: [1] });
    const itemID = await service.item();
    const cases: [operation: unknown, error: unknown][] = [
      [receiveOf(itemID, 1), undefined],
      [
        receiveOf(itemID, 0, { key: 'with space', deviceSeq: -1 }),
        invalid({
          units: 'must be greater than 0.',
          key: 'must be 1 to 255 visible ASCII characters.',
          deviceSeq: 'must be at least 0.',
        }),
      ],
      [
        { op: 'steal', itemID },
        invalid({ op: 'must be one of receive, move, issue, count, reverse, hold.' }),
      ],
      [receiveOf(itemID, 1, { wid: 3 }), forbidden.scope],
      [issueOf(itemID, 1), forbidden.permission],
      [{ op: 'count', itemID: '' }, forbidden.permission],
      [{ op: 'move', itemID, units: 1, wid: 1, shipToWid: 2 }, forbidden.scope],
      [receiveOf('unknown', 1), invalid({ itemID: 'is not a known item.' })],
      [receiveOf(itemID, 1, { dryRun: true }), invalid({ dryRun: 'is for a whole batch, of mode atomic.' })],
      [7, errorObject(400, 'bad_request', 'An operation must be a JSON object.')],
      [receiveOf(itemID, 1, { remark: null, more: [1], dryRun: false }), undefined],
    ];
    const list = cases.map(([operation]) => operation);
    const { status, body } = await each(client, list);
    expect(status).toBe(200);
    const errors = body.results.map(({ error }: { error?: unknown }) => error);
    expect(errors).toEqual(cases.map(([, error]) => error));
    expect(body.summary).toEqual({ applied: 2, refused: 9, notApplied: 0 });
    expect(await inStock(service, itemID)).toBe(2);
  });

  test('device data is stored, raw and corrected by the clock error of the device', async () => {
    const { client, itemID } = await setUp();
    const hour = 3_600_000;
    const slow = (ms: number) => new Date(Date.now() - hour + ms).toISOString();
    const device = { deviceID: 's-12', deviceSeq: 2 ** 53 - 1 };
    const list = [
      receiveOf(itemID, 1, { capturedAt: slow(-60_000), ...device }),
      receiveOf(itemID, 1, { deviceID: 'd' }),
      receiveOf(itemID, 1),
      receiveOf(itemID, 1, { capturedAt: slow(6 * 60_000) }),
    ];
    const { body } = await each(client, list, { sentAt: slow(0) });
    expect(outcomesOf(body)).toEqual(['applied 201', 'applied 201', 'applied 201', 'refused 400']);
    const said = invalid({ capturedAt: 'must not be more than 5 minutes in the future.' });
    expect(body.results[3].error).toEqual(said);
    const rows = await service.sql`
      select captured_at, device_id, device_seq, at, abs(extract(epoch from at - captured_at_corrected) - 60)::float8 as off
      from stock_transaction
      where body->>'itemID' = ${itemID}
      order by transaction_no`;
    expect(rows[0]).toMatchObject({ device_id: 's-12', device_seq: 2 ** 53 - 1 });
    expect(rows[0]!.at - rows[0]!.captured_at).toBeGreaterThan(hour);
    expect(rows[0]!.off).toBeLessThan(30);
    expect(rows[1]).toMatchObject({ captured_at: null, device_id: 'd', device_seq: null, off: null });
    expect(rows[2]).toMatchObject({ captured_at: null, device_id: null });
  });

  test('400: captured more than 5 minutes in the future without a sentAt, or before the year 1', async () => {
    const { client, itemID } = await setUp();
    const future = new Date(Date.now() + 6 * 60_000).toISOString();
    for (const [capturedAt, fields] of [
      [future, {}],
      ['0001-01-01', { sentAt: '9999-01-01' }],
    ] as const) {
      const { body } = await each(client, [receiveOf(itemID, 1, { capturedAt })], fields);
      expect(outcomesOf(body)).toEqual(['refused 400']);
    }
  });

  test('the first answer again after the clock of a device was corrected between two sends; 400 for new operations', async () => {
    const { client, itemID } = await setUp();
    const ahead = (ms = 0) => new Date(Date.now() + 86_400_000 + ms).toISOString();
    const times = { capturedAt: ahead(-60_000), deviceID: uniqueName('d') };
    const received = await each(client, [receiveOf(itemID, 5)]);
    const { transactionNo } = received.body.results[0].body;
    const operations = [
      receiveOf(itemID, 5, { key: uniqueName('k'), ...times, deviceSeq: 1 }),
      issueOf(itemID, 1000, { key: uniqueName('k'), ...times, deviceSeq: 2 }),
      { op: 'reverse', transactionNo, key: uniqueName('k'), ...times, deviceSeq: 3 },
    ];
    const first = await each(client, operations, { sentAt: ahead() });
    expect(outcomesOf(first.body)).toEqual(['applied 201', 'refused 409', 'applied 200']);
    const right = { sentAt: new Date().toISOString() };
    const again = await each(client, operations, right);
    const replayed = first.body.results.map((result: object) => ({ ...result, replayed: true }));
    expect(again.body.results).toEqual(replayed);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    const [operation] = operations;
    for (const [change, outcome] of [
      [{ key: uniqueName('k') }, 'refused 400'],
      [{ key: undefined }, 'refused 400'],
      // Another request under the same key.
      [{ units: 6 }, 'refused 409'],
      [{ wid: 3 }, 'refused 400'],
      [{ units: -1 }, 'refused 400'],
    ] as const) {
      const { body } = await each(client, [{ ...operation, ...change }], right);
      expect(outcomesOf(body)).toEqual([outcome]);
    }
    expect(await inStock(service, itemID)).toBe(5);
  });

  test('operations on one item keep the order of the list while somebody holds one of its gates', async () => {
    const { client, itemID } = await setUp();
    const [there, gone] = [receiveOf(itemID, 1, { wid: 2 }), issueOf(itemID, 1, { wid: 2 })];
    await each(client, [receiveOf(itemID, 5), there, gone]);
    const release = await holdGates(service.sql, itemID, 1);
    const moved = { op: 'move', itemID, units: 5, wid: 1, shipToWid: 2 };
    const operations = [moved, issueOf(itemID, 5, { wid: 2 })];
    const answer = client.post('/Inventory/Batch', { mode: 'each', operations });
    // Longer than a batch waits for a gate.
    await pause(700);
    await release();
    const possible = ['applied 200', 'notApplied 503'].map((outcome) => [outcome, outcome]);
    expect(possible).toContainEqual(outcomesOf((await answer).body));
  });

  test('503 for operations on the same item and warehouse behind one that is not applied, even when resent at once; the others are applied', async () => {
    const { client, itemID } = await setUp();
    await each(client, [receiveOf(itemID, 5)]);
    const key = uniqueName('key');
    const digest = createHash('sha256').update(key).digest('base64');
    // As when it is reported as not applied: for longer than the 300 ms, and not so far ahead that it would
    // be disbelieved.
    const refused = { digest, fingerprint: digest, askedAt: Date.now() + 9_500 };
    await refuseKeys(service.sql, [{ requestId: randomUUID(), clientId: client.clientId, key: refused }]);
    const operations = [
      receiveOf(itemID, 1),
      issueOf(itemID, 5, { key }),
      { op: 'count', itemID, counted: 7, wid: 1, reasonCode: 3, everywhere: true, key: uniqueName('key') },
      receiveOf(itemID, 1, { wid: 2 }),
      issueOf(itemID, 1),
    ];
    const [answer, others] = await Promise.all([
      client.post('/Inventory/Batch', { mode: 'each', operations }),
      Promise.all([1, 2, 3].map(() => each(client, [receiveOf(itemID, 1)]))),
    ]);
    const { body } = answer;
    notBusy({ ...answer, body: { results: [body.results[0], body.results[3]] } });
    const [applied, not] = ['applied 201', 'notApplied 503'];
    expect(outcomesOf(body)).toEqual([applied, not, not, applied, not]);
    expect(others.flatMap((other) => outcomesOf(other.body))).toEqual([applied, applied, applied]);
    expect(await inStock(service, itemID)).toBe(5 + 1 + 1 + 3);
  });

  test('400: a body that is no batch, or whose list is malformed; nothing is applied', async () => {
    const { client, itemID } = await setUp();
    const send = (body: string) => client.post('/Inventory/Batch', body);
    const text = JSON.stringify({ mode: 'each', operations: [receiveOf(itemID, 1)] });
    for (const malformed of [
      text.replace('[{', '[{,'),
      text.replace('}]', '},]'),
      text.replace('}]', '}'),
      text.replace('[{', '[[{'),
      `${text}}`,
      text.slice(0, -1),
      text.replace('"operations"', '"operations":[],"operations"'),
      text.replace('"operations"', '"operations":[],"operat\\u0069ons"'),
    ])
      expect((await send(malformed)).status, malformed).toBe(400);
    const twice = await send(text.replace('"units"', '"units":7,"units"'));
    expect(outcomesOf(twice.body)).toEqual(['refused 400']);
    expect(await inStock(service, itemID)).toBe(0);
    const escaped = await send(text.replace('operations', 'operat\\u0069ons'));
    expect(outcomesOf(escaped.body)).toEqual(['applied 201']);
  });

  test('400: a body that is nested too deeply, too large beside its operations, cut off, or without a list', async () => {
    const { client, itemID } = await setUp();
    const operation = JSON.stringify(receiveOf(itemID, 1, { more: 'x'.repeat(1000) }));
    const deep = `${operation.slice(0, -1)},"deep":${'['.repeat(64)}${']'.repeat(64)}}`;
    const large = `{"mode":"each","operations":[${Array(80).fill(operation)}]}`;
    const filled = `{"mode":"each","more":"${'x'.repeat(65_536)}","operations":`;
    const malformed = errorObject(400, 'bad_request', 'The body is not well-formed JSON.');
    const noList = invalid({ operations: 'must be a list.' });
    const tooLarge = 'Beside its operations a batch must be at most 65536 bytes.';
    for (const [body, error] of [
      [
        `{"mode":"each","operations":[${deep}]}`,
        errorObject(400, 'bad_request', 'The body is nested too deeply.'),
      ],
      [`${filled}[${operation}]}`, errorObject(400, 'bad_request', tooLarge)],
      [large.slice(0, -2), malformed],
      [large.slice(0, -500), malformed],
      [`${filled}[${operation}`, malformed],
      [`${filled}[]`, malformed],
      [`${filled}[]}}`, malformed],
      [`${filled}{}}`, noList],
      [`{"mode":"each","operations":{"a":[${Array(80).fill(operation)}]}}`, noList],
    ] as const)
      expectAnswer(await client.post('/Inventory/Batch', body), 400, error);
  });

  test('503 when a batch cannot be judged: "nothing was applied" without a key, "not known" with one', async () => {
    const { client, itemID } = await setUp();
    const received = await each(client, [receiveOf(itemID, 1)]);
    const reverse = { op: 'reverse', transactionNo: received.body.results[0].body.transactionNo };
    // It asks once: this is about the first answer.
    const hasty = createApiClient(service.baseUrls[0]!, client.clientId, client.token, { isPatient: false });
    const send = (operation: object, headers = {}, mode = 'each') =>
      hasty.post('/Inventory/Batch', { mode, operations: [operation] }, headers);
    // A machine that stands still may use up the time of a whole call, and then nothing is known.
    const unlessTooLate = async (call: () => ReturnType<typeof send>, left = 3): ReturnType<typeof send> => {
      const answer = await call();
      return answer.body.outcome === 'unknown' && left > 1 ? unlessTooLate(call, left - 1) : answer;
    };
    const [without, ...keyed] = await service.sql.begin(async (tx) => {
      await tx`lock table stock_transaction in access exclusive mode`;
      return Promise.all([
        unlessTooLate(() => send(reverse)),
        send({ ...reverse, key: uniqueName('key') }),
        send(reverse, { 'Idempotency-Key': uniqueName('key') }, 'atomic'),
      ]);
    });
    expect(without.status).toBe(503);
    expect([messages.unavailable, messages.unreachable]).toContain(without.body.message);
    for (const answer of keyed)
      expect(answer).toMatchObject({ status: 503, body: { message: messages.unknown } });
  });

  test('200: a body of up to 1 MiB; 413 above it', async () => {
    const { client, itemID } = await setUp();
    const filled = (bytes: number) => {
      const operations = Array.from({ length: 20 }, () => receiveOf(itemID, 1, { more: '' }));
      const room = bytes - JSON.stringify({ mode: 'each', operations }).length;
      operations.forEach((operation, index) => {
        operation.more = 'x'.repeat(Math.floor(room / 20) + (index < room % 20 ? 1 : 0));
      });
      return JSON.stringify({ mode: 'each', operations });
    };
    const full = notBusy(await client.post('/Inventory/Batch', filled(1024 * 1024)));
    expect(full.body.summary).toEqual({ applied: 20, refused: 0, notApplied: 0 });
    const larger = await client.post('/Inventory/Batch', filled(1024 * 1024 + 1));
    expectAnswer(larger, 413, errorObject(413, 'bad_request', 'The body is larger than 1048576 bytes.'));
  });
});
