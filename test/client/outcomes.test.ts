import { InventoryClient, type InventoryError, memoryStorage } from '@inventory/client';
import { describe, expect, test } from 'vitest';

type Answer = Response | 'lost';

/** A client of a service that gives these answers, the last one for ever; and the requests that it sends. */
function clientOf(answers: (() => Answer)[], options: { exact?: boolean; timeoutMs?: number } = {}) {
  const sent: { key: string | null; body: string }[] = [];
  const fetch = async (input: string | URL | Request, init: RequestInit = {}) => {
    if (String(input).endsWith('/Token')) return Response.json({ access_token: 't', expires_in: 1e6 });
    const place = Math.min(sent.length, answers.length - 1);
    sent.push({ key: new Headers(init.headers).get('Idempotency-Key'), body: init.body as string });
    const given = answers[place]!();
    if (given === 'lost') throw new TypeError('fetch failed');
    return given;
  };
  const credentials = { baseUrl: 'http://localhost/api/v1', clientId: 'a', clientSecret: 'b' };
  const inventory = new InventoryClient({
    ...{ ...credentials, ...options, fetch: fetch as typeof globalThis.fetch },
  });
  return { inventory, sent };
}

const lost = (): Answer => 'lost';
const answer = (status: number, body: object) => () => Response.json(body, { status });
const ok = (body: object) => answer(200, body);
const refusal = (status: number, error: string, more: object = {}) =>
  answer(status, { statusCode: status, error, message: 'No.', ...more });
const forbidden = refusal(403, 'forbidden');
const errorOf = (call: Promise<unknown>): Promise<InventoryError> =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );

const receipt = { itemID: 'A', units: 1, wid: 1, reasonCode: 1 };
const operation = { op: 'receive' as const, ...receipt };
const reversal = { op: 'reverse' as const, transactionNo: 4 };

describe('a stock transaction through api is applied once', () => {
  const bodies: [string, object][] = [
    ...['Receive', 'Move', 'Issue', 'Count', 'Reverse', 'Hold'].map((name): [string, object] => [
      name,
      receipt,
    ]),
    ['Batch', { mode: 'atomic', operations: [operation] }],
  ];
  test.each(bodies)('%s: a resend has the key of the first send', async (name, body) => {
    const { inventory, sent } = clientOf([lost, ok({ transactionNo: 5, results: [] })]);
    const { data } = await inventory.api.POST(`/Inventory/${name}` as '/Inventory/Receive', {
      body: body as typeof receipt,
    });
    expect(data).toMatchObject({ transactionNo: 5 });
    expect(sent.map(({ key }) => key)).toEqual([sent[0]!.key, sent[0]!.key]);
    expect(sent[0]!.key).toMatch(/^\S{20,}$/);
  });

  test('a list of mode each is sent again only if each operation has a key', async () => {
    const send = async (operations: object[], first = lost) => {
      const { inventory, sent } = clientOf([first, ok({ results: [] })]);
      const body = { mode: 'each' as const, operations: operations as (typeof operation)[] };
      const ended = await inventory.api.POST('/Inventory/Batch', { body }).then(
        () => 'answered',
        ({ outcome }: InventoryError) => outcome,
      );
      return [ended, sent.length];
    };
    expect(await send([operation])).toEqual(['unknown', 1]);
    // Of a proxy, after the service had applied it.
    expect(await send([operation], answer(401, {}))).toEqual(['unknown', 1]);
    expect(await send([operation], refusal(401, 'unauthorized'))).toEqual(['answered', 2]);
    expect(await send([{ ...operation, key: 'a' }, operation])).toEqual(['unknown', 1]);
    expect(
      await send([
        { ...operation, key: 'a' },
        { ...operation, key: 'b' },
      ]),
    ).toEqual(['answered', 2]);
  });

  test('with a key of its own, a refusal for rights is unknown: an earlier call may have sent it', async () => {
    const { inventory } = clientOf([forbidden]);
    const header = { 'Idempotency-Key': 'own' };
    const call = inventory.api.POST('/Inventory/Receive', { params: { header }, body: receipt });
    expect(await errorOf(call)).toMatchObject({ status: 403, outcome: 'unknown' });
    expect(await errorOf(inventory.api.POST('/Inventory/Receive', { body: receipt }))).toMatchObject({
      ...{ status: 403, outcome: 'notApplied' },
    });
  });
});

describe('a refusal before the keys were looked up does not speak for a send whose answer was lost', () => {
  const refused = (...statusCodes: number[]) =>
    refusal(409, 'conflict', {
      reason: 'operationRefused',
      results: statusCodes.map((statusCode) => ({ status: 'refused', statusCode, error: {} })),
    });
  const lists: [string, () => Response, string][] = [
    ['the list was decided before', refusal(409, 'conflict', { reason: 'operationRefused' }), 'unknown'],
    ['a right was lost', refused(503, 403), 'unknown'],
    ['a warehouse was lost', refused(503, 404), 'unknown'],
    ['the stock refuses it', refused(503, 409), 'notApplied'],
    ['it is malformed', refused(503, 400), 'notApplied'],
    ['the key was used for another list', refusal(409, 'conflict', { reason: 'keyReused' }), 'notApplied'],
  ];
  test.each(lists)('an atomic list, %s', async (_, refused, outcome) => {
    const { inventory, sent } = clientOf([lost, refused]);
    const call = inventory.batch({ mode: 'atomic', operations: [operation, operation] });
    expect(await errorOf(call)).toMatchObject({ status: 409, outcome });
    expect(sent).toHaveLength(2);
  });

  test.each([403, 404])('%i to an operation of mode each', async (statusCode) => {
    const error = { statusCode, error: 'not_found', message: 'No.' };
    const results = ok({ results: [{ index: 0, key: 'own', status: 'refused', statusCode, error }] });
    const outcomeOf = async (answers: (() => Answer)[], key?: string) => {
      const { inventory } = clientOf(answers);
      const told = await inventory.batch({ mode: 'each', operations: [{ ...reversal, key }] });
      return (told.results[0] as { error: { outcome?: string } }).error.outcome;
    };
    expect(await outcomeOf([results])).toBeUndefined();
    expect(await outcomeOf([lost, results])).toBe('unknown');
    expect(await outcomeOf([results], 'own')).toBe('unknown');
  });

  test.each([403, 404])('%i to an operation of a queue', async (statusCode) => {
    const error = { statusCode, error: 'not_found', message: 'No.' };
    const results = ok({ results: [{ status: 'refused', statusCode, error }] });
    const outcomeOf = async (answers: (() => Answer)[], isStored: boolean) => {
      const storage = memoryStorage();
      const evidence = { key: 'k', capturedAt: '2026-01-01T00:00:00Z', deviceID: 's' };
      // Stored by a program that has ended since, perhaps after it had sent it.
      if (isStored) await storage.add({ ...reversal, ...evidence });
      const queue = clientOf(answers).inventory.offlineQueue({ storage, deviceID: 's' });
      if (!isStored) await queue.push(reversal);
      await queue.drained();
      await queue.close();
      return queue.refused.map(({ outcome }) => outcome);
    };
    expect(await outcomeOf([results], false)).toEqual(['notApplied']);
    expect(await outcomeOf([lost, results], false)).toEqual(['unknown']);
    expect(await outcomeOf([results], true)).toEqual(['unknown']);
  });

  test.each<[string, () => Response, string]>([
    ['a proxy', answer(401, { message: 'Unauthorized' }), 'unknown'],
    ['the service', refusal(401, 'unauthorized'), 'notApplied'],
  ])('a token that %s refused', async (_, unauthorized, outcome) => {
    const { inventory, sent } = clientOf([unauthorized, forbidden]);
    expect(await errorOf(inventory.receive(receipt))).toMatchObject({ status: 403, outcome });
    expect(sent).toHaveLength(2);
  });
});

describe('an answer of success counts only if it has what each one of the service has', () => {
  const calls: [string, (inventory: InventoryClient) => Promise<unknown>, string][] = [
    ['receive', (inventory) => inventory.receive(receipt), 'unknown'],
    ['hold', (inventory) => inventory.hold({ recno: 1, hold: true }), 'unknown'],
    ['batch', (inventory) => inventory.batch({ mode: 'atomic', operations: [operation] }), 'unknown'],
    ['each', (inventory) => inventory.batch({ mode: 'each', operations: [operation] }), 'unknown'],
    ['createItem', (inventory) => inventory.createItem({ shortID: 'A' }), 'unknown'],
    ['discontinueItem', (inventory) => inventory.discontinueItem('A'), 'unknown'],
    ['setMinimum', (inventory) => inventory.setMinimum({ wid: 1, partNo: 1, minimum: 1 }), 'unknown'],
    ['lots', (inventory) => inventory.lots().page(), 'notApplied'],
    ['items', (inventory) => inventory.items().page(), 'notApplied'],
    ['item', (inventory) => inventory.item(4), 'notApplied'],
    ['lot', (inventory) => inventory.lot(4), 'notApplied'],
    ['changes', (inventory) => inventory.changes().page(), 'notApplied'],
    ['me', (inventory) => inventory.me(), 'notApplied'],
    ['scan', (inventory) => inventory.scan({ scans: [{ data: 'A' }] }), 'notApplied'],
  ];
  test.each(calls)('%s', async (_, call, outcome) => {
    const { inventory } = clientOf([ok({ status: 'maintenance' })], { timeoutMs: 300 });
    expect(await errorOf(call(inventory))).toMatchObject({ code: 'unexpected_answer', outcome });
  });

  test('a damaged number is not taken for a text', async () => {
    for (const units of ['5.2.5', '1-2', '05', '1e', '5.']) {
      const damaged = () => new Response(`{"transactionNo":5,"units":${units}}`);
      const { inventory } = clientOf([damaged], { exact: true, timeoutMs: 300 });
      expect(await errorOf(inventory.receive(receipt)), units).toMatchObject({ code: 'unexpected_answer' });
    }
    const whole = () => new Response('{"transactionNo":5,"units": -0.50e+3}');
    const { inventory } = clientOf([whole], { exact: true });
    expect(await inventory.receive(receipt)).toEqual({ transactionNo: 5, units: '-0.50e+3' });
  });
});

describe('TypeError: a value that JSON does not have, which would be read as left out', () => {
  const values: [string, unknown][] = [
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a bigint', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['an invalid date', new Date(Number.NaN)],
  ];
  test.each(values)('%s', async (_, value) => {
    const { inventory, sent } = clientOf([ok({ transactionNo: 5, results: [], partNo: 1 })]);
    const wrong = value as number;
    const queue = inventory.offlineQueue({ storage: memoryStorage(), deviceID: 's' });
    const many = Array.from({ length: 501 }, (_, index) => ({
      ...operation,
      units: index === 500 ? wrong : 1,
    }));
    const calls: [string, () => Promise<unknown>][] = [
      ['recno', () => inventory.issue({ ...receipt, recno: wrong })],
      ['minimum', () => inventory.setMinimum({ wid: 1, partNo: 1, minimum: wrong })],
      ['units', () => inventory.batch({ mode: 'each', operations: many })],
      ['units', () => queue.push({ ...operation, units: wrong })],
    ];
    for (const [name, call] of calls) {
      const error = await errorOf(call());
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain(name);
    }
    expect([sent, queue.size]).toEqual([[], 0]);
    await queue.close();
  });
});

test('an operation that cannot be sent, stored by an earlier version, is refused and holds nothing up', async () => {
  const storage = memoryStorage();
  const evidence = { capturedAt: '2026-01-01T00:00:00Z', deviceID: 's' };
  await storage.add({ ...operation, units: Number.NaN, key: 'a', ...evidence });
  await storage.add({ ...operation, key: 'b', ...evidence });
  const results = [{ status: 'applied', statusCode: 201, body: {} }];
  const { inventory, sent } = clientOf([ok({ results })]);
  const queue = inventory.offlineQueue({ storage, deviceID: 's' });
  await queue.drained();
  expect(queue.refused).toMatchObject([{ operation: { key: 'a' }, statusCode: 400 }]);
  expect(sent.map(({ body }) => JSON.parse(body).operations.length)).toEqual([1]);
  await queue.close();
});

test('middleware of api sees the answers of all methods, and may give others', async () => {
  const { inventory } = clientOf([
    () => Response.json({ warehouses: [] }, { headers: { 'X-Request-Id': 'r-1' } }),
  ]);
  const seen: unknown[] = [];
  inventory.api.use({
    onRequest: ({ schemaPath }) =>
      schemaPath === '/Reasons' ? Response.json({ value: [{ reasonCode: 4 }], hasMore: false }) : undefined,
    onResponse: ({ response, schemaPath }) => {
      seen.push([schemaPath, response.status, response.headers.get('X-Request-Id')]);
    },
  });
  expect(await inventory.me()).toEqual({ warehouses: [] });
  expect((await inventory.reasons().page()).value).toEqual([{ reasonCode: 4 }]);
  expect(seen).toEqual([['/Me', 200, 'r-1']]);
  // Not that of the document, but of the caller's own.
  expect((await inventory.api.GET('/Item/7' as '/Item', {})).data).toEqual({ warehouses: [] });
});
