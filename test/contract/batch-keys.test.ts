import { describe, expect, test } from 'vitest';
import { errorObject, expectAnswer, validationError } from '../harness/contract/answers.ts';
import { type ApiAnswer, type ApiClient, untilAnswered } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { inStock, issueOf, type Operation, outcomesOf, receiveOf } from '../harness/stock/operations.ts';

const service = useService({ workers: 2 });

const forms = ['single', 'each', 'atomic'] as const;
type Form = (typeof forms)[number];

/**
 * Sends an operation under a key in one of the forms until it is answered; returns the answer of its call.
 */
async function sendAs(form: Form, client: ApiClient, { key, ...operation }: Operation) {
  if (form === 'single') {
    const { op, ...body } = operation;
    const path = `/Inventory/${op[0]!.toUpperCase()}${op.slice(1)}`;
    const headers = { 'Idempotency-Key': key as string };
    const {
      status,
      headers: told,
      body: answer,
    } = await untilAnswered(() => client.post(path, body, headers));
    return { status, body: answer, replayed: told.get('Idempotent-Replayed') === 'true' };
  }
  const list = { mode: form, operations: [{ ...operation, key }] };
  for (;;) {
    const { body } = await client.post('/Inventory/Batch', list);
    const [result] = body.results ?? [];
    if (result === undefined || result.status === 'notApplied') continue;
    return { status: result.statusCode, body: result.body ?? result.error, replayed: result.replayed };
  }
}

async function keysOf({ clientId }: ApiClient): Promise<number> {
  const rows = await service.sql`select from idempotency_key where client_id = ${clientId}`;
  return rows.length;
}

describe('400, nothing applied and no key used', () => {
  const [a, b, c] = ['a', 'b', 'c'];
  const same = (places: string) => `must have keys that differ: ${places} have the same.`;
  const ofHeader = (places: string) =>
    `must have other keys than the Idempotency-Key of the list: ${places}.`;
  const bad = { units: -1 };
  type Case = [name: string, keys: (string | [string, object])[], messages: string[], header?: string];
  const cases: Case[] = [
    ['a key twice', [a, a], [same('0 and 1')]],
    ['a key twice, for different operations', [a, [a, { units: 2 }]], [same('0 and 1')]],
    ['a key three times among others', [b, a, c, a, 'd', a], [same('1, 3 and 5')]],
    ['two keys twice', [a, b, b, a], [same('0 and 3'), same('1 and 2')]],
    ['a key twice, once of a malformed operation', [a, [a, bad]], [same('0 and 1')]],
    ['a key twice, once of a forbidden operation', [[a, { wid: 3 }], b, a], [same('0 and 2')]],
    ['the key of the header', [b, a], [ofHeader('1')], a],
    ['the key of the header twice', [a, b, a], [same('0 and 2'), ofHeader('0 and 2')], a],
    ['the key of the header, of a malformed operation', [[a, bad], b], [ofHeader('0')], a],
  ];

  for (const mode of ['each', 'atomic'] as const) {
    for (const dryRun of mode === 'atomic' ? [false, true] : [false]) {
      test.each(cases.filter(([, , , header]) => header === undefined || mode === 'atomic'))(
        `${mode}${dryRun ? ', dry run' : ''}: %s`,
        async (_, keys, messages, header) => {
          const client = await service.client();
          const itemID = await service.item();
          const name = uniqueName('key');
          const operations = keys.map((each) => {
            const [key, fields] = typeof each === 'string' ? [each, {}] : each;
            return receiveOf(itemID, 1, { key: `${name}-${key}`, ...fields });
          });
          const headers: Record<string, string> =
            header === undefined ? {} : { 'Idempotency-Key': `${name}-${header}` };
          const answer = await client.post('/Inventory/Batch', { mode, dryRun, operations }, headers);
          const details = messages.map((message) => `operations ${message}`);
          expectAnswer(answer, 400, validationError({ operations: details }));
          expect([await inStock(service, itemID), await keysOf(client)]).toEqual([0, 0]);
        },
      );
    }
  }

  test('400: mode each with an Idempotency-Key in the header; the key stays free for a call', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const headers = { 'Idempotency-Key': uniqueName('header') };
    for (const operations of [
      [receiveOf(itemID, 1)],
      [receiveOf(itemID, 1, { key: uniqueName('own') })],
      [receiveOf(itemID, 1, { key: headers['Idempotency-Key'] })],
      [receiveOf(itemID, -1)],
    ]) {
      const message =
        'Idempotency-Key is for mode atomic. In mode each every operation has a key of its own: key.';
      const answer = await client.post('/Inventory/Batch', { mode: 'each', operations }, headers);
      expectAnswer(answer, 400, errorObject(400, 'bad_request', message));
    }
    expect([await inStock(service, itemID), await keysOf(client)]).toEqual([0, 0]);
    const { op: _, ...body } = receiveOf(itemID, 1);
    const single = await untilAnswered(() => client.post('/Inventory/Receive', body, headers));
    expect(single.status).toBe(201);
  });
});

test('400 for each operation with an invalid key, given twice or not; keys that differ in case are different', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const name = uniqueName('case');
  const operations = ['', '', 'a b', 'a b', 7, 7, `${name}-x`, `${name}-X`, null, null].map((key) => ({
    ...receiveOf(itemID, 1),
    key,
  }));
  const { body } = await untilAnswered(() => client.post('/Inventory/Batch', { mode: 'each', operations }));
  expect(outcomesOf(body)).toEqual([...Array(6).fill('refused 400'), ...Array(4).fill('applied 201')]);
});

describe('one key is one transaction: the form that comes first is applied, and every other form replays its answer', () => {
  const kinds: [string, (itemID: string, client: ApiClient) => Promise<Operation>][] = [
    ['receive', async (itemID) => receiveOf(itemID, 5, { spot: 'A', serial: 'S', price: 1.5 })],
    ['move', async (itemID) => ({ op: 'move', itemID, units: 2, wid: 1, toSpot: 'B', shipToWid: 2 })],
    ['issue', async (itemID) => issueOf(itemID, 3, { reference: 'order' })],
    [
      'count',
      async (itemID) => ({
        op: 'count',
        itemID,
        everywhere: true,
        counted: 4,
        wid: 1,
        reasonCode: 3,
        remark: 'c',
      }),
    ],
    [
      'reverse',
      async (itemID, client) => {
        const issued = await sendAs('single', client, issueOf(itemID, 1, { key: uniqueName('k') }));
        return { op: 'reverse', transactionNo: issued.body.transactionNo, remark: 'back' };
      },
    ],
    ['a refused issue', async (itemID) => issueOf(itemID, 999)],
  ];

  test.each(kinds)('%s', async (name, make) => {
    const client = await service.client();
    const itemID = await service.item();
    await sendAs('single', client, receiveOf(itemID, 100, { key: uniqueName('k') }));
    // A refused list uses no key.
    for (const first of name === 'a refused issue' ? forms.slice(0, 2) : forms) {
      const operation = { ...(await make(itemID, client)), key: uniqueName('key') };
      const answer = await sendAs(first, client, operation);
      const before = await inStock(service, itemID);
      for (const form of forms) {
        expect(await sendAs(form, client, operation), `${first}, ${form}`).toEqual({
          ...answer,
          replayed: true,
        });
        const other = await sendAs(form, client, receiveOf(itemID, 7, { key: operation.key }));
        expect(other.status, `${first}, ${form}`).toBe(409);
      }
      expect(await inStock(service, itemID)).toBe(before);
    }
  });

  test('a resend keeps the device data of the first send', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const noted = (deviceSeq: number) => ({
      ...{ deviceID: 's-12', deviceSeq, capturedAt: `2026-01-0${deviceSeq}T00:00:00.000Z` },
    });
    const operation = receiveOf(itemID, 1, { key: uniqueName('key') });
    const { body } = await sendAs('each', client, { ...operation, ...noted(1) });
    await sendAs('atomic', client, { ...operation, ...noted(2) });
    await sendAs('single', client, operation);
    const told = await client.get(`/Inventory/Transactions/${body.transactionNo}`);
    expect(told.body).toMatchObject(noted(1));
  });

  test('409: the key of an atomic list, used again for a call or an operation', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const operations = [receiveOf(itemID, 1)];
    const headers = { 'Idempotency-Key': uniqueName('list') };
    const send = (list: unknown[]) =>
      untilAnswered(() => client.post('/Inventory/Batch', { mode: 'atomic', operations: list }, headers));
    expect((await send(operations)).status).toBe(200);
    for (const form of forms) {
      const used = await sendAs(form, client, { ...operations[0]!, key: headers['Idempotency-Key'] });
      expect([used.status, used.body.message]).toEqual([
        409,
        'This Idempotency-Key was used with another request.',
      ]);
    }
    expect((await send([...operations, ...operations])).status).toBe(409);
    expect((await send(operations)).headers.get('Idempotent-Replayed')).toBe('true');
    expect(await inStock(service, itemID)).toBe(1);
  });
});

describe('a refused atomic list uses up none of its operations’ keys', () => {
  type Refused = { list: Operation[]; answer: ApiAnswer; headers: Record<string, string> };
  /** A list whose second operation is refused, by the stock or before the stock is asked. */
  async function refuse(client: ApiClient, itemID: string, culprit: object): Promise<Refused> {
    const list = [
      receiveOf(itemID, 1, { key: uniqueName('first') }),
      issueOf(itemID, 5, { key: uniqueName('culprit'), ...culprit }),
      receiveOf(itemID, 2, { key: uniqueName('last') }),
    ];
    const headers = { 'Idempotency-Key': uniqueName('list') };
    const body = { mode: 'atomic', operations: list };
    const answer = await untilAnswered(() => client.post('/Inventory/Batch', body, headers));
    expect(answer.status).toBe(409);
    return { list, answer, headers };
  }

  for (const form of forms) {
    test.each([
      ['is refused by the stock', {}, 'refused 409'],
      ['is malformed', { units: -5 }, 'refused 400'],
      ['is forbidden', { wid: 3 }, 'refused 403'],
    ])(
      `every operation is applied afterwards, ${form}, when one of the list %s`,
      async (_, culprit, outcome) => {
        const client = await service.client();
        const itemID = await service.item();
        const { list, answer } = await refuse(client, itemID, culprit);
        expect(outcomesOf(answer.body)).toEqual(['notApplied 503', outcome, 'notApplied 503']);
        expect(await inStock(service, itemID)).toBe(0);
        // Adds the missing units; the other operations are as they were sent.
        await sendAs('single', client, receiveOf(itemID, 5, { key: uniqueName('more') }));
        for (const operation of list) {
          const right = operation.op === 'issue' ? { ...operation, units: 5, wid: 1 } : operation;
          const told = await sendAs(form, client, right);
          expect([told.status, told.replayed]).toEqual([operation.op === 'issue' ? 200 : 201, false]);
        }
        expect(await inStock(service, itemID)).toBe(3);
      },
    );
  }

  test('a corrected list is applied under the keys of its operations; under its own key it stays refused', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const { list, answer, headers } = await refuse(client, itemID, {});
    await sendAs('single', client, receiveOf(itemID, 5, { key: uniqueName('more') }));
    const send = (operations: unknown[], own: Record<string, string> = {}) =>
      untilAnswered(() => client.post('/Inventory/Batch', { mode: 'atomic', operations }, own));
    const again = await send(list, headers);
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([409, 'true']);
    expect(again.body.message).toBe(answer.body.message);
    expect(outcomesOf(again.body)).toEqual(outcomesOf(answer.body));
    const mended = [list[0]!, { ...list[1]!, units: 2 }, list[2]!];
    expect((await send(mended, headers)).status).toBe(409);
    const applied = await send(mended, { 'Idempotency-Key': uniqueName('list') });
    expect(outcomesOf(applied.body)).toEqual(['applied 201', 'applied 200', 'applied 201']);
    expect(await inStock(service, itemID)).toBe(6);
  });
});
