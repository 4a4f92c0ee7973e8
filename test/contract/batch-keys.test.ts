import { describe, expect } from 'vitest';
import { errorObject, expectAnswer, validationError } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import { type ApiClient, untilAnswered } from '../harness/service/api-client.ts';
import { uniqueName } from '../harness/service/service.ts';
import { issueOf, type Operation, outcomesOf, receiveOf } from '../harness/stock/operations.ts';

const { service, test } = useStock({ workers: 2 });

const forms = ['single', 'each', 'atomic'] as const;
type Form = (typeof forms)[number];

const newKey = () => ({ key: uniqueName('key') });
const newHeader = () => ({ 'Idempotency-Key': uniqueName('header') });

/**
 * Sends an operation under a key in one of the forms until it is answered; returns the answer of its call.
 */
async function sendAs(form: Form, client: ApiClient, { key, ...operation }: Operation) {
  if (form === 'single') {
    const { op, ...body } = operation;
    const path = `/Inventory/${op[0]!.toUpperCase()}${op.slice(1)}`;
    const answer = await untilAnswered(() => client.post(path, body, { 'Idempotency-Key': key as string }));
    const replayed = answer.headers.get('Idempotent-Replayed') === 'true';
    return { status: answer.status, body: answer.body, replayed };
  }
  const list = { mode: form, operations: [{ ...operation, key }] };
  for (;;) {
    const { body } = await client.post('/Inventory/Batch', list);
    const [result] = body.results ?? [];
    if (result === undefined || result.status === 'notApplied') continue;
    return { status: result.statusCode, body: result.body ?? result.error, replayed: result.replayed };
  }
}

const sendList = (client: ApiClient, operations: unknown[], headers: Record<string, string> = {}) =>
  untilAnswered(() => client.post('/Inventory/Batch', { mode: 'atomic', operations }, headers));

async function keysOf({ clientId }: ApiClient): Promise<number> {
  return (await service.sql`select from idempotency_key where client_id = ${clientId}`).length;
}

describe('400, nothing applied and no key used', () => {
  const same = (places: string) => `must have keys that differ: ${places} have the same.`;
  const ofHeader = (places: string) =>
    `must have other keys than the Idempotency-Key of the list: ${places}.`;
  /** `keys`: one of each operation; the fields of some. */
  const cases: [
    name: string,
    keys: string,
    fields: Record<number, object>,
    said: string[],
    header?: string,
  ][] = [
    ['a key twice', 'a a', {}, [same('0 and 1')]],
    ['a key twice, for different operations', 'a a', { 1: { units: 2 } }, [same('0 and 1')]],
    ['a key three times among others', 'b a c a d a', {}, [same('1, 3 and 5')]],
    ['two keys twice', 'a b b a', {}, [same('0 and 3'), same('1 and 2')]],
    ['a key twice, once of a malformed operation', 'a a', { 1: { units: -1 } }, [same('0 and 1')]],
    ['a key twice, once of a forbidden operation', 'a b a', { 0: { wid: 3 } }, [same('0 and 2')]],
    ['the key of the header', 'b a', {}, [ofHeader('1')], 'a'],
    ['the key of the header twice', 'a b a', {}, [same('0 and 2'), ofHeader('0 and 2')], 'a'],
    ['the key of the header, of a malformed operation', 'a b', { 0: { units: -1 } }, [ofHeader('0')], 'a'],
  ];

  const modes = [
    ['each', false],
    ['atomic', false],
    ['atomic', true],
  ] as const;
  for (const [mode, dryRun] of modes) {
    test.for(cases.filter(([, , , , header]) => header === undefined || mode === 'atomic'))(
      `${mode}${dryRun ? ', dry run' : ''}: %s`,
      async ([, keys, fields, said, header], { client, itemID, stock }) => {
        const name = uniqueName('key');
        const operations = keys
          .split(' ')
          .map((key, index) => receiveOf(itemID, 1, { key: `${name}-${key}`, ...fields[index] }));
        const headers: Record<string, string> =
          header === undefined ? {} : { 'Idempotency-Key': `${name}-${header}` };
        const answer = await client.post('/Inventory/Batch', { mode, dryRun, operations }, headers);
        const details = { operations: said.map((message) => `operations ${message}`) };
        expectAnswer(answer, 400, validationError(details));
        expect([await stock.units(), await keysOf(client)]).toEqual([0, 0]);
      },
    );
  }

  test('mode each with an Idempotency-Key in the header; it stays free for a call', async ({ stock }) => {
    const { client, itemID } = stock;
    const headers = newHeader();
    const said =
      'Idempotency-Key is for mode atomic. In mode each every operation has a key of its own: key.';
    const own = [{}, newKey(), { key: headers['Idempotency-Key'] }, { units: -1 }];
    for (const fields of own) {
      const list = { mode: 'each', operations: [receiveOf(itemID, 1, fields)] };
      const answer = await client.post('/Inventory/Batch', list, headers);
      expectAnswer(answer, 400, errorObject(400, 'bad_request', said));
    }
    expect([await stock.units(), await keysOf(client)]).toEqual([0, 0]);
    expect((await untilAnswered(() => stock.call('Receive', { units: 1 }, headers))).status).toBe(201);
  });
});

test('400 for each operation with an invalid key; keys are case-sensitive', async ({ stock }) => {
  const { client, itemID } = stock;
  const name = uniqueName('case');
  const keys = ['', '', 'a b', 'a b', 7, 7, `${name}-x`, `${name}-X`, null, null];
  const operations = keys.map((key) => receiveOf(itemID, 1, { key }));
  const { body } = await untilAnswered(() => client.post('/Inventory/Batch', { mode: 'each', operations }));
  expect(outcomesOf(body)).toEqual([...Array(6).fill('refused 400'), ...Array(4).fill('applied 201')]);
});

describe('one key is one transaction: the form that comes first is applied, and every other form replays its answer', () => {
  const place = { wid: 1, reasonCode: 3 };
  const kinds: Record<string, (itemID: string, client: ApiClient) => Operation | Promise<Operation>> = {
    receive: (itemID) => receiveOf(itemID, 5, { spot: 'A', serial: 'S', price: 1.5 }),
    move: (itemID) => ({ op: 'move', itemID, units: 2, wid: 1, toSpot: 'B', shipToWid: 2 }),
    issue: (itemID) => issueOf(itemID, 3, { reference: 'order' }),
    count: (itemID) => ({ op: 'count', itemID, everywhere: true, counted: 4, ...place, remark: 'c' }),
    reverse: async (itemID, client) => {
      const issued = await sendAs('single', client, issueOf(itemID, 1, newKey()));
      return { op: 'reverse', transactionNo: issued.body.transactionNo, remark: 'back' };
    },
    'a refused issue': (itemID) => issueOf(itemID, 999),
  };

  test.for(Object.entries(kinds))('%s', async ([name, make], { client, itemID, stock }) => {
    await stock.addLot(100);
    // A refused list uses no key.
    for (const first of name === 'a refused issue' ? forms.slice(0, 2) : forms) {
      const operation = { ...(await make(itemID, client)), ...newKey() };
      const answer = await sendAs(first, client, operation);
      const before = await stock.units();
      for (const form of forms) {
        const again = await sendAs(form, client, operation);
        expect(again, `${first}, ${form}`).toEqual({ ...answer, replayed: true });
        const other = await sendAs(form, client, receiveOf(itemID, 7, { key: operation.key }));
        expect(other.status, `${first}, ${form}`).toBe(409);
      }
      expect(await stock.units()).toBe(before);
    }
  });

  test('device data is no part of what a key stands for; a resend keeps the first', async ({ stock }) => {
    const { client, itemID } = stock;
    const noted = (deviceSeq: number) => {
      return { deviceID: 's-12', deviceSeq, capturedAt: `2026-01-0${deviceSeq}T00:00:00.000Z` };
    };
    const operation = receiveOf(itemID, 1, newKey());
    const { body } = await sendAs('each', client, { ...operation, ...noted(1) });
    expect(await sendAs('atomic', client, { ...operation, ...noted(2) })).toMatchObject({
      replayed: true,
      body,
    });
    expect(await sendAs('single', client, operation)).toMatchObject({ replayed: true, body });
    const told = await client.get(`/Inventory/Transactions/${body.transactionNo}`);
    expect(told.body).toMatchObject(noted(1));
  });

  test('409: the key of an atomic list, used again for a call or an operation', async ({ stock }) => {
    const { client, itemID } = stock;
    const operations = [receiveOf(itemID, 1)];
    const headers = newHeader();
    expect((await sendList(client, operations, headers)).status).toBe(200);
    for (const form of forms) {
      const { status, body } = await sendAs(
        form,
        client,
        receiveOf(itemID, 1, { key: headers['Idempotency-Key'] }),
      );
      expect([status, body.reason]).toEqual([409, 'keyReused']);
    }
    expect((await sendList(client, [...operations, ...operations], headers)).status).toBe(409);
    const again = await sendList(client, operations, headers);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await stock.units()).toBe(1);
  });
});

describe('a refused atomic list uses up none of its operations’ keys', () => {
  /** A list whose second operation is refused, by the stock or before the stock is asked. */
  async function refuse(client: ApiClient, itemID: string, culprit: object) {
    const list = [
      receiveOf(itemID, 1, newKey()),
      issueOf(itemID, 5, { ...newKey(), ...culprit }),
      receiveOf(itemID, 2, newKey()),
    ];
    const headers = newHeader();
    const answer = await sendList(client, list, headers);
    expect(answer.status).toBe(409);
    return { list, answer, headers };
  }

  test.for(
    forms.flatMap((form) => [
      [form, 'is refused by the stock', {}, 'refused 409'] as const,
      [form, 'is malformed', { units: -5 }, 'refused 400'] as const,
      [form, 'is forbidden', { wid: 3 }, 'refused 403'] as const,
    ]),
  )(
    'every operation is applied afterwards, %s, when one of the list %s',
    async ([form, , culprit, outcome], { client, itemID, stock }) => {
      const { list, answer } = await refuse(client, itemID, culprit);
      expect(outcomesOf(answer.body)).toEqual(['notApplied 503', outcome, 'notApplied 503']);
      expect(await stock.units()).toBe(0);
      // Adds the missing units; the other operations are as they were sent.
      await stock.addLot(5);
      for (const operation of list) {
        const right = operation.op === 'issue' ? { ...operation, units: 5, wid: 1 } : operation;
        const told = await sendAs(form, client, right);
        expect([told.status, told.replayed]).toEqual([operation.op === 'issue' ? 200 : 201, false]);
      }
      expect(await stock.units()).toBe(3);
    },
  );

  test('200: the corrected list under the same keys; under its own it stays refused', async ({ stock }) => {
    const { client, itemID } = stock;
    const { list, answer, headers } = await refuse(client, itemID, {});
    await stock.addLot(5);
    const again = await sendList(client, list, headers);
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([409, 'true']);
    expect(again.body.message).toBe(answer.body.message);
    expect(outcomesOf(again.body)).toEqual(outcomesOf(answer.body));
    const mended = [list[0]!, { ...list[1]!, units: 2 }, list[2]!];
    expect((await sendList(client, mended, headers)).status).toBe(409);
    const applied = await sendList(client, mended, newHeader());
    expect(outcomesOf(applied.body)).toEqual(['applied 201', 'applied 200', 'applied 201']);
    expect(await stock.units()).toBe(6);
  });
});
