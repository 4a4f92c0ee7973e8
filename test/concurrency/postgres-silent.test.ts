import { startServer } from '@inventory/api/server';
import { createLog } from '@inventory/process/log/log';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { openStretch, type ServerStretch } from '../harness/network/through.ts';
import { type ApiClient, askTokenOnce, createApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();
/** Between Postgres and an api of its own; the worker reaches Postgres directly. */
let stretch: ServerStretch;
let api: Awaited<ReturnType<typeof startServer>>;
let client: ApiClient;
/** A call of each kind; its status. */
let each: Record<string, () => Promise<number>>;
/** Sends with a key: of a single transaction, and of an operation of a batch. */
let resends: (() => Promise<{ status: number; text: string }>)[];

beforeAll(async () => {
  stretch = await openStretch(service.databaseUrl);
  const env = { ...service.env, DATABASE_URL: stretch.url };
  api = await startServer(asPart('api', env), createLog('api'));
  const { clientId, secret, token } = await service.client();
  const baseUrl = `http://127.0.0.1:${api.port}/api/v1`;
  client = createApiClient(baseUrl, clientId, token, { isPatient: false });
  const itemID = await service.item();
  const receive = (headers = {}) =>
    client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 }, headers);
  const keyed = () => receive({ 'Idempotency-Key': uniqueName('key') });
  const asked = {
    list: () => client.get('/Inventory'),
    item: () => client.get(`/Item?key=${itemID}&type=id`),
    levels: () => client.get('/Inventory/StockLevels/1'),
    receive: () => receive(),
    keyed,
    create: () => client.post('/Item', { shortID: uniqueName('ITEM') }),
    token: () => askTokenOnce(baseUrl, { clientId, secret }),
  };
  resends = [
    keyed,
    () =>
      client.post('/Inventory/Batch', {
        mode: 'each',
        operations: [{ op: 'receive', key: uniqueName('key'), itemID, units: 1, wid: 1, reasonCode: 0 }],
      }),
  ];
  each = Object.fromEntries(
    Object.entries(asked).map(([name, ask]) => [name, () => ask().then(({ status }) => status)]),
  );
});
afterAll(async () => {
  stretch?.setState('open');
  await api?.stop();
  stretch?.close();
});

const served = { list: 200, item: 200, levels: 200, receive: 201, keyed: 201, create: 201, token: 200 };
const callEach = async () =>
  Object.fromEntries(
    await Promise.all(Object.entries(each).map(async ([name, ask]) => [name, await ask()] as const)),
  );

/** Sends one call after the other, without waiting for the ones before, until one of them is served. */
async function untilServed(name: string) {
  let isServed = false;
  const ask = () => {
    void each[name]!().then(
      (status) => {
        isServed ||= status === served[name as keyof typeof served];
      },
      // The api may have stopped before the last ones were answered.
      () => {},
    );
    return isServed;
  };
  await expect.poll(ask, { interval: 250 }).toBe(true);
}

const untilEachServed = () => Promise.all(Object.keys(each).map(untilServed));

/** Opens several connections of each kind: a new one would fail by itself. */
const openConnections = () => Promise.all(Array.from({ length: 20 }, callEach));

test('each kind of request is served again soon after every connection to Postgres died silently', async () => {
  await openConnections();
  stretch.setState('black hole');
  await untilEachServed();
});

test('503 for each kind of request while Postgres is silent; served when it answers again', async () => {
  await openConnections();
  stretch.setState('stalled');
  onTestFinished(() => stretch.setState('open'));
  // Afterwards the client's record is too old to be used.
  await expect.poll(() => each.token!()).toBe(503);
  // A receipt may be applied: the worker is well.
  const { receive: _, keyed: __, ...others } = await callEach();
  expect(new Set(Object.values(others))).toEqual(new Set([503]));
  // Nobody knows whether the first send of such a request was applied.
  const resent = await Promise.all(resends.map((resend) => Promise.all(Array.from({ length: 20 }, resend))));
  for (const answers of resent) {
    const unclear = answers.filter(({ status }) => status === 503);
    expect(unclear.length).toBeGreaterThan(0);
    for (const { text } of unclear) expect(text).toContain('is not known');
  }
  stretch.setState('open');
  await untilEachServed();
});
