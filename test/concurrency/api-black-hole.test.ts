import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClient } from '@inventory/db/access/clients';
import { addWarehouse } from '@inventory/db/catalog/warehouses';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { openWay, type Way } from '../harness/servers/black-hole.ts';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { allPermissions, uniqueName } from '../harness/service/service.ts';

let database: TestDatabase;
let way: Way;
let api: Started;
let worker: Started;
let baseUrl: string;
const clientId = uniqueName('client');
const secret = createSecret();

beforeAll(async () => {
  database = await createDatabase();
  await addWarehouse(database.sql, { wid: 1, name: 'Main' });
  await addClient(database.sql, {
    clientId,
    permissions: allPermissions,
    wids: [1],
    readOnly: false,
    rateLimit: 1_000_000,
    secretDigest: digestSecret(secret),
  });
  way = await openWay(database.url);
  const env = {
    REDIS_URL: inject('redisUrl'),
    QUEUE_PREFIX: uniqueName('hole'),
    PORT: '0',
    LOG_LEVEL: 'info',
  };
  api = await startProcess('apps/api/src/main.ts', asPart('api', { ...env, DATABASE_URL: way.url }));
  worker = await startProcess(
    'apps/worker/src/main.ts',
    asPart('worker', { ...env, DATABASE_URL: database.url }),
  );
  baseUrl = `http://127.0.0.1:${api.port}/api/v1`;
});

afterAll(async () => {
  await api?.stop();
  await worker?.stop();
  way?.close();
  await database?.drop();
});

/** The status of an answer, or the error. Gives up after some seconds. */
async function call(method: string, path: string, init: RequestInit = {}): Promise<number | string> {
  try {
    const response = await fetch(baseUrl + path, { method, signal: AbortSignal.timeout(60_000), ...init });
    await response.text();
    return response.status;
  } catch (error) {
    return (error as Error).name;
  }
}

const readToken = () =>
  fetch(`${baseUrl}/Token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: secret,
    }),
  });

describe('when every connection of the api to Postgres swallows what is sent, and new ones work', () => {
  test('reads, transactions with and without a key, items and tokens work again, twice over', async () => {
    const { access_token: token } = (await (await readToken()).json()) as { access_token: string };
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const post = (path: string, body: object, more = {}) =>
      call('POST', path, { headers: { ...headers, ...more }, body: JSON.stringify(body) });
    expect(await post('/Item', { shortID: 'A' })).toBe(201);
    const receive = { itemID: 'A', units: 1, wid: 1, reasonCode: 0 };
    const each: Record<string, () => Promise<number | string>> = {
      list: () => call('GET', '/Inventory', { headers }),
      item: () => call('GET', '/Item?key=A&type=id', { headers }),
      levels: () => call('GET', '/Inventory/StockLevels/1', { headers }),
      receive: () => post('/Inventory/Receive', receive),
      keyed: () => post('/Inventory/Receive', receive, { 'Idempotency-Key': uniqueName('key') }),
      create: () => post('/Item', { shortID: uniqueName('ITEM') }),
      token: () => readToken().then((answer) => answer.status),
    };
    const served = { list: 200, item: 200, levels: 200, receive: 201, keyed: 201, create: 201, token: 200 };
    const callEach = async () =>
      Object.fromEntries(
        await Promise.all(Object.entries(each).map(async ([name, ask]) => [name, await ask()] as const)),
      );
    for (let round = 0; round < 2; round++) {
      // Several connections of each kind.
      await Promise.all(Array.from({ length: 20 }, callEach));
      expect(way.swallow()).toBeGreaterThan(0);
      await expect.poll(callEach, { timeout: 120_000 }).toEqual(served);
    }
  });
});
