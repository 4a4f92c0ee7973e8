import { makeChecks } from '@inventory/admin/doctor/check';
import { machineChecks } from '@inventory/admin/doctor/machine-checks';
import { redisChecks } from '@inventory/admin/doctor/redis-checks';
import { createSigningKey } from '@inventory/auth/token';
import { addFirstSigningKey, listSigningKeys, withdrawSigningKey } from '@inventory/db/access/signing-keys';
import type { Sql } from '@inventory/postgres/pool';
import { queueName } from '@inventory/queue/envelope';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { connectAs, createDatabase, noTables } from '../harness/servers/database.ts';
import { type OwnRedis, startOwnRedis } from '../harness/servers/own-redis.ts';
import { runHere } from '../harness/service/command-line.ts';
import { examine, examinePostgres, examineQueues, toExamined } from '../harness/service/doctor.ts';
import { startProcess } from '../harness/service/processes.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

// operating/causes.test.ts makes the causes of an outage, and asks the whole doctor about each. Here are the
// checks that nothing else looks at.
let redis: OwnRedis;
const env = { REDIS_URL: '', QUEUE_PREFIX: uniqueName('doctor') };
// Starts before the service that uses it, and ends after it.
beforeAll(async () => {
  redis = await startOwnRedis();
  env.REDIS_URL = redis.url;
});
afterAll(() => redis?.stop());
const service = useService({ env, holds: 'nothing' });

const operator = () => asPart('operator', service.env);

describe('doctor, where all is well,', () => {
  test('finds nothing that fails, says what it looked at and ends with 0', async () => {
    const { code, checks, failed } = await examine(operator(), [
      ...['--api', new URL(service.baseUrl).origin, '--disk', '/'],
    ]);
    expect({ code, failed }).toEqual({ code: 0, failed: [] });
    const states = Object.fromEntries(Object.values(checks).map(({ id, state }) => [id, state]));
    // The disk of this machine is no concern of the test.
    expect({ ...states, disk: 'looked at' }).toEqual({
      postgres: 'ok',
      redis: 'ok',
      'postgres-version': 'ok',
      settings: expect.stringMatching(/ok|warn/),
      schema: 'ok',
      roles: 'ok',
      connections: expect.stringMatching(/ok|warn/),
      keys: 'ok',
      folding: 'ok',
      changes: 'ok',
      gtins: 'ok',
      'stored-times': 'ok',
      webhooks: 'ok',
      // A given server may have standbys of its own.
      replication: expect.stringMatching(/ok|warn/),
      servers: 'ok',
      drift: 'ok',
      'eviction-policy': 'ok',
      memory: 'ok',
      'redis-role': 'ok',
      workers: 'ok',
      apis: 'ok',
      queue: 'ok',
      shards: 'ok',
      writes: 'ok',
      clocks: 'ok',
      backup: 'unknown',
      certificate: 'ok',
      disk: 'looked at',
    });
    expect(checks.clocks!.found).toMatch(
      /^Postgres as this machine, Redis as this machine, the api at .* as this machine$/,
    );
    expect(checks.disk!.found).toMatch(/% \) free|%\) free/);
  });

  test('calls a worker well that has work without a pause', async () => {
    const queue = new Queue(queueName(0), { prefix: env.QUEUE_PREFIX, connection: redis.redis });
    const waiting = `${env.QUEUE_PREFIX}:${queueName(0)}:wait`;
    let isOver = false;
    const feed = (async () => {
      while (!isOver) {
        const room = 400 - (await redis.redis.llen(waiting));
        const job = { name: 'canary', data: { requests: [] }, opts: { removeOnComplete: true } };
        if (room > 0) await queue.addBulk(Array.from({ length: room }, () => job));
      }
    })();
    const { checks } = await examineQueues(redis.redis, env.QUEUE_PREFIX, 7000);
    isOver = true;
    await feed;
    expect([checks.workers, checks.apis]).toMatchObject([{ state: 'ok' }, { state: 'ok' }]);
    await queue.close();
  });

  test('warns of a worker that has no queue, because QUEUE_SHARDS lets it have none', async () => {
    // Of the same process it would have the same name.
    const second = await startProcess('apps/worker/src/main.ts', {
      ...asPart('worker', service.env),
      QUEUE_SHARDS: '1',
    });
    onTestFinished(() => second.stop());
    const { code, checks } = await examine(operator());
    expect({ code, shards: checks.shards }).toMatchObject({
      code: 0,
      shards: {
        state: 'warn',
        found: expect.stringMatching(/^1 queue \(0: \S+:\d+\); 1 of 2 workers wait for one to go$/),
      },
    });
  });

  test('status shows what runs and how much there is', async () => {
    const { code, stdout } = await runHere(['status', '--json'], operator());
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      postgres: { state: 'ok' },
      redis: { state: 'ok' },
      apis: 1,
      workers: 1,
      workersThatAsk: 1,
      shards: [{ shard: 0, holder: expect.stringMatching(/:\d+$/), isInUse: true }],
      envelopesWaiting: 0,
      holdings: { items: 0, lots: 0, transactions: 0, clients: 0, warehouses: 0, lastTransaction: null },
    });
  });
});

test('doctor names servers that are away by their places, in a line each, without their passwords', async () => {
  const away = 'joe:sesame@127.0.0.1:1';
  const { code, stdout, stderr } = await runHere(['doctor'], {
    DATABASE_URL: `postgres://${away}/inventory`,
    REDIS_URL: `redis://${away}`,
  });
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(/^fail +postgres +Postgres at 127\.0\.0\.1:1 cannot be used \(ECONNREFUSED\)\n/);
  expect(stdout).toMatch(/\nfail +redis +Redis at 127\.0\.0\.1:1 cannot be used \(.*ECONNREFUSED.*\)/);
  expect(stdout).toMatch(/\npostgres: wanted: Postgres answers\n {2}do: See whether it runs/);
  expect(stdout).not.toContain('sesame');
});

describe('doctor names', () => {
  test('envelopes that wait for no worker, and a full queue', async () => {
    const prefix = uniqueName('full');
    const queue = new Queue(queueName(0), { prefix, connection: redis.redis });
    onTestFinished(() => queue.close());
    const addEnvelopes = (count: number) =>
      queue.addBulk(Array.from({ length: count }, () => ({ name: 'canary', data: { requests: [] } })));
    await addEnvelopes(1);
    const { checks, failed } = await examineQueues(redis.redis, prefix, 2000);
    expect(failed).toEqual(['workers', 'queue']);
    expect(checks.workers!.found).toBe('no worker is connected to this Redis');
    expect(checks.queue!.found).toMatch(/^1 envelopes wait and none was finished in \d+ s$/);
    expect(checks.shards!.state).toBe('unknown');
    await addEnvelopes(1000);
    // A worker of another speed: it finishes some, and far too few. The stream is all that tells of it.
    const stream = `${prefix}:${queueName(0)}:events`;
    const finish = () => redis.redis.xadd(stream, '*', 'event', 'completed', 'jobId', 'x');
    const timer = setInterval(() => void finish(), 100);
    onTestFinished(() => clearInterval(timer));
    const full = await examineQueues(redis.redis, prefix, 2000);
    expect(full.checks.queue).toMatchObject({
      state: 'fail',
      found: 'the queue is full: 1001 envelopes wait',
    });
  });

  test('a Redis that is full, and one that would forget', async () => {
    await redis.redis.config('SET', 'maxmemory', '64mb');
    onTestFinished(async () => {
      await redis.redis.del('filler');
      await redis.redis.config('SET', 'maxmemory', '0');
      await redis.redis.config('SET', 'maxmemory-policy', 'noeviction');
    });
    const script = `for number = 1, 700 do redis.call('HSET', KEYS[1], number, ARGV[1]) end`;
    await redis.redis.eval(script, 1, 'filler', 'x'.repeat(100_000));
    await redis.redis.config('SET', 'maxmemory-policy', 'volatile-lru');
    const { checks } = toExamined(await makeChecks(redis.redis, redisChecks));
    expect({ memory: checks.memory, policy: checks['eviction-policy'] }).toMatchObject({
      memory: { state: 'fail', found: expect.stringMatching(/^Redis is full: .* MB of 67\.1 MB/) },
      policy: { state: 'fail', found: 'volatile-lru' },
    });
  });

  test('the clock of this machine when it is 10 s off', async () => {
    const { now } = Date;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 10_000);
    onTestFinished(() => void vi.restoreAllMocks());
    const on = { sql: service.sql, redis: redis.redis, apis: [], prefix: 'none', disk: null };
    const { checks } = toExamined(await makeChecks(on, machineChecks));
    expect(checks.clocks).toMatchObject({
      state: 'fail',
      found: expect.stringMatching(
        /^clocks differ: Postgres (9\.\d|10\.\d) s behind this machine, Redis (9\.\d|10\.\d) s behind this machine$/,
      ),
    });
  });

  async function other(template?: string): Promise<{ url: string; sql: Sql }> {
    const made = await createDatabase(template);
    onTestFinished(() => made.drop());
    return made;
  }

  test('tables of another version', async () => {
    const { url, sql } = await other();
    await sql`insert into schema_version (version, name, checksum) values (1001, 'later', '')`;
    await sql`update schema_compatibility set oldest = 1001`;
    const operator = connectAs('operator', url);
    const { checks, failed } = await examinePostgres(operator);
    expect(failed).toEqual(['schema']);
    expect(checks.schema!.found).toMatch(/^version 1001, newer than \d+$/);
    await sql`update schema_version set checksum = 'another' where version = 1`;
    expect((await examinePostgres(operator)).checks.schema).toMatchObject({
      state: 'fail',
      found: "the database's tables were made from other files than this version's (schema)",
    });
  });

  test('counts that nobody folds, no key that signs, and a login that may do everything', async () => {
    const { sql } = await other();
    await sql`insert into level_arrival select 1, 1 from generate_series(1, 1000000)`;
    await sql`insert into list_arrival select 'lots', 1, 0, 1, 1, 1 from generate_series(1, 3)`;
    await addFirstSigningKey(sql, await createSigningKey());
    for (const { kid } of await listSigningKeys(sql)) {
      await withdrawSigningKey(sql, kid, await createSigningKey());
    }
    await sql`delete from signing_key`;
    await sql`delete from envelope_key`;
    const { checks, failed } = await examinePostgres(sql);
    expect(failed).toEqual(['keys', 'folding']);
    expect(checks.folding!.found).toBe('3 of lots and transactions, 0 of items, 1000000 of levels');
    expect(checks.keys!.found).toBe('no key for envelopes');
    expect(checks.roles).toMatchObject({ state: 'warn', found: 'this command connects as a superuser' });
  });

  test('a database without tables, and one with the tables of something else, which no migration is told for', async () => {
    const { sql } = await other(noTables);
    expect((await examinePostgres(sql)).checks.schema).toMatchObject({ state: 'fail', found: 'no tables' });
    await sql`create table invoice ()`;
    expect((await examinePostgres(sql)).checks.schema).toMatchObject({
      state: 'fail',
      found: 'the database belongs to something else: it holds tables that are not of this service (invoice)',
      remedy: 'set DATABASE_URL to the database of the service, or give it one of its own',
    });
  });
});
