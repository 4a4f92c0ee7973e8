import { queueName, shardOf } from '@inventory/queue/envelope';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { openConsumer } from '../harness/queue/consumer.ts';
import { createRequest, openSubmitter } from '../harness/queue/submitter.ts';
import { findRefused, redisLogins } from '../harness/servers/logins.ts';
import { startLoad } from '../harness/servers/redis-load.ts';
import {
  findServerProgram,
  type RedisServer,
  roleOf,
  startTestCluster,
  type TestCluster,
  until,
} from '../harness/servers/redis-servers.ts';
import { expectAllWell } from '../harness/service/all-well.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const { program, reason } = await findServerProgram();

describe.skipIf(program === null)(`a Redis Cluster${reason === '' ? '' : ` (not here: ${reason})`}`, () => {
  let cluster: TestCluster;
  const prefix = uniqueName('cluster');
  const shardCount = 6;
  const env = { REDIS_URL: '', QUEUE_PREFIX: prefix };
  // Starts before the service that uses it.
  beforeAll(async () => {
    cluster = await startTestCluster(program!, redisLogins(inject('logins')));
    env.REDIS_URL = cluster.url;
  });
  // Ends after the service that uses it: hooks run in reverse.
  afterAll(() => cluster?.stop());
  const service = useService({ apis: 2, workers: 2, env });

  const keyOf = (shard: number) => `${prefix}:${queueName(shard)}:wait`;

  async function untilPromoted(
    before: RedisServer,
    shard: number,
    ask?: () => Promise<unknown>,
  ): Promise<number> {
    const isPromoted = async () => {
      const master = await cluster.findMaster(keyOf(shard));
      return master !== null && master !== before;
    };
    await until('another master', isPromoted, ask);
    return performance.now();
  }

  test('the queues are spread over the masters', async () => {
    const shards = Array.from({ length: shardCount }, (_, shard) => shard);
    const masters = await Promise.all(shards.map((shard) => cluster.findMaster(keyOf(shard))));
    expect(masters).not.toContain(null);
    expect(new Set(masters).size).toBe(3);
  });

  test('nothing lost, nothing applied twice, and every answer clear when a master is killed and when one hands over', async () => {
    const load = await startLoad(service, 12);
    await load.untilBack(performance.now());

    const killed = (await cluster.findMaster(keyOf(0)))!;
    killed.signal('SIGKILL');
    let promotedAt = await untilPromoted(killed, 0);
    await load.untilBack(promotedAt);
    console.log(`killed: back ${Math.round(performance.now() - promotedAt)} ms after the promotion`);

    await killed.startAgain();
    await until('the killed master follows', async () => (await roleOf(killed)) === 'slave');
    const before = (await cluster.findMaster(keyOf(0)))!;
    // As before maintenance: the old master lives, and redirects everybody.
    promotedAt = await untilPromoted(before, 0, () => killed.redis.cluster('FAILOVER'));
    await load.untilBack(promotedAt);
    console.log(`handed over: back ${Math.round(performance.now() - promotedAt)} ms after the promotion`);

    await load.stopAndCompare();
  });

  test('writes are back while a master is frozen', async () => {
    const load = await startLoad(service, 6);
    await load.untilBack(performance.now());
    const still = (await cluster.findMaster(keyOf(0)))!;
    still.signal('SIGSTOP');
    const promotedAt = await untilPromoted(still, 0);
    await load.untilBack(promotedAt);
    console.log(`frozen: back ${Math.round(performance.now() - promotedAt)} ms after the promotion`);
    still.signal('SIGCONT');
    await until('the frozen master follows', async () => (await roleOf(still)) === 'slave');
    await load.untilBack(performance.now());
    await load.stopAndCompare();
  });

  test('each api gets the completions of two workers on two nodes', async () => {
    const own = { redisUrl: env.REDIS_URL, prefix: uniqueName('told') };
    await openConsumer({ ...own, shardsMax: 2 });
    await openConsumer({ ...own, shardsMax: 2 });
    const masters = await Promise.all([0, 1].map((shard) => cluster.findMaster(keyOf(shard))));
    expect(new Set(masters).size).toBe(2);
    const { submitRequests } = await openSubmitter({ ...own, envelopeMax: 4, inFlightMax: 4 });
    const itemIds = ['A', 'B', 'C', 'D', 'E', 'F'];
    expect(new Set(itemIds.map((itemId) => shardOf(itemId, 2))).size).toBe(2);
    // A request without a completion ends with its verdict: abandoned.
    const submit = async () => {
      const requests = itemIds.map((itemID) => createRequest(itemID));
      const results = await Promise.all(submitRequests(requests, performance.now() + 60_000));
      return results.map(({ status }) => status);
    };
    const isUsed = async () => {
      await submit();
      const { redis } = (await cluster.findMaster(keyOf(1)))!;
      return (await redis.keys(`${own.prefix}:${queueName(1)}:answers:*`)).length;
    };
    // By then both workers have a queue, and the api knows of both.
    await expect.poll(isUsed).toBe(1);
    // A busy machine may take too long to send the first ones; the next ones are not late.
    await expect.poll(submit).toEqual(itemIds.map(() => 'applied'));
  });

  test('429 after as many requests as the limit, over all processes', async () => {
    const ask = async () => {
      const { token } = await service.client({ rateLimit: 12 });
      const headers = { authorization: `Bearer ${token}` };
      const statuses: number[] = [];
      for (let turn = 0; turn < 20; turn++) {
        const { status } = await fetch(`${service.baseUrls[turn % 2]}/Item`, { headers });
        statuses.push(status);
      }
      return statuses;
    };
    // When Redis takes longer than an api waits for it, that api counts alone for a moment.
    await expect.poll(ask).toEqual([...Array(12).fill(200), ...Array(8).fill(429)]);
  });

  test('doctor and status find no problem', async () => {
    const operator = asPart('operator', { ...env, DATABASE_URL: service.databaseUrl });
    const foundBy = await expectAllWell(operator);
    expect(foundBy('redis')).toMatch(/\(a Redis Cluster\)$/);
    expect(foundBy('clocks').match(/Redis 127/g)).toHaveLength(3);
  });

  test('the service lacks no right on any node', async () => {
    for (const { redis } of cluster.servers) expect(await findRefused(redis, inject('logins'))).toEqual([]);
  });
});
