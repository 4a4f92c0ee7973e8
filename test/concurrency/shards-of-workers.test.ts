import { readSeating, readShardCount } from '@inventory/queue/seats';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { openStretch, type ServerStretch } from '../harness/network/through.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const prefix = uniqueName('workers');
const service = useService({ workers: 1, env: { QUEUE_PREFIX: prefix } });
const redis = new Redis(inject('redisUrl'));
let other: Started;
let network: ServerStretch;

/** A worker whose connection to Postgres can be cut. */
async function startOther(): Promise<Started> {
  network = await openStretch(service.databaseUrl);
  const env = asPart('worker', { ...service.env, DATABASE_URL: network.url });
  return startProcess('apps/worker/src/main.ts', env, { quiet: true });
}

beforeAll(async () => {
  other = await startOther();
});
afterAll(async () => {
  network?.close();
  other?.child.kill('SIGKILL');
  await other?.exited;
  redis.disconnect();
});

const heldByOther = async () => {
  const { shards } = await readSeating(redis, prefix);
  return shards.filter(({ holder }) => holder?.endsWith(`:${other.child.pid}`)).length;
};

/** The answers to receipts of many items, so that each worker gets a part of them, or would. */
async function receiveAll(items: readonly string[]): Promise<number[]> {
  const client = await service.client();
  const answers = await Promise.all(
    items.map((itemID) => client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 })),
  );
  return [...new Set(answers.map(({ status }) => status))];
}

const makeItems = () => Promise.all(Array.from({ length: 12 }, () => service.item()));

test('201 for every item while one of two workers cannot reach Postgres', async () => {
  await expect.poll(() => readShardCount(redis, prefix)).toBe(2);
  const items = await makeItems();
  await expect.poll(() => receiveAll(items)).toEqual([201]);
  network.setState('cut');
  await expect.poll(heldByOther).toBe(0);
  await expect.poll(() => receiveAll(items)).toEqual([201]);
  network.setState('open');
  await expect.poll(heldByOther).toBe(1);
  await expect.poll(() => receiveAll(items)).toEqual([201]);
});

test('201 for every item while one of two workers stands still, and after it goes on', async () => {
  const items = await makeItems();
  await expect.poll(heldByOther).toBe(1);
  other.child.kill('SIGSTOP');
  await expect.poll(heldByOther).toBe(0);
  await expect.poll(() => receiveAll(items)).toEqual([201]);
  other.child.kill('SIGCONT');
  await expect.poll(heldByOther).toBe(1);
  await expect.poll(() => receiveAll(items)).toEqual([201]);
});
