import { randomBytes, randomUUID } from 'node:crypto';
import { messages } from '@inventory/api/errors';
import { createKeys } from '@inventory/api/keys';
import { startServer } from '@inventory/api/server';
import { createStock } from '@inventory/api/stock';
import { bindKeys, findKeys, type Key } from '@inventory/db/idempotency';
import type { StatementPool } from '@inventory/db/statement-pool';
import { settle } from '@inventory/db/verdict';
import { createLog } from '@inventory/process/log';
import type { Running } from '@inventory/process/run';
import type { Submitter } from '@inventory/queue/submit';
import { startWorker } from '@inventory/worker/worker';
import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { startProxy } from '../faults/proxy.ts';
import { createApiClient } from '../harness/api-client.ts';
import { countStatuses, useBatches } from '../harness/batches.ts';
import { through } from '../harness/black-hole.ts';
import { uniqueName, useService } from '../harness/service.ts';

describe('an api process without Redis beside one that has it', async () => {
  const prefix = `keys-${randomBytes(6).toString('hex')}`;
  const service = useService({ workers: 0, env: { QUEUE_PREFIX: prefix } });
  const redisUrl = inject('redisUrl');
  const proxy = await startProxy(Number(new URL(redisUrl).port));
  let cutOff: Running & { port: number };
  const env = () => ({ DATABASE_URL: service.databaseUrl, QUEUE_PREFIX: prefix, PORT: '0' });

  beforeAll(async () => {
    cutOff = await startServer({ ...env(), REDIS_URL: through(redisUrl, proxy) }, createLog('api'));
  });
  afterEach(() => proxy.setState('open'));
  afterAll(async () => {
    await cutOff?.stop();
    proxy.close();
  });

  async function clients() {
    const client = await service.client();
    const other = createApiClient(`http://127.0.0.1:${cutOff.port}/api/v1`, client.clientId, client.token);
    return { client, other };
  }
  const keyCount = async (clientId: string) =>
    (await service.sql`select from idempotency_key where client_id = ${clientId}`).length;

  test('503 and surely not applied: a key whose request the other process has under way', async () => {
    const { client, other } = await clients();
    const itemID = await service.item();
    const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
    const headers = { 'Idempotency-Key': uniqueName('key') };
    const underWay = client.post('/Inventory/Receive', body, headers);
    await expect.poll(() => keyCount(client.clientId), { timeout: 10_000 }).toBe(1);
    proxy.setState('cut');
    const refused = await other.post('/Inventory/Receive', body, headers);
    expect(refused).toMatchObject({ status: 503, body: { message: messages.unavailable } });
    const worker = await startWorker({ ...env(), REDIS_URL: redisUrl }, createLog('worker'));
    onTestFinished(() => worker.stop());
    expect((await underWay).status).toBe(503);
    // Behind it in the queue: what was to be applied before is by now.
    expect((await client.post('/Inventory/Receive', body)).status).toBe(201);
    expect(await countStatuses(service.sql, itemID)).toMatchObject({ applied: 1 });
    // Once refused it makes way.
    expect((await client.post('/Inventory/Receive', body, headers)).status).toBe(201);
    // And its answer is given also by a process that can send nothing.
    const replayed = await other.post('/Inventory/Receive', body, headers);
    expect(replayed.status).toBe(201);
    expect(replayed.headers.get('Idempotent-Replayed')).toBe('true');
  });

  test('503 leaves no key behind', async () => {
    const { client, other } = await clients();
    const itemID = await service.item();
    proxy.setState('cut');
    const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
    // Until the process has noticed.
    await expect
      .poll(async () => (await other.post('/Inventory/Receive', body)).status, { timeout: 10_000 })
      .toBe(503);
    const refused = await other.post('/Inventory/Receive', body, { 'Idempotency-Key': 'free' });
    expect(refused).toMatchObject({ status: 503, body: { message: messages.unavailable } });
    expect(await keyCount(client.clientId)).toBe(0);
  });
});

describe('keys', () => {
  const batches = useBatches();
  const keyOf = (keyDigest: Buffer, fingerprint = Buffer.alloc(32, 1)): Key => ({
    clientId: batches.clientId,
    keyDigest,
    fingerprint,
    requestId: randomUUID(),
  });

  test('of one call are bound together; of two that are the same the first one counts', async () => {
    const [first, second] = [randomBytes(32), randomBytes(32)];
    const asked = [keyOf(first), keyOf(second), keyOf(first), keyOf(first, Buffer.alloc(32, 2))];
    const [a, b] = asked;
    const bound = (key: Key | undefined, usedBefore: boolean, sameRequest = true) => ({
      requestId: key?.requestId,
      usedBefore,
      sameRequest,
      outcome: null,
    });
    expect(await bindKeys(batches.sql, asked)).toEqual([
      bound(a, false),
      bound(b, false),
      bound(a, true),
      bound(a, true, false),
    ]);
    expect(await findKeys(batches.sql, [keyOf(second), keyOf(randomBytes(32)), keyOf(first)])).toEqual([
      bound(b, true),
      null,
      bound(a, true),
    ]);
    await settle(batches.sql, [a!.requestId]);
    expect(await bindKeys(batches.sql, [keyOf(first)])).toEqual([
      { ...bound(a, true), outcome: { status: 'abandoned', result: null } },
    ]);
  });

  test('that several bind at once, each in another order, lead all of them to the same requests', async () => {
    for (let round = 0; round < 20; round++) {
      const digests = Array.from({ length: 60 }, () => randomBytes(32));
      const orders = [digests, digests.toReversed(), digests.toSpliced(0, 30).concat(digests.slice(0, 30))];
      const bound = await Promise.all(
        orders.map(async (order) => {
          const attempts = await bindKeys(
            batches.sql,
            order.map((each) => keyOf(each)),
          );
          return new Map(order.map((each, index) => [each, attempts[index]!.requestId]));
        }),
      );
      const [one, ...others] = bound.map((of) => digests.map((each) => of.get(each)));
      for (const other of others) expect(other).toEqual(one);
    }
  });

  test('503 only once it is settled: a request that the queue refuses after its key was bound', async () => {
    const pool: StatementPool = {
      run: (work) => work(batches.sql),
      waitingCount: () => 0,
      end: async () => {},
    };
    const submitted: string[] = [];
    const full: Submitter = {
      admits: () => true,
      submit: async ({ requestId }) => {
        submitted.push(requestId);
        return { status: 'busy', result: null };
      },
      isOpen: () => true,
      waitingCount: () => 0,
      close: async () => {},
    };
    const stock = createStock({
      submitter: full,
      keys: createKeys(pool),
      settle: async (requestId) => (await settle(batches.sql, [requestId])).get(requestId)!,
      now: Date.now,
    });
    const caller = {
      client: {
        clientId: batches.clientId,
        readOnly: false,
        rateLimit: null,
        permissions: new Set<number>(),
        scope: new Set<number>(),
      },
      arrivedAt: performance.now(),
      key: uniqueName('key'),
    };
    const body = { itemID: 'A', units: 1, wid: 1, reasonCode: 0 };
    const refused = stock.transact({ kind: 'receive', body }, caller, 201);
    await expect(refused).rejects.toThrow(messages.unavailable);
    const rows = await batches.sql<{ request_id: string; status: string }[]>`
      select request_id, status from stock_transaction where request_id = any(${submitted}::uuid[])`;
    expect([...rows]).toEqual([{ request_id: submitted[0], status: 'abandoned' }]);
  });
});
