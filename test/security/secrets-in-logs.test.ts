import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestSecret } from '@inventory/auth/secret';
import { addClient } from '@inventory/db/access/clients';
import { addWarehouse } from '@inventory/db/catalog/warehouses';
import { migrate } from '@inventory/db/migrate/migrate';
import { type Stack, startStack } from '@inventory/local/stack';
import { connect, type Sql } from '@inventory/postgres/pool';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readRedis } from '../harness/servers/redis-contents.ts';
import {
  type ApiClient,
  askTokenOnce,
  createApiClient,
  send,
  untilAnswered,
} from '../harness/service/api-client.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { allPermissions, uniqueName } from '../harness/service/service.ts';

// The secrets that must appear nowhere, by kind. Each has a mark that nothing else contains.
const canaries = new Map<string, string>();

function canary(what: string): string {
  const known = canaries.get(what) ?? `cn4ry${randomBytes(8).toString('hex')}`;
  canaries.set(what, known);
  return known;
}

// These travel in envelopes and are stored; the rest belongs to the client or the operator alone.
const bodies = new Set('remark reference serial serial2 spot rfidTag prodID description'.split(' '));

const clientId = uniqueName('scanner');
const itemID = uniqueName('ITEM');
const running: Started[] = [];
let folder: string;
let stack: Stack;
let sql: Sql;
let redis: Redis;
let api: Started;
let worker: Started;
let client: ApiClient;
let baseUrl: string;
let env: Record<string, string>;
let count = 0;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'secrets-')));
  stack = await startStack({ folder, throwAway: true, report: () => {} });
  sql = connect(stack.databaseUrl, { name: 'tests', connectionsMax: 2 });
  await migrate(sql);
  await addWarehouse(sql, { wid: 1, name: 'Main' });
  await addClient(sql, {
    clientId,
    permissions: allPermissions,
    wids: [1],
    readOnly: false,
    rateLimit: 1_000_000,
    secretDigest: digestSecret(canary('client secret')),
  });
  redis = new Redis(stack.redisUrl);
  redis.on('error', () => {});
  await setRedisPassword('password of Redis');
  env = {
    DATABASE_URL: withPassword(stack.databaseUrl, await setPostgresPassword('password of Postgres')),
    REDIS_URL: withPassword(stack.redisUrl, canary('password of Redis')),
    LOG_LEVEL: 'trace',
    PORT: '0',
    BLURTED: canary('a text that a library prints'),
  };
  const options = { keep: true, quiet: true, imports: ['test/harness/network/blurting.ts'] };
  api = await startProcess('apps/api/src/main.ts', env, options);
  worker = await startProcess('apps/worker/src/main.ts', env, options);
  running.push(api, worker);
  baseUrl = `http://127.0.0.1:${api.port}/api/v1`;
  client = createApiClient(baseUrl, clientId, await fetchToken(), { isPatient: false });
  canaries.set('token', client.token.split('.')[2]!);
  expect((await client.post('/Item', { shortID: itemID, description: canary('description') })).status).toBe(
    201,
  );
  expect((await untilAnswered(receive)).status).toBe(201);
});

afterAll(async () => {
  for (const each of running) await each.stop();
  redis?.disconnect();
  await sql?.end({ timeout: 5 });
  await stack?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const written = () => running.map((each) => each.written()).join('');

afterEach(async () => {
  const postgresLog = await readFile(join(folder, 'postgres.log'), 'utf8');
  const inRedis = await readRedis(redis);
  const found = [...canaries].flatMap(([what, text]) => [
    ...(written().includes(text) ? [`${what}: in the log of a process`] : []),
    ...(postgresLog.includes(text) ? [`${what}: in the log of Postgres`] : []),
    ...(inRedis.includes(text) && !bodies.has(what) ? [`${what}: in Redis`] : []),
  ]);
  expect(found).toEqual([]);
});

async function setPostgresPassword(what: string): Promise<string> {
  const name = new URL(stack.databaseUrl).username;
  await sql.unsafe(`alter role ${name} password '${canary(what)}'`);
  return canary(what);
}

const redisUser = () => new URL(stack.redisUrl).username;
const setRedisPassword = (what: string) => redis.acl('SETUSER', redisUser(), 'resetpass', `>${canary(what)}`);

/** Ends every connection of the service to Redis, but not the tests' own. */
const cutRedis = () => redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');

const fetchToken = async (secret = canary('client secret')): Promise<string> =>
  (await askTokenOnce(baseUrl, { clientId, secret })).body.access_token;

/** Asks for a token with a wrong secret, in the header. */
const guess = () =>
  send(baseUrl, 'POST', '/Token', {
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Authorization: `Basic ${Buffer.from(`${clientId}:${canary('wrong client secret')}`).toString('base64')}`,
    },
    body: 'grant_type=client_credentials',
  });

const marked = (...names: string[]) => Object.fromEntries(names.map((name) => [name, canary(name)]));
const bodyOf = (units: number, more: object) => ({ itemID, units, wid: 1, reasonCode: 0, ...more });
const fields = () => marked('spot', 'serial', 'serial2', 'rfidTag', 'reference', 'remark');

function receive() {
  count += 1;
  const key = `${canary('Idempotency-Key')}-${count}`;
  return client.post('/Inventory/Receive', bodyOf(5, fields()), { 'Idempotency-Key': key });
}

/** One of every request callers send, whatever the answer. */
async function useAll(): Promise<void> {
  await Promise.all([
    receive(),
    client.post('/Inventory/Issue', bodyOf(1, { ...marked('prodID'), ...fields() })),
    client.post('/Inventory/Move', bodyOf(1, { toSpot: canary('spot'), ...marked('serial') })),
    client.get(`/Inventory?serial=${canary('serial')}&spot=${canary('query string')}`),
    client.get(`/Item?key=${canary('query string')}&type=id`),
    client.put('/Item', { shortID: itemID, ...marked('description') }),
    send(baseUrl, 'GET', `/Item?access_token=${client.token}`),
    send(baseUrl, 'GET', '/Item', { headers: { Authorization: `Bearer ${canary('wrong token')}` } }),
    send(baseUrl, 'POST', '/Inventory/Receive', {
      headers: { Authorization: `Bearer ${client.token}`, 'Content-Type': 'application/json' },
      body: `{"remark": "${canary('remark')}", ${canary('serial')}`,
    }),
    fetchToken().catch(() => {}),
    fetchToken(canary('wrong client secret')).catch(() => {}),
    guess().catch(() => {}),
  ]);
}

/** Sends all of them until a new line of the log matches, of each process or of the named one. */
async function useUntilLogged(line: RegExp, processes: Started[] = [api, worker]): Promise<void> {
  const from = processes.map((each) => each.written().length);
  const silent = async () => {
    await useAll();
    const logs = processes.map((each, index) => each.written().slice(from[index]));
    return logs.filter((log) => !line.test(log));
  };
  await expect.poll(silent).toEqual([]);
}

/** Waits until a receipt is applied again. */
const expectBack = () => expect.poll(async () => (await receive()).status).toBe(201);

const logged = (message: string) => new RegExp(`"message":"[^"]*${message}`);

const cutPostgres = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'inventory-%'`;
const config = (...setting: [string, string]) => redis.config('SET', ...setting);

/** Faults: how each begins, the log line that shows it, and how it ends. */
const faults: [string, () => Promise<unknown>, () => Promise<unknown>, () => Promise<unknown>][] = [
  [
    'Redis refuses the password',
    () => setRedisPassword('another password of Redis').then(cutRedis),
    () => useUntilLogged(logged('WRONGPASS')),
    () => setRedisPassword('password of Redis'),
  ],
  [
    'Redis is at its memory limit',
    () => config('maxmemory', '1'),
    () => useUntilLogged(logged('OOM')),
    () => config('maxmemory', '0'),
  ],
  [
    'Redis has forgotten its scripts, and may not run them',
    () =>
      redis
        .script('FLUSH')
        .then(expectBack)
        .then(() => redis.acl('SETUSER', redisUser(), '-@scripting')),
    () => useUntilLogged(logged('NOPERM')),
    () => redis.acl('SETUSER', redisUser(), '+@scripting'),
  ],
  ['the connections to Redis and Postgres are reset', () => cutRedis().then(useAll), cutPostgres, useAll],
  [
    'Postgres refuses the password',
    () => setPostgresPassword('another password of Postgres').then(cutPostgres),
    () => useUntilLogged(logged('password authentication failed')),
    () => setPostgresPassword('password of Postgres'),
  ],
  [
    'a constraint refuses a row',
    () =>
      sql.unsafe(`
        alter table lot add constraint lot_fault_check check (remark <> '${canary('remark')}') not valid;
        alter table item add constraint item_fault_check check (description <> '${canary('description')}x') not valid`),
    async () => {
      expect((await untilAnswered(receive)).status).toBe(500);
      const description = `${canary('description')}x`;
      const changed = await untilAnswered(() => client.put('/Item', { shortID: itemID, description }));
      expect(changed.status).toBe(500);
      await expect.poll(() => worker.written()).toMatch(/"constraint":"lot_fault_check"/);
      await expect.poll(() => api.written()).toMatch(/"constraint":"item_fault_check"/);
    },
    () =>
      sql.unsafe(
        'alter table lot drop constraint lot_fault_check; alter table item drop constraint item_fault_check',
      ),
  ],
  [
    'a value is not of its type',
    () =>
      sql.unsafe(`
        create function fault() returns trigger language plpgsql as $$
        begin perform new.serial::integer; return new; end $$;
        create trigger fault before insert on lot for each row execute function fault()`),
    async () => {
      expect((await untilAnswered(receive)).status).toBe(500);
      await expect.poll(() => worker.written()).toMatch(logged('invalid_text_representation'));
    },
    () => sql`drop function fault() cascade`,
  ],
];

describe('no secret and no value of a body in any log', () => {
  test('when all is well', async () => {
    await useAll();
    expect(written()).toContain('is up');
  });

  test.each(faults)('when %s', async (_what, begin, show, end) => {
    await begin();
    await show().finally(end);
    await expectBack();
  });

  test('when a statement exceeds its time', async () => {
    await sql.begin(async (tx) => {
      await tx`lock table stock_transaction in access exclusive mode`;
      await useUntilLogged(/"code":"57014"/, [api]);
    });
    await expectBack();
  });

  test('when a process cannot be started', async () => {
    const broken = canary('broken password');
    const wrong = withPassword(env.DATABASE_URL!, canary('wrong password of Postgres'));
    const cannotStart: [name: string, changed: Record<string, string>][] = [
      ['api', { DATABASE_URL: wrong }],
      ['worker', { DATABASE_URL: `postgres://joe:${broken}@[/x` }],
      ['api', { REDIS_URL: `redis://:${broken}@[/x` }],
    ];
    const messages = await Promise.all(
      cannotStart.map(([name, changed]) =>
        startProcess(`apps/${name}/src/main.ts`, { ...env, ...changed }, { quiet: true, keep: true }).then(
          async (each) => {
            await each.stop();
            return each.written();
          },
          (error: Error) => error.message,
        ),
      ),
    );
    for (const message of messages) {
      expect([...canaries].filter(([, text]) => message.includes(text)).map(([what]) => what)).toEqual([]);
      expect(message).toMatch(
        /password authentication failed|is not an address|Invalid URL|ENOTFOUND|may hold values/,
      );
    }
  });

  test('when libraries print, warn, reject and throw', async () => {
    for (const each of [api, worker]) {
      each.child.kill('SIGUSR2');
      await each.exited;
      if (each.child.stdout!.readable) await once(each.child.stdout!, 'close');
      const lines = each.written().trim().split('\n');
      const said = lines.filter((line) => /console|warning of Node|unhandled rejection|uncaught/.test(line));
      const told = said.map((line) => {
        const { msg, err } = JSON.parse(line);
        // A warning that is not ours is named by its type.
        return msg === 'a warning of Node' ? `${msg}: ${err.type}` : msg;
      });
      // Sorted: the log is written beside the work, and the rest of it when the process ends.
      const printed = 'a library writes to the console';
      expect(told.sort()).toEqual([
        ...[printed, `${printed}: [ioredis] Unhandled error event`],
        ...Array(2).fill(`${printed}: the message may hold values and is not shown`),
        ...['a warning of Node: Warning', 'uncaught exception', 'unhandled rejection', 'unhandled rejection'],
      ]);
    }
  });
});

function withPassword(url: string, password: string): string {
  const changed = new URL(url);
  changed.password = password;
  return changed.href;
}
