import { redisRulesOf } from '@inventory/queue/redis-rights';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { type OwnRedis, startOwnRedis } from '../harness/servers/own-redis.ts';
import { runHere } from '../harness/service/command-line.ts';
import { examine } from '../harness/service/doctor.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receive } from '../harness/stock/stock.ts';

// The commands that managed services refuse: CONFIG and ACL always, CLIENT and INFO often.
let own: OwnRedis;
const env = { REDIS_URL: '', QUEUE_PREFIX: uniqueName('managed') };
// Starts before the service that uses it.
beforeAll(async () => {
  own = await startOwnRedis();
  for (const { name, part } of inject('logins')) {
    const rules = redisRulesOf(part === 'operator' ? 'admin' : part, '*').filter(
      (rule) => !/^\+(client|info|acl|config)/.test(rule),
    );
    await own.redis.call('ACL', 'SETUSER', name, 'resetkeys', ...rules);
  }
  env.REDIS_URL = own.url;
});
// Ends after the service that uses it: hooks run in reverse.
afterAll(() => own?.stop());
const service = useService({ env });

test('201 by the completion, not by Postgres, when Redis refuses CONFIG, ACL, CLIENT and INFO', async () => {
  const client = await service.client();
  const itemID = await service.item();
  for (let turn = 0; turn < 20; turn++) await receive(client, itemID, 1);
  // Redis is asked for completions; without them each answer would wait for a look-up.
  const stats = await own.redis.info('commandstats');
  expect(Number(/cmdstat_xread:calls=(\d+)/.exec(stats)?.[1])).toBeGreaterThanOrEqual(5);
});

test('doctor says what it can and cannot see, and does not fail', async () => {
  const operator = asPart('operator', { ...env, DATABASE_URL: service.databaseUrl });
  const { code, checks } = await examine(operator);
  const states = Object.fromEntries(Object.values(checks).map(({ id, state }) => [id, state]));
  expect({ code, ...states }).toMatchObject({
    code: 0,
    redis: 'ok',
    'eviction-policy': 'unknown',
    memory: 'unknown',
    'redis-role': 'unknown',
    workers: 'ok',
    apis: 'unknown',
    queue: 'ok',
    // The holders of the shards are kept in Redis itself.
    shards: 'ok',
  });
  expect(checks.workers!.found).toMatch(/^every queue finishes envelopes; Redis does not say/);
  const status = await runHere(['status', '--json'], operator);
  expect(status.code).toBe(0);
  expect(JSON.parse(status.stdout)).toMatchObject({
    apis: null,
    workers: null,
    redisBytes: null,
    envelopesWaiting: 0,
  });
});
