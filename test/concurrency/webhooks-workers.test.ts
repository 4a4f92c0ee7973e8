import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { adoptRestored } from '@inventory/db/backup/identity';
import { countAheadWebhooks } from '@inventory/db/webhooks/list-webhooks';
import { Redis } from 'ioredis';
import { expect, inject, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { hasOpenssl, makeCertificate } from '../harness/network/certificate.ts';
import { type Received, type Receiver, startReceiver } from '../harness/network/webhook-receiver.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { useService } from '../harness/service/service.ts';
import { useWebhooks } from '../harness/service/webhooks.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService({ workers: 0, hears503: false });
const { webhook, add, show, state, letTimePass } = useWebhooks(service);
const patience = { interval: 50 };

/** Starts a worker process, which ends with the test. */
async function startWorker(env: Record<string, string> = {}): Promise<Started> {
  const worker = await startProcess('apps/worker/src/main.ts', { ...asPart('worker', service.env), ...env });
  onTestFinished(() => worker.stop());
  return worker;
}

async function kill(worker: Started) {
  worker.child.kill('SIGKILL');
  await worker.exited;
}

/** Keeps the lease of a webhook for so many seconds more, however slow this machine is. */
async function keepLease(webhookId: number, seconds: number) {
  await service.sql`
    update webhook
    set leased_until = clock_timestamp() + ${seconds} * interval '1 second'
    where webhook_id = ${webhookId}`;
}

/** Redis loses all that it knows of this service. */
async function emptyRedis() {
  const redis = new Redis(inject('redisUrl'));
  const keys = await redis.keys(`${service.env.QUEUE_PREFIX}:*`);
  await redis.del(...keys);
  redis.disconnect();
}

test('a worker that is killed in the middle of a message: another one sends the same, but not before its lease is over', async () => {
  const first = await startWorker();
  const client = await service.client();
  const isHeld = [true];
  const receiver = await startReceiver((response) => {
    if (!isHeld[0]) response.writeHead(204).end();
  });
  const { webhookId } = await add(client.clientId, receiver.url);
  await service.item();
  await expect.poll(() => receiver.received.length, patience).toBe(1);
  await kill(first);
  // The attempt was noted before it was made.
  expect(await show(webhookId)).toMatchObject({ lastOutcome: 'unfinished' });
  await letTimePass(webhookId);
  await keepLease(webhookId, 25);
  isHeld[0] = false;
  // Without it, the queue keeps the job of the killed worker for some seconds, too.
  await emptyRedis();
  await startWorker();
  // The new one looks for webhooks several times, and sends, but not this message.
  const other = await startReceiver();
  await add(client.clientId, other.url);
  for (let round = 1; round <= 3; round++) {
    await service.item();
    await keepLease(webhookId, 25);
    await expect.poll(() => other.received.length, patience).toBeGreaterThanOrEqual(round);
  }
  expect(receiver.received).toHaveLength(1);
  await keepLease(webhookId, -1);
  await expect.poll(() => receiver.received.length, patience).toBeGreaterThan(1);
  const [one, two] = receiver.received;
  expect([two!.id, two!.body]).toEqual([one!.id, one!.body]);
  await expect.poll(() => state(webhookId), patience).toBe('active');
});

test('a message that ends its worker: each attempt counts and is followed by its pause, and the tenth is the last', async () => {
  const client = await service.client();
  const receiver = await startReceiver(() => {});
  const { webhookId } = await add(client.clientId, receiver.url);
  await service.item();
  for (const attempt of [1, 10]) {
    // As if it had ended eight more.
    if (attempt === 10) await service.sql`update webhook set attempts = 9 where webhook_id = ${webhookId}`;
    const before = receiver.received.length;
    const worker = await startWorker();
    await expect.poll(() => receiver.received.length, patience).toBe(before + 1);
    await kill(worker);
    await keepLease(webhookId, -1);
    expect(await show(webhookId)).toMatchObject({ state: 'failing', attempts: attempt });
    const [row] = await service.sql`
      select next_attempt >= last_attempt + interval '5 seconds' as pauses
      from webhook
      where webhook_id = ${webhookId}`;
    expect(row!.pauses).toBe(true);
    await letTimePass(webhookId);
    await emptyRedis();
  }
  await startWorker();
  await expect.poll(() => show(webhookId), patience).toMatchObject({ state: 'disabled', why: 'failed' });
  expect(receiver.received).toHaveLength(2);
});

test.each([
  ['a lease', `lease = gen_random_uuid(), leased_until = clock_timestamp() + $1::interval`],
  ['the next attempt after a success', `next_attempt = clock_timestamp() + $1::interval`],
  [
    'an attempt and the next one',
    `attempts = 1, failing_since = clock_timestamp() + $1::interval, last_outcome = '503',
      last_attempt = clock_timestamp() + $1::interval,
      next_attempt = clock_timestamp() + $1::interval + interval '5 seconds'`,
  ],
])(
  '%s that a clock noted which was ahead, by two hours or forty days: doctor tells it, and messages go on',
  async (_, times) => {
    const client = await service.client();
    const receivers: Receiver[] = [];
    for (const ahead of ['2 hours', '40 days']) {
      const receiver = await startReceiver();
      const { webhookId } = await add(client.clientId, receiver.url);
      await service.sql.unsafe(`update webhook set ${times} where webhook_id = ${webhookId}`, [ahead]);
      receivers.push(receiver);
    }
    await service.item();
    const told = await countAheadWebhooks(service.sql);
    await startWorker();
    for (const receiver of receivers)
      await expect.poll(() => receiver.received.length, patience).toBeGreaterThan(0);
    expect(await countAheadWebhooks(service.sql)).toBe(0);
    // After a success nobody waits for the next attempt. A time that is no pause is told all the same.
    expect(told).toBe(times.startsWith('next_attempt') ? 1 : 2);
  },
);

test('two workers, also while one is killed and Redis loses everything: every change at every receiver, in order, and never two messages at once', async () => {
  const workers = [await startWorker(), await startWorker()];
  const clients = [await service.client(), await service.client({ warehouses: [1] })];
  let atOnce = 0;
  const hooks: { receiver: Receiver; client: ApiClient; cursor: string; webhookId: number }[] = [];
  for (let index = 0; index < 6; index++) {
    let here = 0;
    const receiver = await startReceiver((response, _, count) => {
      here += 1;
      atOnce = Math.max(atOnce, here);
      response.on('close', () => {
        here -= 1;
      });
      // Some fail now and then.
      response.writeHead(index % 3 === 0 && count % 4 === 3 ? 503 : 204);
      setTimeout(() => response.end(), 5);
    });
    const client = clients[index % 2]!;
    // That of /Me may be an earlier one on a busy machine. Changes of before are not told to the webhook.
    const { nextCursor: cursor } = (await client.get('/Changes?after=now')).body;
    hooks.push({ receiver, client, cursor, ...(await add(client.clientId, receiver.url)) });
  }
  const items = [await service.item(), await service.item()];
  for (let round = 0; round < 30; round++) {
    await receiveLot(clients[0]!, items[round % 2]!, 1, { wid: 1 + (round % 2) });
    if (round === 10) {
      await kill(workers[0]!);
      await startWorker();
    }
    if (round === 20) await emptyRedis();
    for (const { webhookId } of hooks) await letTimePass(webhookId);
  }
  for (const { receiver, client, cursor, webhookId } of hooks) {
    const feed = (await client.get(`/Changes?after=${cursor}&limit=1000`)).body.value;
    const numberOf = (change: { transactionNo?: number; partNo?: number }) =>
      change.transactionNo ?? `item ${change.partNo}`;
    // A message may come again, under the same id, and counts once.
    const told = () => {
      const once = new Map(receiver.received.map((each) => [each.id, each]));
      return [...once.values()].flatMap(({ message }) => message.data.value.map(numberOf));
    };
    const expected = feed.map(numberOf);
    expect(expected.length).toBeGreaterThan(15);
    // The killed worker's lease ends by itself.
    const toldInTime = async () => {
      await letTimePass(webhookId);
      return told().length;
    };
    await expect.poll(toldInTime, patience).toBe(expected.length);
    expect(told()).toEqual(expected);
  }
  expect(atOnce).toBe(1);
});

test('a client whose receivers all hang has eight messages under way, and another client’s arrive', async () => {
  const client = await service.client();
  let [open, openMost] = [0, 0];
  const hanging = await startReceiver((response) => {
    open += 1;
    openMost = Math.max(openMost, open);
    response.on('close', () => {
      open -= 1;
    });
  });
  for (let count = 0; count < 12; count++) await add(client.clientId, hanging.url);
  await startWorker();
  await service.item();
  await expect.poll(() => openMost, patience).toBe(8);
  const other = await service.client();
  const working = await startReceiver();
  await add(other.clientId, working.url);
  await service.item();
  await expect.poll(() => working.received.length, patience).toBeGreaterThan(0);
  // Each gives up in the end, and leaves its place to the next.
  await expect.poll(() => hanging.received.length, patience).toBeGreaterThan(8);
  expect(openMost).toBe(8);
});

test('a place of a database that was restored since: disabled, and sent again only from a place that the operator names', async () => {
  await startWorker();
  const client = await service.client();
  const receiver = await startReceiver();
  const { webhookId } = await add(client.clientId, receiver.url);
  await service.item();
  await expect.poll(() => receiver.received.length, patience).toBe(1);
  const { nextCursor } = receiver.received[0]!.message.data;
  await adoptRestored(service.sql, new Date());
  await expect.poll(() => state(webhookId), patience).toBe('disabled');
  expect((await show(webhookId)).why).toBe('restored');
  const id = ['--id', `${webhookId}`];
  // An operator cannot make its place good by disabling and enabling it.
  await webhook('disable', ...id);
  expect(await webhook.fails('enable', ...id)).toContain('use webhook replay');
  expect(await webhook.fails('replay', ...id, '--from', nextCursor)).toContain('this cursor is of another');
  await webhook('replay', ...id, '--from', 'now');
  await service.item();
  await expect.poll(() => receiver.received.length, patience).toBe(2);
  expect(await state(webhookId)).toBe('active');
});

test('a message that waits for its receiver when its database is restored: never sent, and its webhook disabled', async () => {
  await startWorker();
  const client = await service.client();
  let status = 503;
  const arrived: Received[] = [];
  const receiver = await startReceiver((response, received) => {
    if (status === 204) arrived.push(received);
    response.writeHead(status).end();
  });
  const { webhookId } = await add(client.clientId, receiver.url);
  await service.item();
  await expect.poll(async () => (await show(webhookId)).deliveries.length, patience).toBe(1);
  await adoptRestored(service.sql, new Date());
  status = 204;
  await letTimePass(webhookId);
  await expect.poll(() => show(webhookId), patience).toMatchObject({ state: 'disabled', why: 'restored' });
  expect(arrived).toEqual([]);
});

test('everything again after a restore: first a change of scope, so that the receiver reads the lists', async () => {
  await startWorker();
  const client = await service.client({ warehouses: [1] });
  const receiver = await startReceiver();
  const { webhookId } = await add(client.clientId, receiver.url);
  await service.item();
  await expect.poll(() => receiver.received.length, patience).toBe(1);
  await adoptRestored(service.sql, new Date());
  await expect.poll(() => state(webhookId), patience).toBe('disabled');
  await webhook('replay', '--id', `${webhookId}`, '--from', 'beginning');
  await expect.poll(() => receiver.received.length, patience).toBeGreaterThan(1);
  const [first, second] = receiver.received[1]!.message.data.value;
  expect(first).toMatchObject({ type: 'scope', warehouses: [{ wID: 1 }] });
  expect(second.type).not.toBe('scope');
});

test.skipIf(!hasOpenssl)(
  'https: a certificate is checked for the name of the receiver (skipped without openssl)',
  async () => {
    const { key, cert, file } = makeCertificate();
    const server = createServer({ key, cert }, (_, response) => response.writeHead(204).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await startWorker({ NODE_EXTRA_CA_CERTS: file });
    const client = await service.client();
    const right = await add(client.clientId, `https://localhost:${port}/`);
    const wrong = await add(client.clientId, `https://127.0.0.1:${port}/`);
    await service.item();
    const outcomeOf = async (webhookId: number) => (await show(webhookId)).lastOutcome;
    await expect.poll(() => outcomeOf(right.webhookId), patience).toBe('204');
    await expect.poll(() => outcomeOf(wrong.webhookId), patience).toBe('tls');
  },
);
