import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { messages } from '@inventory/api/http/errors';
import { refuseKeys } from '@inventory/db/requests/idempotency-keys';
import { describe, expect } from 'vitest';
import { errorObject, expectAnswer, forbidden, validationError } from '../harness/contract/answers.ts';
import { holdGates } from '../harness/queue/batches.ts';
import { type ApiClient, createApiClient } from '../harness/service/api-client.ts';
import { notBusy, served as test } from '../harness/service/served.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { inStock, issueOf, outcomesOf, receiveOf } from '../harness/stock/operations.ts';
import { notEnough } from '../harness/stock/stock.ts';

const service = useService();

const each = async (client: ApiClient, operations: unknown[], fields: object = {}) =>
  notBusy(await client.post('/Inventory/Batch', { mode: 'each', operations, ...fields }));

const noted = (deviceSeq: number, deviceID = 's-12') => ({ deviceID, deviceSeq });

describe('POST /Inventory/Batch, each', () => {
  test('200: every operation is its own transaction with the answer of its call; a refused one does not stop the others', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const other = await service.item();
    const { status, body } = await each(client, [
      receiveOf(itemID, 5, { key: uniqueName('k') }),
      issueOf(itemID, 6),
      { op: 'move', itemID, units: 2, wid: 1, toSpot: 'B' },
      { op: 'count', itemID, counted: 4, wid: 1, reasonCode: 3, everywhere: true },
      receiveOf(other, 1),
      issueOf(itemID, 4),
    ]);
    expect(status).toBe(200);
    expect(outcomesOf(body)).toEqual([
      'applied 201',
      'refused 409',
      'applied 200',
      'applied 200',
      'applied 201',
      'applied 200',
    ]);
    expect(body.summary).toEqual({ applied: 5, refused: 1, notApplied: 0 });
    expect(body.mode).toBe('each');
    expect(body).not.toHaveProperty('gaps');
    expect(body.results[0]).toMatchObject({
      index: 0,
      body: { status: 'received', lot: { units: 5 } },
      replayed: false,
    });
    expect(body.results[1]).toEqual({
      ...{ index: 1, key: null, status: 'refused', statusCode: 409, replayed: false },
      // Judged against the stock that the earlier operation left.
      error: notEnough(6, 5),
    });
    expect(body.results[3].body).toMatchObject({ status: 'counted', before: 5, difference: -1 });
    const transactionNos = body.results.flatMap(
      (each: { body?: { transactionNo: number } }) => each.body?.transactionNo ?? [],
    );
    expect(new Set(transactionNos).size).toBe(5);
    expect(await inStock(service, itemID)).toBe(0);
  });

  test('200: a reversal in the middle, in the order of the list', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await each(client, [receiveOf(itemID, 5)]);
    const issued = await each(client, [issueOf(itemID, 5)]);
    const { transactionNo } = issued.body.results[0].body;
    const { body } = await each(client, [
      issueOf(itemID, 1),
      { op: 'reverse', transactionNo },
      issueOf(itemID, 1),
      { op: 'reverse', transactionNo },
      { op: 'reverse', transactionNo: 2 ** 40 },
    ]);
    expect(outcomesOf(body)).toEqual([
      'refused 409',
      'applied 200',
      'applied 200',
      'refused 409',
      'refused 404',
    ]);
  });

  test('200: 500 operations on one item keep the order of the list', async () => {
    const client = await service.client();
    const itemID = await service.item();
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
    const numbers = body.results.map(
      (result: { body: { transactionNo: number } }) => result.body.transactionNo,
    );
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });

  test('200: each malformed, forbidden or unknown operation has its own error and does not harm the others', async () => {
    const client = await service.client({ permissions: [11, 15, 95], warehouses: [1] });
    const itemID = await service.item();
    const { status, body } = await each(client, [
      receiveOf(itemID, 1),
      receiveOf(itemID, 0, { key: 'with space', deviceSeq: -1 }),
      { op: 'steal', itemID },
      receiveOf(itemID, 1, { wid: 3 }),
      issueOf(itemID, 1),
      { op: 'count', itemID: '' },
      { op: 'move', itemID, units: 1, wid: 1, shipToWid: 2 },
      receiveOf('unknown', 1),
      7,
      receiveOf(itemID, 1, { remark: null, more: [1] }),
    ]);
    expect(status).toBe(200);
    expect(body.results.map((result: { error?: unknown }) => result.error ?? null)).toEqual([
      null,
      validationError({
        units: ['units must be greater than 0.'],
        key: ['key must be 1 to 255 visible ASCII characters.'],
        deviceSeq: ['deviceSeq must be at least 0.'],
      }),
      validationError({ op: ['op must be one of receive, move, issue, count, reverse.'] }),
      forbidden.scope,
      forbidden.permission,
      forbidden.permission,
      forbidden.scope,
      validationError({ itemID: ['itemID is not a known item.'] }),
      errorObject(400, 'bad_request', 'An operation must be a JSON object.'),
      null,
    ]);
    expect(body.summary).toEqual({ applied: 2, refused: 8, notApplied: 0 });
  });

  test('400: an operation with dryRun; it is not applied', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const { body } = await each(client, [
      receiveOf(itemID, 5, { dryRun: false }),
      issueOf(itemID, 5, { dryRun: true }),
    ]);
    expect(outcomesOf(body)).toEqual(['applied 201', 'refused 400']);
    expect(body.results[1].error).toEqual(
      validationError({ dryRun: ['dryRun is for a whole batch, of mode atomic.'] }),
    );
    expect(await inStock(service, itemID)).toBe(5);
  });

  test('a key is the same in a batch and in the header of a single call: each replays the first answer', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const [alone, batched] = [uniqueName('alone'), uniqueName('batched')];
    const body = { itemID, units: 5, wid: 1, reasonCode: 1 };
    const single = await client.post('/Inventory/Receive', body, { 'Idempotency-Key': alone });
    const first = await each(client, [
      receiveOf(itemID, 5, { key: alone }),
      receiveOf(itemID, 5, { key: batched }),
    ]);
    expect(outcomesOf(first.body)).toEqual(['applied 201', 'applied 201']);
    const replayed = first.body.results.map((result: { replayed: boolean }) => result.replayed);
    expect(replayed).toEqual([true, false]);
    expect(first.body.results[0].body).toEqual(single.body);
    const later = await client.post('/Inventory/Receive', body, { 'Idempotency-Key': batched });
    expect(later.headers.get('Idempotent-Replayed')).toBe('true');
    expect(later.body).toEqual(first.body.results[1].body);
    // The device data is no part of the request's identity.
    const other = await each(client, [
      receiveOf(itemID, 1),
      receiveOf(itemID, 5, { key: batched, ...noted(7, uniqueName('d')) }),
    ]);
    expect(other.body.results[1]).toMatchObject({ key: batched, replayed: true, body: later.body });
    const changed = await each(client, [receiveOf(itemID, 6, { key: batched })]);
    expect(outcomesOf(changed.body)).toEqual(['refused 409']);
    expect(await inStock(service, itemID)).toBe(11);
  });

  test('a resend without a key is a new request', async () => {
    const client = await service.client();
    const itemID = await service.item();
    for (let send = 0; send < 2; send++) await each(client, [receiveOf(itemID, 1), receiveOf(itemID, 1)]);
    expect(await inStock(service, itemID)).toBe(4);
  });

  test('device data is stored, raw and corrected by the clock error of the device', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const hour = 3_600_000;
    const slow = (ms: number) => new Date(Date.now() - hour + ms).toISOString();
    const { body } = await each(
      client,
      [
        receiveOf(itemID, 1, { capturedAt: slow(-60_000), ...noted(2 ** 53 - 1) }),
        receiveOf(itemID, 1, { deviceID: 'd' }),
        receiveOf(itemID, 1),
        receiveOf(itemID, 1, { capturedAt: slow(6 * 60_000) }),
      ],
      { sentAt: slow(0) },
    );
    expect(outcomesOf(body)).toEqual(['applied 201', 'applied 201', 'applied 201', 'refused 400']);
    expect(body.results[3].error.details).toEqual({
      capturedAt: ['capturedAt must not be more than 5 minutes in the future.'],
    });
    const numbers = body.results
      .slice(0, 3)
      .map((result: { body: { transactionNo: number } }) => result.body.transactionNo);
    const rows = await service.sql`
      select captured_at, device_id, device_seq, at, abs(extract(epoch from at - captured_at_corrected) - 60)::float8 as off
      from stock_transaction
      where transaction_no = any(${numbers})
      order by transaction_no`;
    expect(rows[0]).toMatchObject({ device_id: 's-12', device_seq: 2 ** 53 - 1 });
    expect(rows[0]!.at - rows[0]!.captured_at).toBeGreaterThan(hour);
    expect(rows[0]!.off).toBeLessThan(30);
    expect(rows[1]).toMatchObject({ captured_at: null, device_id: 'd', device_seq: null, off: null });
    expect(rows[2]).toMatchObject({ captured_at: null, device_id: null });
  });

  test('400: captured more than 5 minutes in the future without a sentAt, or before the year 1', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const capturedAt = new Date(Date.now() + 6 * 60_000).toISOString();
    const future = await each(client, [receiveOf(itemID, 1, { capturedAt })]);
    expect(outcomesOf(future.body)).toEqual(['refused 400']);
    const past = await each(client, [receiveOf(itemID, 1, { capturedAt: '0001-01-01' })], {
      sentAt: '9999-01-01',
    });
    expect(outcomesOf(past.body)).toEqual(['refused 400']);
  });

  test('the first answer again after the clock of a device was corrected between two sends; 400 for new operations', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const ahead = (ms = 0) => new Date(Date.now() + 86_400_000 + ms).toISOString();
    const capturedAt = ahead(-60_000);
    const times = { capturedAt, deviceID: uniqueName('d') };
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
    expect(again.body.results).toEqual(
      first.body.results.map((result: object) => ({ ...result, replayed: true })),
    );
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    const [operation] = operations;
    for (const [other, outcome] of [
      [{ ...operation, key: uniqueName('k') }, 'refused 400'],
      [{ ...operation, key: undefined }, 'refused 400'],
      // Another request under the same key.
      [{ ...operation, units: 6 }, 'refused 409'],
      [{ ...operation, wid: 3 }, 'refused 400'],
      [{ ...operation, units: -1 }, 'refused 400'],
    ] as const) {
      expect(outcomesOf((await each(client, [other], right)).body)).toEqual([outcome]);
    }
    expect(await inStock(service, itemID)).toBe(5);
  });

  test('operations on one item keep the order of the list while somebody holds one of its gates', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await each(client, [
      receiveOf(itemID, 5),
      receiveOf(itemID, 1, { wid: 2 }),
      issueOf(itemID, 1, { wid: 2 }),
    ]);
    const release = await holdGates(service.sql, itemID, 1);
    const moved = { op: 'move', itemID, units: 5, wid: 1, shipToWid: 2 };
    const answer = client.post('/Inventory/Batch', {
      mode: 'each',
      operations: [moved, issueOf(itemID, 5, { wid: 2 })],
    });
    // Longer than a batch waits for a gate.
    await pause(700);
    await release();
    const outcomes = outcomesOf((await answer).body);
    expect([
      ['applied 200', 'applied 200'],
      ['notApplied 503', 'notApplied 503'],
    ]).toContainEqual(outcomes);
  });

  test('503 for operations on the same item and warehouse behind one that is not applied, even when resent at once; the others are applied', async () => {
    const client = await service.client();
    const itemID = await service.item();
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
    const notApplied = 'notApplied 503';
    const applied = 'applied 201';
    expect(outcomesOf(body)).toEqual([applied, notApplied, notApplied, applied, notApplied]);
    expect(others.flatMap((other) => outcomesOf(other.body))).toEqual([applied, applied, applied]);
    expect(await inStock(service, itemID)).toBe(5 + 1 + 1 + 3);
  });

  test('400: a body that is not a batch; nothing is applied', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const operations = [receiveOf(itemID, 1)];
    expectAnswer(
      await client.post('/Inventory/Batch', { operations: [], sentAt: 'now' }),
      400,
      validationError({
        mode: ['mode must be each or atomic.'],
        sentAt: ['sentAt must be an ISO 8601 date or datetime.'],
        operations: ['operations must hold at least 1 operation.'],
      }),
    );
    const tooMany = Array.from({ length: 501 }, () => receiveOf(itemID, 1));
    for (const [body, message] of [
      [{ mode: 'each' }, 'is required.'],
      [{ mode: 'each', operations: {} }, 'must be a list.'],
      [{ mode: 'each', operations: null }, 'is required.'],
      [{ mode: 'each', operations: tooMany }, 'must hold at most 500 operations.'],
    ] as const) {
      const answer = await client.post('/Inventory/Batch', body);
      expectAnswer(answer, 400, validationError({ operations: [`operations ${message}`] }));
    }
    const text = JSON.stringify({ mode: 'each', operations });
    for (const malformed of [
      text.replace('[{', '[{,'),
      text.replace('}]', '},]'),
      text.replace('}]', '}'),
      text.replace('[{', '[[{'),
      `${text}}`,
      text.slice(0, -1),
      text.replace('"operations"', '"operations":[],"operations"'),
      text.replace('"operations"', '"operations":[],"operat\\u0069ons"'),
    ]) {
      expect((await client.post('/Inventory/Batch', malformed)).status, malformed).toBe(400);
    }
    const twice = await client.post('/Inventory/Batch', text.replace('"units"', '"units":7,"units"'));
    expect(outcomesOf(twice.body)).toEqual(['refused 400']);
    expect(await inStock(service, itemID)).toBe(0);
    const escaped = await client.post('/Inventory/Batch', text.replace('operations', 'operat\\u0069ons'));
    expect(outcomesOf(escaped.body)).toEqual(['applied 201']);
  });

  test('400: a body nested too deeply, or too large beside its operations', async () => {
    const client = await service.client();
    const operation = JSON.stringify(receiveOf(await service.item(), 1));
    const deep = `{"mode":"each","operations":[${operation.slice(0, -1)},"more":${'['.repeat(64)}${']'.repeat(64)}}]}`;
    expectAnswer(
      await client.post('/Inventory/Batch', deep),
      400,
      errorObject(400, 'bad_request', 'The body is nested too deeply.'),
    );
    const large = `{"mode":"each","more":"${'x'.repeat(65_536)}","operations":[${operation}]}`;
    expectAnswer(
      await client.post('/Inventory/Batch', large),
      400,
      errorObject(400, 'bad_request', 'Beside its operations a batch must be at most 65536 bytes.'),
    );
  });

  test('400: a large body that is cut off, or whose operations are not a list', async () => {
    const client = await service.client();
    const operation = JSON.stringify(receiveOf(await service.item(), 1, { more: 'x'.repeat(1000) }));
    const large = `{"mode":"each","operations":[${Array(80).fill(operation)}]}`;
    const filled = `{"mode":"each","more":"${'x'.repeat(65_536)}","operations":`;
    const malformed = [
      large.slice(0, -2),
      large.slice(0, -500),
      `${filled}[${operation}`,
      `${filled}[]`,
      `${filled}[]}}`,
    ];
    for (const body of malformed) {
      const answer = await client.post('/Inventory/Batch', body);
      expectAnswer(answer, 400, errorObject(400, 'bad_request', 'The body is not well-formed JSON.'));
    }
    for (const body of [
      `${filled}{}}`,
      `{"mode":"each","operations":{"a":[${Array(80).fill(operation)}]}}`,
    ]) {
      const answer = await client.post('/Inventory/Batch', body);
      expectAnswer(answer, 400, validationError({ operations: ['operations must be a list.'] }));
    }
  });

  test('503 when a batch cannot be judged: "nothing was applied" without a key, "not known" with one', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const received = notBusy(
      await client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 1 }),
    );
    const { transactionNo } = received.body;
    // It asks once: this is about the first answer.
    const hasty = createApiClient(service.baseUrls[0]!, client.clientId, client.token, { isPatient: false });
    const send = (operation: object, headers = {}, mode = 'each') =>
      hasty.post('/Inventory/Batch', { mode, operations: [operation] }, headers);
    const reverse = { op: 'reverse', transactionNo };
    const [without, withKey, withHeader] = await service.sql.begin(async (tx) => {
      await tx`lock table stock_transaction in access exclusive mode`;
      return Promise.all([
        send(reverse),
        send({ ...reverse, key: uniqueName('key') }),
        send(reverse, { 'Idempotency-Key': uniqueName('key') }, 'atomic'),
      ]);
    });
    expect(without).toMatchObject({ status: 503 });
    expect([messages.unavailable, messages.unreachable]).toContain(without.body.message);
    expect(withKey).toMatchObject({ status: 503, body: { message: messages.unknown } });
    expect(withHeader).toMatchObject({ status: 503, body: { message: messages.unknown } });
  });

  test('a body of up to 1 MiB; 413 above it', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const filled = (bytes: number) => {
      const body = {
        mode: 'each',
        operations: Array.from({ length: 20 }, () => receiveOf(itemID, 1, { more: '' })),
      };
      const room = bytes - JSON.stringify(body).length;
      body.operations.forEach((operation, index) => {
        operation.more = 'x'.repeat(Math.floor(room / 20) + (index < room % 20 ? 1 : 0));
      });
      return JSON.stringify(body);
    };
    const full = notBusy(await client.post('/Inventory/Batch', filled(1024 * 1024)));
    expect(full.status).toBe(200);
    expect(full.body.summary.applied).toBe(20);
    const larger = await client.post('/Inventory/Batch', filled(1024 * 1024 + 1));
    expectAnswer(larger, 413, errorObject(413, 'bad_request', 'The body is larger than 1048576 bytes.'));
  });
});
