import { describe, expect } from 'vitest';
import { conflictObject, errorObject, expectAnswer } from '../harness/contract/answers.ts';
import { type ItemStock, type StockCall, stockOf, useStock } from '../harness/contract/item-stock.ts';
import { createApiClient, untilAnswered } from '../harness/service/api-client.ts';
import { uniqueName } from '../harness/service/service.ts';
import { untilRightsHold } from '../harness/watch/rights-hold.ts';

const { service, test: plain } = useStock({ apis: 2, workers: 2 });
const test = plain.extend('stocked', async ({ stock }) => {
  await stock.addLot(100, { spot: 'A' });
  return stock;
});

const otherRequest = conflictObject('keyReused', {}, 'This Idempotency-Key was used with another request.');

const keyed = (key = uniqueName('key')) => ({ 'Idempotency-Key': key });

/** Sends the same twice; the second answer is the first one, byte for byte. */
async function sendTwice(send: () => ReturnType<ItemStock['call']>, status: number) {
  const first = await send();
  expect([first.status, first.headers.get('Idempotent-Replayed')], first.text).toEqual([status, null]);
  const second = await send();
  expect([second.status, second.text]).toEqual([status, first.text]);
  expect(second.headers.get('Idempotent-Replayed')).toBe('true');
  return first;
}

describe.each<[StockCall, (stock: ItemStock) => Promise<object>, other: object]>([
  ['Receive', async () => ({ units: 1.5 }), { units: 2 }],
  ['Move', async () => ({ units: 1.5, toSpot: 'B' }), { units: 2 }],
  ['Issue', async () => ({ units: 1.5 }), { units: 2 }],
  ['Count', async () => ({ counted: 99, everywhere: true }), { counted: 98 }],
  [
    'Reverse',
    async (stock) => {
      const { transactionNo } = await stock.done('Issue', { units: 1 });
      return { transactionNo };
    },
    { remark: 'other' },
  ],
])('/Inventory/%s', (call, make, other) => {
  test('the first answer again, byte for byte; 409: the key with another body', async ({ stocked }) => {
    const [headers, body] = [keyed(), await make(stocked)];
    await sendTwice(() => stocked.call(call, body, headers), call === 'Receive' ? 201 : 200);
    const before = await stocked.lots('&view=full');
    expectAnswer(await stocked.call(call, { ...body, ...other }, headers), 409, otherRequest);
    expect(await stocked.lots('&view=full')).toEqual(before);
  });

  test('twenty at once with one key, over two processes: one answer', async ({ client, stocked }) => {
    const processes = service.baseUrls.map((baseUrl) =>
      stockOf(service, createApiClient(baseUrl, client.clientId, client.token), stocked.itemID),
    );
    const [headers, body] = [keyed(), await make(stocked)];
    // Again after a 503, as a careful caller does: the first may take longer than the others may wait.
    const send = (index: number) => untilAnswered(() => processes[index % 2]!.call(call, body, headers));
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.status).toBeLessThan(300);
    const first = answers.filter((answer) => answer.headers.get('Idempotent-Replayed') === null);
    expect(first).toHaveLength(1);
  });
});

test('409: the same key on another path', async ({ stocked }) => {
  const headers = keyed();
  await stocked.call('Issue', { units: 1 }, headers);
  expectAnswer(await stocked.call('Receive', { units: 1 }, headers), 409, otherRequest);
});

test('field order, white space and unknown fields do not change a body', async ({ client, stocked }) => {
  const headers = keyed();
  const first = await stocked.call('Issue', { units: 1 }, headers);
  const text = ` { "reasonCode":0, "extra":1, "wid":1, "units":1.0, "spot":null, "itemID":"${stocked.itemID}" } `;
  expect((await client.post('/Inventory/Issue', text, headers)).text).toBe(first.text);
});

test('a 409, and a 400 about item or lot, is the answer of its key', async ({ client, stocked }) => {
  const later = uniqueName('LATER');
  for (const [status, fields, changed] of [
    [409, { units: 101 }, () => stocked.addLot(100)],
    [400, { units: 1, itemID: later }, () => client.post('/Item', { shortID: later })],
    [400, { units: 1, recno: 2 ** 31 - 1 }, () => Promise.resolve()],
  ] as const) {
    const headers = keyed();
    const send = () => stocked.call('Issue', fields, headers);
    const first = await sendTwice(send, status);
    // Today the refusal would be another; the key keeps its first answer.
    await changed();
    expect((await send()).text).toBe(first.text);
    expectAnswer(await stocked.call('Issue', { ...fields, units: 2 }, headers), 409, otherRequest);
  }
});

test('a request refused before it reached the stock leaves its key free', async ({ stocked }) => {
  const headers = keyed();
  for (const [status, fields] of [
    [400, {}],
    [403, { units: 1, wid: 3 }],
    [200, { units: 1 }],
  ] as const)
    expect((await stocked.call('Issue', fields, headers)).status).toBe(status);
});

test('a key is unique per client; without a key the same body is a new transaction', async ({ stocked }) => {
  const other = stockOf(service, await service.client(), stocked.itemID);
  const headers = keyed();
  const answers = [
    await stocked.call('Issue', { units: 1 }, headers),
    await other.call('Issue', { units: 2 }, headers),
    await stocked.call('Issue', { units: 1 }),
    await stocked.call('Issue', { units: 1 }),
  ];
  expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(200));
  expect(new Set(answers.map(({ body }) => body.transactionNo)).size).toBe(4);
});

test('a key does not give back a right that was lost', async ({ client, stocked }) => {
  const headers = keyed();
  await stocked.call('Issue', { units: 1 }, headers);
  await service.sql`update client set read_only = true where client_id = ${client.clientId}`;
  await untilRightsHold();
  expect((await stocked.call('Issue', { units: 1 }, headers)).status).toBe(403);
});

test.for(['!', '~'.repeat(255), 'a"b\\c'])('200: the key %s', async (key, { stocked }) => {
  expect((await stocked.call('Issue', { units: 1 }, keyed(key))).status).toBe(200);
});

test.for(['', ' ', 'a b', 'é', 'x'.repeat(256), 'a\tb'])('400: the key "%s"', async (key, { stocked }) => {
  const said = 'Idempotency-Key must be 1 to 255 visible ASCII characters.';
  for (const dryRun of [false, true]) {
    const answer = await stocked.call('Issue', { units: 1, dryRun }, keyed(key));
    expectAnswer(answer, 400, errorObject(400, 'bad_request', said));
  }
});
