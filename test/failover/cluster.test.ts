import { queueName } from '@inventory/queue/envelope';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { runCommand } from '../harness/command-line.ts';
import { findRefused, redisLogins } from '../harness/logins.ts';
import { startLoad } from '../harness/redis-load.ts';
import {
  findServerProgram,
  type RedisServer,
  roleOf,
  startTestCluster,
  type TestCluster,
  until,
} from '../harness/redis-servers.ts';
import { uniqueName, useService } from '../harness/service.ts';

const { program, reason } = await findServerProgram();
const cluster: TestCluster | null =
  program === null ? null : await startTestCluster(program, redisLogins(inject('logins')));

describe.skipIf(cluster === null)(`a Redis Cluster${reason === '' ? '' : ` (not here: ${reason})`}`, () => {
  const { url, servers, findMaster } = cluster!;
  const prefix = uniqueName('cluster');
  const shardCount = 6;
  const env = { REDIS_URL: url, QUEUE_PREFIX: prefix, QUEUE_SHARDS: String(shardCount) };
  // Ends after what uses it: hooks run in reverse.
  afterAll(() => cluster?.stop());
  const service = useService({ apis: 2, workers: 2, env });

  const keyOf = (shard: number) => `${prefix}:${queueName(shard)}:wait`;

  async function untilPromoted(
    before: RedisServer,
    shard: number,
    ask?: () => Promise<unknown>,
  ): Promise<number> {
    const isPromoted = async () => {
      const master = await findMaster(keyOf(shard));
      return master !== null && master !== before;
    };
    await until('another master', isPromoted, ask);
    return performance.now();
  }

  test('the queues are spread over the masters', async () => {
    const shards = Array.from({ length: shardCount }, (_, shard) => shard);
    const masters = await Promise.all(shards.map((shard) => findMaster(keyOf(shard))));
    expect(masters).not.toContain(null);
    expect(new Set(masters).size).toBe(3);
  });

  test('nothing lost, nothing applied twice, and every answer clear when a master is killed, and when one hands over', async () => {
    const load = await startLoad(service, 12);
    await load.untilBack(performance.now());

    const killed = (await findMaster(keyOf(0)))!;
    killed.signal('SIGKILL');
    let promotedAt = await untilPromoted(killed, 0);
    await load.untilBack(promotedAt);
    console.log(`killed: back ${Math.round(performance.now() - promotedAt)} ms after the promotion`);

    await killed.startAgain();
    await until('the killed master follows', async () => (await roleOf(killed)) === 'slave');
    const before = (await findMaster(keyOf(0)))!;
    // As before maintenance: the old master lives, and sends everybody on.
    promotedAt = await untilPromoted(before, 0, () => killed.redis.cluster('FAILOVER'));
    await load.untilBack(promotedAt);
    console.log(`handed over: back ${Math.round(performance.now() - promotedAt)} ms after the promotion`);

    await load.stopAndCompare();
  });

  test('back while a master stands still and says nothing', async () => {
    const load = await startLoad(service, 6);
    await load.untilBack(performance.now());
    const still = (await findMaster(keyOf(0)))!;
    still.signal('SIGSTOP');
    const promotedAt = await untilPromoted(still, 0);
    await load.untilBack(promotedAt);
    console.log(`frozen: back ${Math.round(performance.now() - promotedAt)} ms after the promotion`);
    still.signal('SIGCONT');
    await until('the frozen master follows', async () => (await roleOf(still)) === 'slave');
    await load.untilBack(performance.now());
    await load.stopAndCompare();
  });

  test('429 after as many as the limit is, over all processes', async () => {
    const client = await service.client({ rateLimit: 12 });
    const apis = service.baseUrls.map((baseUrl) => ({
      baseUrl,
      ask: () => fetch(`${baseUrl}/Item`, { headers: { authorization: `Bearer ${client.token}` } }),
    }));
    const statuses: number[] = [];
    for (let turn = 0; turn < 20; turn++) statuses.push((await apis[turn % 2]!.ask()).status);
    expect(statuses).toEqual([...Array(12).fill(200), ...Array(8).fill(429)]);
  });

  test('doctor and status find all well', async () => {
    const operator = asPart('operator', { ...env, DATABASE_URL: service.databaseUrl });
    const ids = ['redis', 'eviction-policy', 'redis-role', 'workers', 'apis', 'queue', 'shards'];
    let checks: { id: string; state: string; found: string }[] = [];
    const stateOf = (id: string) => checks.find((each) => each.id === id);
    // A machine that is busy enough makes connections anew, and none is seen in that moment.
    const examine = async () => {
      checks = JSON.parse((await runCommand(['doctor', '--json'], operator)).stdout);
      return ids.map((id) => stateOf(id)?.state);
    };
    await expect.poll(examine, { timeout: 120_000 }).toEqual(ids.map(() => 'ok'));
    expect(stateOf('redis')!.found).toMatch(/\(a Redis Cluster\)$/);
    expect(stateOf('clocks')!.found.match(/Redis 127/g)).toHaveLength(3);
    const status = await runCommand(['status', '--json'], operator);
    expect(JSON.parse(status.stdout)).toMatchObject({ apis: 2, workers: 2, workersThatAsk: 2 });
  });

  test('no right is missing that the service needs, on any node', async () => {
    for (const { redis } of servers) expect(await findRefused(redis, inject('logins'))).toEqual([]);
  });
});
