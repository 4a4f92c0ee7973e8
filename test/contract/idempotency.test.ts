import { describe, expect, test } from 'vitest';
import { conflictObject, errorObject, expectAnswer } from '../harness/contract/answers.ts';
import { createApiClient, untilAnswered } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { untilRightsHold } from '../harness/watch/rights-hold.ts';

const service = useService({ apis: 2, workers: 2 });

const otherRequest = conflictObject('keyReused', {}, 'This Idempotency-Key was used with another request.');

function keyed(key = uniqueName('key')): Record<string, string> {
  return { 'Idempotency-Key': key };
}

async function stocked() {
  const client = await service.client();
  const itemID = await service.item();
  await client.post('/Inventory/Receive', { itemID, units: 100, wid: 1, reasonCode: 0, spot: 'A' });
  return { client, itemID };
}

describe.each([
  ['Receive', { reasonCode: 0 }],
  ['Move', { toSpot: 'B' }],
  ['Issue', { reasonCode: 0 }],
])('/Inventory/%s', (name, fields) => {
  const path = `/Inventory/${name}`;

  test('the same key and body again: the first answer, byte for byte', async () => {
    const { client, itemID } = await stocked();
    const headers = keyed();
    const body = { itemID, units: 1.5, wid: 1, ...fields };
    const first = await client.post(path, body, headers);
    expect(first.status).toBe(name === 'Receive' ? 201 : 200);
    expect(first.headers.get('Idempotent-Replayed')).toBeNull();
    const second = await client.post(path, body, headers);
    expect({ status: second.status, text: second.text }).toEqual({ status: first.status, text: first.text });
    expect(second.headers.get('Idempotent-Replayed')).toBe('true');
    const [{ count }] = (await service.sql`
      select count(*) from stock_transaction where body->>'itemID' = ${itemID} and status = 'applied'`) as unknown as [
      { count: number },
    ];
    expect(count).toBe(2);
  });

  test('twenty at once with one key, over two api processes: one transaction, one answer', async () => {
    const { client, itemID } = await stocked();
    const processes = service.baseUrls.map((baseUrl) =>
      createApiClient(baseUrl, client.clientId, client.token),
    );
    const headers = keyed();
    const body = { itemID, units: 1, wid: 1, ...fields };
    /**
     * Sends again after a 503, as a careful caller does: the first one may take longer than the others may
     * wait for it.
     */
    const send = (index: number) => untilAnswered(() => processes[index % 2]!.post(path, body, headers));
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(new Set(answers.map((answer) => answer.status)).size).toBe(1);
    expect(answers[0]!.status).toBeLessThan(300);
    const first = answers.filter((answer) => answer.headers.get('Idempotent-Replayed') === null);
    expect(first).toHaveLength(1);
  });

  test('409: the same key with another body; nothing is applied', async () => {
    const { client, itemID } = await stocked();
    const headers = keyed();
    const body = { itemID, units: 1, wid: 1, ...fields };
    await client.post(path, body, headers);
    const before = await client.get(`/Inventory?itemID=${itemID}`);
    expectAnswer(await client.post(path, { ...body, units: 2 }, headers), 409, otherRequest);
    expect((await client.get(`/Inventory?itemID=${itemID}`)).text).toBe(before.text);
  });
});

test('409: the same key on another path', async () => {
  const { client, itemID } = await stocked();
  const headers = keyed();
  const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
  await client.post('/Inventory/Issue', body, headers);
  expectAnswer(await client.post('/Inventory/Receive', body, headers), 409, otherRequest);
});

test('field order, white space and unknown fields do not make a body another one', async () => {
  const { client, itemID } = await stocked();
  const headers = keyed();
  const first = await client.post('/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0 }, headers);
  const text = ` { "reasonCode":0, "extra":1, "wid":1, "units":1.0, "spot":null, "itemID":"${itemID}" } `;
  const second = await client.post('/Inventory/Issue', text, headers);
  expect({ status: second.status, text: second.text }).toEqual({ status: 200, text: first.text });
});

test('a 409 is the answer of its key, too', async () => {
  const { client, itemID } = await stocked();
  const headers = keyed();
  const body = { itemID, units: 101, wid: 1, reasonCode: 0 };
  const first = await client.post('/Inventory/Issue', body, headers);
  expect(first.status).toBe(409);
  await client.post('/Inventory/Receive', { itemID, units: 100, wid: 1, reasonCode: 0 });
  const second = await client.post('/Inventory/Issue', body, headers);
  expect({ status: second.status, text: second.text }).toEqual({ status: 409, text: first.text });
  expect(second.headers.get('Idempotent-Replayed')).toBe('true');
});

test('a 400 about the item or the lot is the answer of its key, too', async () => {
  const { client, itemID } = await stocked();
  const shortID = uniqueName('LATER');
  const body = { units: 1, wid: 1, reasonCode: 0 };
  for (const [refused, field] of [
    [{ ...body, itemID: shortID }, 'itemID'],
    [{ ...body, itemID, recno: 2 ** 31 - 1 }, 'recno'],
  ] as const) {
    const headers = keyed();
    const first = await client.post('/Inventory/Issue', refused, headers);
    expect(first.status).toBe(400);
    expect(Object.keys(first.body.details)).toEqual([field]);
    expect(first.headers.get('Idempotent-Replayed')).toBeNull();
    // Today the refusal would be another; the key keeps its first answer.
    if (field === 'itemID') expect((await client.post('/Item', { shortID })).status).toBe(201);
    const second = await client.post('/Inventory/Issue', refused, headers);
    expect({ status: second.status, text: second.text }).toEqual({ status: 400, text: first.text });
    expect(second.headers.get('Idempotent-Replayed')).toBe('true');
    expectAnswer(await client.post('/Inventory/Issue', { ...refused, units: 2 }, headers), 409, otherRequest);
  }
  expect((await client.post('/Inventory/Issue', { ...body, itemID: shortID }, keyed())).status).toBe(409);
});

test('a request refused before it reached the stock leaves its key free', async () => {
  const { client, itemID } = await stocked();
  const headers = keyed();
  expect((await client.post('/Inventory/Issue', { itemID }, headers)).status).toBe(400);
  expect(
    (await client.post('/Inventory/Issue', { itemID, units: 1, wid: 3, reasonCode: 0 }, headers)).status,
  ).toBe(403);
  expect(
    (await client.post('/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0 }, headers)).status,
  ).toBe(200);
});

test('a key is unique per client', async () => {
  const { client, itemID } = await stocked();
  const headers = keyed();
  const other = await service.client();
  const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
  const first = await client.post('/Inventory/Issue', body, headers);
  const second = await other.post('/Inventory/Issue', { ...body, units: 2 }, headers);
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.body.transactionNo).not.toBe(first.body.transactionNo);
});

test('the same body twice without a key is two transactions', async () => {
  const { client, itemID } = await stocked();
  const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
  const first = await client.post('/Inventory/Issue', body);
  const second = await client.post('/Inventory/Issue', body);
  expect(second.body.transactionNo).not.toBe(first.body.transactionNo);
});

test('a key does not give back a right that was lost', async () => {
  const { client, itemID } = await stocked();
  const headers = keyed();
  const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
  await client.post('/Inventory/Issue', body, headers);
  await service.sql`update client set read_only = true where client_id = ${client.clientId}`;
  await untilRightsHold();
  expect((await client.post('/Inventory/Issue', body, headers)).status).toBe(403);
});

test.each(['!', '~'.repeat(255), 'a"b\\c'])('200: the key %s', async (key) => {
  const { client, itemID } = await stocked();
  const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
  expect((await client.post('/Inventory/Issue', body, keyed(key))).status).toBe(200);
});

test.each(['', ' ', 'a b', 'é', 'x'.repeat(256), 'a\tb'])('400: the key "%s"', async (key) => {
  const { client, itemID } = await stocked();
  const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
  expectAnswer(
    await client.post('/Inventory/Issue', body, keyed(key)),
    400,
    errorObject(400, 'bad_request', 'Idempotency-Key must be 1 to 255 visible ASCII characters.'),
  );
});
