import { type AddressInfo, createServer } from 'node:net';
import { createSigningKey } from '@inventory/auth/token';
import { addFirstSigningKey, listSigningKeys, withdrawSigningKey } from '@inventory/db/access/signing-keys';
import { queueName } from '@inventory/queue/envelope';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { addressFor, asPart } from '../harness/as-part.ts';
import { createDatabase, noTables, type TestDatabase } from '../harness/servers/database.ts';
import { type OwnRedis, startOwnRedis } from '../harness/servers/own-redis.ts';
import { runCommand } from '../harness/service/command-line.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { uniqueName } from '../harness/service/service.ts';

type Check = { id: string; state: string; found: string; wanted: string; remedy: string | null };

const prefix = uniqueName('doctor');
let database: TestDatabase;
let redis: OwnRedis;
let api: Started;
let worker: Started;
// As many tests of one file run at once: vitest's maxConcurrency.
const atOnce = 5;
/** What so many starts of the command line alone take here: whatever else it takes is its own waiting. */
let startMs: number;

function environment(): Record<string, string> {
  return {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    QUEUE_PREFIX: prefix,
    PORT: '0',
    HOST: '127.0.0.1',
  };
}

/** Runs doctor as the operator. Fails when it takes longer than it promises. */
async function examine(
  changes: Record<string, string> = {},
  { args = [], imports = [] }: { args?: string[]; imports?: string[] } = {},
): Promise<{ code: number | null; checks: Record<string, Check>; failed: string[] }> {
  const startedAt = performance.now();
  const env = { ...asPart('operator', environment()), ...changes };
  const { code, stdout, stderr } = await runCommand(['doctor', '--json', ...args], env, { imports });
  expect(stderr).toBe('');
  expect(performance.now() - startedAt).toBeLessThan(15_000 + 5 * startMs);
  const list = JSON.parse(stdout) as Check[];
  return {
    code,
    checks: Object.fromEntries(list.map((check) => [check.id, check])),
    failed: list.filter(({ state }) => state === 'fail').map(({ id }) => id),
  };
}

beforeAll(async () => {
  [database, redis] = [await createDatabase(), await startOwnRedis()];
  await addFirstSigningKey(database.sql, await createSigningKey());
  worker = await startProcess('apps/worker/src/main.ts', asPart('worker', environment()));
  api = await startProcess('apps/api/src/main.ts', asPart('api', environment()));
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: atOnce }, () => runCommand(['--version'], {})));
  startMs = performance.now() - startedAt;
});

afterAll(async () => {
  await Promise.all([api?.stop(), worker?.stop()]);
  await redis?.stop();
  await database?.drop();
});

describe('doctor, where all is well,', () => {
  test('finds nothing that fails, says what it looked at and ends with 0', async () => {
    const url = `http://127.0.0.1:${api.port}`;
    const [{ code, checks, failed }, shown] = await Promise.all([
      examine({}, { args: ['--api', url, '--disk', '/'] }),
      runCommand(['doctor'], asPart('operator', environment())),
    ]);
    expect({ code, failed }).toEqual({ code: 0, failed: [] });
    const states = Object.fromEntries(Object.values(checks).map(({ id, state }) => [id, state]));
    // What the disk of this machine has is no concern of the test.
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
      // A given server may have standbys of its own.
      replication: expect.stringMatching(/ok|warn/),
      drift: 'ok',
      'eviction-policy': 'ok',
      memory: 'ok',
      'redis-role': 'ok',
      workers: 'ok',
      apis: 'ok',
      queue: 'ok',
      shards: 'ok',
      clocks: 'ok',
      backup: 'unknown',
      disk: 'looked at',
    });
    expect(checks.clocks!.found).toMatch(
      /^Postgres as this machine, Redis as this machine, the api at .* as this machine$/,
    );
    expect(checks.disk!.found).toMatch(/% \) free|%\) free/);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(/^ok +postgres +answers at .*\n/);
  });

  test('calls a worker well that has work without a pause', async () => {
    const queue = new Queue(queueName(0), { prefix, connection: redis.redis });
    const waiting = `${prefix}:${queueName(0)}:wait`;
    let isOver = false;
    const feed = (async () => {
      while (!isOver) {
        const room = 400 - (await redis.redis.llen(waiting));
        const job = { name: 'canary', data: { requests: [] }, opts: { removeOnComplete: true } };
        if (room > 0) await queue.addBulk(Array.from({ length: room }, () => job));
      }
    })();
    const { checks } = await examine();
    isOver = true;
    await feed;
    expect([checks.workers, checks.apis]).toMatchObject([{ state: 'ok' }, { state: 'ok' }]);
    await queue.close();
  });

  test('warns of a worker that has no queue, because QUEUE_SHARDS lets it have none', async ({
    onTestFinished,
  }) => {
    const second = await startProcess('apps/worker/src/main.ts', {
      ...asPart('worker', environment()),
      QUEUE_SHARDS: '1',
    });
    onTestFinished(() => second.stop());
    const { code, checks } = await examine();
    expect({ code, shards: checks.shards }).toMatchObject({
      code: 0,
      shards: {
        state: 'warn',
        found: expect.stringMatching(/^1 queue \(0: \S+:\d+\); 1 of 2 workers wait for one to go$/),
      },
    });
  });

  test('status shows what runs and how much there is', async () => {
    const env = asPart('operator', environment());
    const { code, stdout } = await runCommand(['status', '--json'], env);
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
    expect((await runCommand(['status'], env)).stdout).toMatch(/\nworkers +1, 1 ask for work\n/);
  });
});

describe('doctor names the cause within 15 s and ends with 1:', () => {
  test('a worker that is stopped', async () => {
    worker.child.kill('SIGSTOP');
    onTestFinished(() => void worker.child.kill('SIGCONT'));
    const { code, checks, failed } = await examine();
    expect({ code, failed }).toEqual({ code: 1, failed: ['workers'] });
    expect(checks.workers!.found).toMatch(
      /^no worker takes work: the worker at 127\.0\.0\.1:\d+ has asked for nothing for \d+ s$/,
    );
    expect((await runCommand(['status'], asPart('operator', environment()))).code).toBe(1);
  });

  test('one of two workers that is stopped is named, and is a warning', async () => {
    const second = await startProcess('apps/worker/src/main.ts', asPart('worker', environment()));
    onTestFinished(() => second.stop());
    worker.child.kill('SIGSTOP');
    onTestFinished(() => void worker.child.kill('SIGCONT'));
    const { code, checks } = await examine();
    expect({ code, workers: checks.workers }).toMatchObject({
      code: 0,
      workers: {
        state: 'warn',
        found: expect.stringMatching(/^the worker at \S+ has asked for nothing for/),
      },
    });
  });

  test('a Redis that is full, and one that would forget', async () => {
    await redis.redis.config('SET', 'maxmemory', '64mb');
    await redis.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    onTestFinished(async () => {
      await redis.redis.del('filler');
      await redis.redis.config('SET', 'maxmemory', '0');
    });
    await redis.redis.config('SET', 'maxmemory-policy', 'noeviction');
    const script = `for number = 1, 700 do redis.call('HSET', KEYS[1], number, ARGV[1]) end`;
    await redis.redis.eval(script, 1, 'filler', 'x'.repeat(100_000));
    await redis.redis.config('SET', 'maxmemory-policy', 'volatile-lru');
    onTestFinished(() => void redis.redis.config('SET', 'maxmemory-policy', 'noeviction'));
    const { code, checks } = await examine();
    expect({ code, memory: checks.memory, policy: checks['eviction-policy'] }).toMatchObject({
      code: 1,
      memory: { state: 'fail', found: expect.stringMatching(/^Redis is full: .* MB of 67\.1 MB/) },
      policy: { state: 'fail', found: 'volatile-lru' },
    });
  });
});

// Each with servers, or a queue, of its own: doctor watches the queues for seconds, which pass side by side.
describe.concurrent('doctor names the cause within 15 s and ends with 1:', () => {
  test('no worker at all, and envelopes that wait', async () => {
    const other = { QUEUE_PREFIX: uniqueName('nobody') };
    const queue = new Queue(queueName(0), { prefix: other.QUEUE_PREFIX, connection: redis.redis });
    await queue.add('canary', { requests: [] });
    const { code, checks, failed } = await examine(other);
    expect({ code, failed }).toEqual({ code: 1, failed: ['workers', 'queue'] });
    expect(checks.workers!.found).toBe('no worker is connected to this Redis');
    expect(checks.queue!.found).toMatch(/^1 envelopes wait and none was finished in \d+ s$/);
    expect(checks.shards!.state).toBe('unknown');
    await queue.close();
  });

  test('a full queue', async ({ onTestFinished }) => {
    const other = { QUEUE_PREFIX: uniqueName('full') };
    const queue = new Queue(queueName(0), { prefix: other.QUEUE_PREFIX, connection: redis.redis });
    await queue.addBulk(Array.from({ length: 1001 }, () => ({ name: 'canary', data: { requests: [] } })));
    // A worker of another speed: it finishes some, and far too few. The stream is all that tells of it.
    const finish = () =>
      redis.redis.xadd(
        `${other.QUEUE_PREFIX}:${queueName(0)}:events`,
        '*',
        'event',
        'completed',
        'jobId',
        'x',
      );
    const timer = setInterval(() => void finish(), 100);
    onTestFinished(() => clearInterval(timer));
    const { checks, failed } = await examine(other);
    expect(failed).toContain('queue');
    expect(checks.queue!.found).toBe('the queue is full: 1001 envelopes wait');
    await queue.obliterate({ force: true });
    await queue.close();
  });

  test('Redis away; what Postgres says is said all the same', async () => {
    const { code, checks, failed } = await examine({ REDIS_URL: 'redis://admin:sesame@127.0.0.1:1' });
    expect({ code, failed }).toEqual({ code: 1, failed: ['redis'] });
    expect(checks.redis!.found).toMatch(/^Redis at 127\.0\.0\.1:1 cannot be used \(.*ECONNREFUSED.*\)/);
    expect([checks.schema!.state, checks.workers!.state, checks.memory!.state]).toEqual([
      'ok',
      'unknown',
      'unknown',
    ]);
    expect(JSON.stringify(checks)).not.toContain('sesame');
  });

  test('Postgres away; what Redis says is said all the same', async () => {
    const { code, checks, failed } = await examine({
      DATABASE_URL: 'postgres://joe:sesame@127.0.0.1:1/inventory',
    });
    expect({ code, failed }).toEqual({ code: 1, failed: ['postgres'] });
    expect(checks.postgres!.found).toBe('Postgres at 127.0.0.1:1 cannot be used (ECONNREFUSED)');
    expect([checks.schema!.state, checks.workers!.state, checks.memory!.state]).toEqual([
      'unknown',
      'ok',
      'ok',
    ]);
    expect(JSON.stringify(checks)).not.toContain('sesame');
  });

  test('a Postgres and a Redis that take connections and never answer', async ({ onTestFinished }) => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const { code, checks, failed } = await examine({
      DATABASE_URL: `postgres://joe@127.0.0.1:${port}/inventory`,
      REDIS_URL: `redis://127.0.0.1:${port}`,
    });
    expect({ code, failed }).toEqual({ code: 1, failed: ['postgres', 'redis'] });
    expect(checks.postgres!.found).toBe(
      `Postgres at 127.0.0.1:${port} cannot be used (no answer within 3000 ms)`,
    );
    expect(checks.redis!.found).toContain(`127.0.0.1:${port} cannot be used`);
  });

  test('a clock that is 10 s off: this machine, and that of an api', async ({ onTestFinished }) => {
    const imports = ['test/harness/servers/shifted-clock.ts'];
    const shift = { CLOCK_SHIFT_MS: '10000' };
    const own = await examine(shift, { imports });
    expect({ code: own.code, failed: own.failed }).toEqual({ code: 1, failed: ['clocks'] });
    expect(own.checks.clocks!.found).toMatch(
      /^clocks differ: Postgres (9\.\d|10\.\d) s behind this machine, Redis (9\.\d|10\.\d) s behind this machine$/,
    );
    const wrong = await startProcess(
      'apps/api/src/main.ts',
      {
        ...asPart('api', environment()),
        ...shift,
        INTERNAL_PORT: '0',
      },
      { imports },
    );
    onTestFinished(() => wrong.stop());
    const other = await examine({}, { args: ['--api', `http://127.0.0.1:${wrong.internalPort}`] });
    expect({ code: other.code, failed: other.failed }).toEqual({ code: 1, failed: ['clocks'] });
    expect(other.checks.clocks!.found).toMatch(
      /the api at 127\.0\.0\.1:\d+ (9\.\d|10\.\d) s ahead of this machine$/,
    );
  });

  test('settings that can lose what was answered, and tables of another version', async ({
    onTestFinished,
  }) => {
    const other = await createDatabase();
    onTestFinished(() => other.drop());
    const name = new URL(other.url).pathname.slice(1);
    await other.sql.unsafe(`alter database ${name} set synchronous_commit = off`);
    await other.sql`update schema_version set version = version + 1000 where version = (select max(version) from schema_version)`;
    const { code, checks, failed } = await examine({ DATABASE_URL: addressFor('operator', other.url) });
    expect({ code, failed }).toEqual({ code: 1, failed: ['settings', 'schema'] });
    expect(checks.settings!.found).toMatch(
      /^synchronous_commit = off: an answered transaction could be lost/,
    );
    expect(checks.schema!.found).toMatch(/^version 10\d\d, newer than \d+$/);
    await other.sql`update schema_version set version = 1, checksum = 'another'`;
    const again = await examine({ DATABASE_URL: addressFor('operator', other.url) });
    expect(again.checks.schema).toMatchObject({
      state: 'fail',
      found: "made from other files than this version's (schema)",
    });
  });

  test('counts that nobody folds, no key that signs, and a login that may do everything', async ({
    onTestFinished,
  }) => {
    const other = await createDatabase();
    onTestFinished(() => other.drop());
    await other.sql`insert into level_arrival select 1, 1 from generate_series(1, 1000000)`;
    await other.sql`insert into transaction_arrival select 1, 1, 2, 1 from generate_series(1, 3)`;
    await addFirstSigningKey(other.sql, await createSigningKey());
    for (const { kid } of await listSigningKeys(other.sql)) {
      await withdrawSigningKey(other.sql, kid, await createSigningKey());
    }
    await other.sql`delete from signing_key`;
    await other.sql`delete from envelope_key`;
    const { code, checks, failed } = await examine({ DATABASE_URL: other.url });
    expect({ code, failed }).toEqual({ code: 1, failed: ['keys', 'folding'] });
    expect(checks.folding!.found).toBe('0 of lots, 0 of items, 1000000 of levels, 3 of transactions');
    expect(checks.keys!.found).toBe('no key for envelopes');
    expect(checks.roles).toMatchObject({ state: 'warn', found: 'this command connects as a superuser' });
  });

  test('a database that holds the tables of something else, which no migration is told for', async ({
    onTestFinished,
  }) => {
    const foreign = await createDatabase(noTables);
    onTestFinished(() => foreign.drop());
    await foreign.sql`create table invoice ()`;
    const { code, checks } = await examine({ DATABASE_URL: foreign.url });
    expect({ code, schema: checks.schema }).toMatchObject({
      code: 1,
      schema: {
        state: 'fail',
        found:
          'the database belongs to something else: it holds tables that are not of this service (invoice)',
        remedy: 'set DATABASE_URL to the database of the service, or give it one of its own',
      },
    });
  });

  test('a database without tables', async () => {
    const url = new URL(database.url);
    url.pathname = '/postgres';
    const { code, checks } = await examine({ DATABASE_URL: url.href });
    expect({ code, schema: checks.schema }).toMatchObject({
      code: 1,
      schema: { state: 'fail', found: 'no tables' },
    });
  });
});
