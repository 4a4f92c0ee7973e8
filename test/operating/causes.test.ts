import { whyUnwritable } from '@inventory/postgres/pool';
import { unwritableReasons } from '@inventory/process/unwritable';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { type NetworkStretch, startProxy } from '../faults/proxy.ts';
import { asPart } from '../harness/as-part.ts';
import { through } from '../harness/network/through.ts';
import { type WatchedStatusPage, watchStatusPage } from '../harness/pages/status-page-stream.ts';
import { expectWaiting, holdGates } from '../harness/queue/batches.ts';
import { type ApiClient, createApiClient } from '../harness/service/api-client.ts';
import { runHere } from '../harness/service/command-line.ts';
import { examine, examineQueues } from '../harness/service/doctor.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { logLinesOf } from '../harness/watch/log-lines.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

// Each cause is made once, and named by all that an operator may look at: log, metrics, page and doctor.
// folded-log.test.ts holds the log to its 15 s, by a clock of its own. Here these only end what hangs.
// A worker that ends silently is shown for a minute.
const back = { timeout: 180_000 };

const service = useService({ workers: 0, env: { QUEUE_PREFIX: uniqueName('causes-other') } });
let postgres: NetworkStretch;
let redis: NetworkStretch;
let env: Record<string, string>;
let api: Started;
let worker: Started;
let page: WatchedStatusPage;
let client: ApiClient;
let itemID: string;

const start = (part: 'api' | 'worker', more: Record<string, string> = {}) =>
  startProcess(
    `apps/${part}/src/main.ts`,
    { ...asPart(part, env), ...more },
    { imports: ['test/harness/servers/shifted-clock.ts'], keep: true },
  );

beforeAll(async () => {
  postgres = await startProxy(Number(new URL(service.databaseUrl).port));
  redis = await startProxy(Number(new URL(inject('redisUrl')).port));
  env = {
    DATABASE_URL: through(service.databaseUrl, postgres),
    REDIS_URL: through(inject('redisUrl'), redis),
    QUEUE_PREFIX: uniqueName('causes'),
    PORT: '0',
    INTERNAL_PORT: '0',
    LOG_LEVEL: 'info',
    CONNECTIONS_MAX: '10000',
    CONNECTIONS_PER_ADDRESS_MAX: '0',
    CLOCK_SHIFT_ON: 'SIGUSR2',
    CLOCK_SHIFT_MS: '10000',
    // A few requests fill the queue.
    ENVELOPE_MAX: '1',
    ENVELOPES_IN_FLIGHT: '2',
    BATCH_MAX: '1',
  };
  [worker, api] = await Promise.all([start('worker'), start('api')]);
  page = await watchStatusPage(api.internalPort);
  const known = await service.client();
  client = createApiClient(`http://127.0.0.1:${api.port}/api/v1`, known.clientId, known.token, {
    isPatient: false,
  });
  itemID = await service.item();
});
afterAll(async () => {
  page?.close();
  for (const each of [api, worker]) await each?.stop();
  postgres?.close();
  redis?.close();
});

const receipt = () => ({ itemID, units: 1, wid: 1, reasonCode: 0 });
const receive = async () => (await client.post('/Inventory/Receive', receipt())).status;
const list = async () => (await client.get('/Inventory')).status;
const read = async (part: Started, name: string) => (await readMetrics(part.internalPort)).value(name);
const failures = async (cause: string) =>
  (await read(api, `inventory_api_failures_total{cause="${cause}"}`)) ?? 0;
const sentence = () => page.now()?.sentence;
const operator = () => ({ ...asPart('operator', env), LOG_LEVEL: 'fatal' });

/** doctor's findings about the queues, after a shorter look than its own. */
function examineWorkers() {
  const connection = new Redis(asPart('operator', env).REDIS_URL!);
  onTestFinished(() => connection.disconnect());
  return examineQueues(connection, env.QUEUE_PREFIX!, 4000);
}

/** Returns what a process logs from now on. */
function listen(part: Started) {
  const { length } = logLinesOf(part.written());
  return () => logLinesOf(part.written()).slice(length);
}

/** Begins when all is well, unless told otherwise, and restores it at the end in any case. */
async function mendAtEnd(mend: () => unknown, isWell = true) {
  const expectWell = async () => {
    await expect.poll(receive, back).toBe(201);
    await expect.poll(sentence, back).toBe('All is well.');
  };
  if (isWell) await expectWell();
  onTestFinished(async () => {
    await mend();
    await expectWell();
    expect(page.now()?.past.length).toBeGreaterThan(0);
  });
}

/** Waits until the page names this cause, and no other: what a slow machine makes doubtful goes by. */
async function expectNamed(code: string, words: RegExp) {
  await expect.poll(sentence).toMatch(words);
  await expect.poll(() => page.now()?.causes.map((each) => each.code)).toEqual([code]);
}

/**
 * Asks again and again, as many at once as do not fill the queue, until the test ends or the returned
 * function is called.
 */
function keepAsking(ask: () => Promise<number>) {
  let isOver = false;
  const callers = Array.from({ length: 2 }, async () => {
    while (!isOver) await ask();
  });
  for (const caller of callers) caller.catch(() => {});
  const end = async () => {
    isOver = true;
    await Promise.all(callers);
  };
  onTestFinished(end);
  return end;
}

type Case = {
  cause: 'redis' | 'postgres';
  how: 'cut' | 'stalled';
  /** The words that doctor adds to the place. */
  why: string;
};
// In turns, because the log names a cause only every ten seconds.
const cases: Case[] = [
  { cause: 'redis', how: 'cut', why: '' },
  { cause: 'postgres', how: 'cut', why: '' },
  { cause: 'redis', how: 'stalled', why: '' },
  { cause: 'postgres', how: 'stalled', why: '(?:no answer within 3000 ms|.*CONNECT_TIMEOUT.*)\\)$' },
];

test.each(cases)(
  '$cause ($how) is named by log, metrics, page and doctor, and nothing else is',
  async ({ cause, how, why }) => {
    const isRedis = cause === 'redis';
    const network = isRedis ? redis : postgres;
    const there = { redis: !isRedis, postgres: isRedis };
    const mend = () => network.setState('open');
    await mendAtEnd(mend);
    expect(await read(api, `inventory_api_${cause}_up`)).toBe(1);
    const [byApi, byWorker, before] = [listen(api), listen(worker), await failures(cause)];
    network.setState(how);
    const end = keepAsking(isRedis ? receive : list);
    const examined = examine(operator());
    await expectNamed(
      cause,
      isRedis ? /^Redis is away or takes no work:/ : /^Postgres is away or does not answer:/,
    );
    expect(page.now()).toMatchObject({ state: 'bad', ...there });
    await expect.poll(() => failures(cause)).toBeGreaterThan(before);
    await expect.poll(() => byApi().map((line) => line.cause)).toContain(cause);
    for (const name of ['redis', 'postgres'] as const)
      expect(await read(api, `inventory_api_${name}_up`)).toBe(Number(there[name]));
    if (how === 'cut') {
      await expect.poll(() => read(worker, `inventory_worker_${cause}_up`)).toBe(0);
      await expect.poll(() => byWorker().map(({ away }) => away)).toContain(cause);
      // The counts are of lines that were folded before.
      const { count, seconds, secondsAgo, ...told } = byApi().find((line) => line.cause === cause)!;
      expect(told).toEqual({
        ...{ level: 50, name: 'api', pid: api.child.pid, msg: expect.stringMatching(/^request failed/) },
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        requestId: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/),
        method: isRedis ? 'POST' : 'GET',
        route: isRedis ? '/Inventory/Receive' : '/Inventory',
        // Without Postgres nobody is known any more after half a second.
        client: isRedis ? client.clientId : expect.toBeOneOf([client.clientId, null]),
        ...{ cause, status: 503, waitedMs: expect.any(Number) },
      });
    }
    await end();
    if (isRedis && how === 'cut') {
      // Many alike are one line.
      const lines = byApi().filter((line) => line.cause === cause);
      expect((await failures(cause)) - before).toBeGreaterThan(2 * lines.length);
      // An atomic batch counts as a single call does.
      const single = await failures(cause);
      const operations = [{ op: 'receive', ...receipt() }];
      const answer = await client.post('/Inventory/Batch', { mode: 'atomic', operations });
      expect(answer.status).toBe(503);
      await expect.poll(() => failures(cause)).toBe(single + 1);
    }
    const { code, checks, failed } = await examined;
    // Envelopes may wait, too.
    expect({ code, failed: failed.filter((id) => id !== 'queue') }).toEqual({ code: 1, failed: [cause] });
    expect(checks[cause]!.found).toMatch(
      new RegExp(`^(Redis|Postgres) at 127\\.0\\.0\\.1:\\d+ cannot be used \\(${why}`),
    );
    expect(checks.schema!.state).toBe(there.postgres ? 'ok' : 'unknown');
    expect(checks['eviction-policy']!.state === 'unknown').toBe(isRedis);
  },
);

// A trigger refuses as a full disk does. The other reasons differ only in their code.
test('unwritable (disk full) is named by log, metrics, page and doctor, and nothing else is', async () => {
  const { sql } = service;
  await mendAtEnd(() => sql`drop function if exists refuse_to_write cascade`);
  const [byApi, byWorker, before] = [listen(api), listen(worker), await failures('unwritable')];
  await sql.unsafe(`
    create function refuse_to_write() returns trigger language plpgsql as
      $$ begin raise exception 'refused' using errcode = 'disk_full'; end $$;
    create trigger refuse_to_write before insert on stock_transaction execute function refuse_to_write()`);
  const end = keepAsking(receive);
  const words = 'no space is left on its disk';
  await expectNamed('unwritable', new RegExp(`^Postgres answers but refuses to write \\(${words}\\): `));
  expect(page.now()).toMatchObject({ state: 'bad', redis: true, postgres: true });
  const metric = (name: string) => `inventory_${name}_postgres_unwritable{reason="disk"}`;
  await expect.poll(() => read(api, metric('api'))).toBe(1);
  await expect.poll(() => read(worker, metric('worker'))).toBe(1);
  await expect.poll(() => failures('unwritable')).toBeGreaterThan(before);
  await expect.poll(() => byApi().map((line) => line.cause)).toContain('unwritable');
  for (const lines of [byApi, byWorker]) {
    const told = () => lines().map(({ msg }) => msg);
    await expect.poll(told).toContainEqual(`Postgres refuses to write: ${words}`);
  }
  const { checks } = await examine(operator());
  expect(checks.writes).toMatchObject({ state: 'fail', found: `Postgres refuses to write: ${words}` });
  await end();
});

test('each reason has an error of Postgres that leads to it, and each error for lack of something has a reason', async () => {
  const reasonOf = async (code: string) => {
    const raise = `do $$ begin raise exception 'refused' using errcode = '${code}'; end $$`;
    return whyUnwritable(await service.sql.unsafe(raise).catch((error: unknown) => error));
  };
  const codes = ['25006', '53000', '53100', '53200', '53300', '53400'];
  const found = await Promise.all(codes.map(reasonOf));
  expect(found).not.toContain(null);
  expect(new Set(found)).toEqual(new Set(unwritableReasons));
  expect(await Promise.all(['23505', '57P01', '08006', '40P01', 'P0001'].map(reasonOf))).toEqual(
    Array.from({ length: 5 }, () => null),
  );
});

test('noWorker (stopped) is named by log, metrics, page, doctor and status, and nothing else is', async () => {
  await mendAtEnd(() => worker.child.kill('SIGCONT'));
  expect(await read(api, 'inventory_api_workers')).toBe(1);
  const [byApi, before] = [listen(api), await failures('noWorker')];
  worker.child.kill('SIGSTOP');
  const end = keepAsking(receive);
  const examined = examineWorkers();
  await expect.poll(() => read(api, 'inventory_api_workers')).toBe(0);
  await expectNamed('noWorker', /^No worker takes work:/);
  expect(page.now()).toMatchObject({ state: 'bad', redis: true, postgres: true });
  await expect.poll(() => failures('noWorker')).toBeGreaterThan(before);
  await expect.poll(() => byApi().map((line) => line.cause)).toContain('noWorker');
  await expect.poll(() => byApi().map(({ away }) => away)).toContain('worker');
  for (const name of ['redis', 'postgres']) expect(await read(api, `inventory_api_${name}_up`)).toBe(1);
  expect(await read(api, 'inventory_api_queue_backlog_envelopes')).toBeGreaterThan(0);
  await end();
  const { checks, failed } = await examined;
  // Envelopes wait, too.
  expect(failed.filter((id) => id !== 'queue')).toEqual(['workers']);
  expect(checks.workers!.found).toMatch(
    /^no worker takes work: the worker at 127\.0\.0\.1:\d+ has asked for nothing for \d+ s$/,
  );
  expect(await runHere(['status'], operator())).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/\nworkers +1, 0 ask for work\n/),
  });
});

test('the log says when Redis, Postgres, the worker and writes are back', async () => {
  const told = () => new Set(logLinesOf(api.written()).flatMap((line) => line.back ?? []));
  await expect.poll(told).toEqual(new Set(['redis', 'postgres', 'worker', 'writes']));
});

test('the page shows how busy each worker is, by name', async () => {
  await mendAtEnd(() => {});
  const note = {
    busyRatio: expect.any(Number),
    clockDifferenceSeconds: expect.any(Number),
    isPostgresUp: true,
  };
  const name = expect.stringMatching(new RegExp(`:${worker.child.pid}$`));
  expect(page.now()?.workers).toEqual([{ name, unseenMs: expect.any(Number), note }]);
});

/** Waits until the log, metrics and page name the clock of a process that is ten seconds off. */
async function expectClockNamed(part: Started, kind: 'api' | 'worker', who: string) {
  const difference = async () => (await read(part, `inventory_${kind}_clock_difference_seconds`)) ?? 0;
  await expect.poll(difference).toBeLessThan(-5);
  await expect
    .poll(() => logLinesOf(part.written()).map(({ msg }) => msg))
    .toContainEqual(expect.stringContaining('the clock of Postgres and that of this process differ'));
  const off = `^The clocks of a process and of Postgres differ \\(${who} is \\d+\\.\\d s ahead\\): `;
  await expect.poll(sentence).toMatch(new RegExp(off));
  expect(page.now()).toMatchObject({ state: 'warn', redis: true, postgres: true });
}

test('a second worker is named when its clock is off, and when it is stopped while the first goes on', async () => {
  const other = await start('worker', { CLOCK_SHIFT_ON: '' });
  await mendAtEnd(() => other.stop(), false);
  const who = `the worker \\S+:${other.child.pid}`;
  await expectClockNamed(other, 'worker', who);
  other.child.kill('SIGSTOP');
  const examined = examineWorkers().finally(() => other.child.kill('SIGCONT'));
  const lost = `^A process says nothing \\(${who} for \\d+ s; 1 other takes work\\): `;
  await expect.poll(sentence).toMatch(new RegExp(lost));
  expect(page.now()?.state).toBe('warn');
  const { checks, failed } = await examined;
  expect({ failed, ...checks.workers }).toMatchObject({
    ...{ failed: [], state: 'warn' },
    found: expect.stringMatching(/^the worker at \S+ has asked for nothing for/),
  });
});

test('the clock of an api is named when it comes to be ten seconds off', async () => {
  await expect.poll(sentence, back).toBe('All is well.');
  expect(Math.abs((await read(api, 'inventory_api_clock_difference_seconds')) ?? 99)).toBeLessThan(5);
  api.child.kill('SIGUSR2');
  await expectClockNamed(api, 'api', 'this api');
  expect(page.now()?.clockDifferenceSeconds).toBeLessThan(-5);
  expect(await receive()).toBe(201);
  const { code, checks, failed } = await examine(operator(), [
    '--api',
    `http://127.0.0.1:${api.internalPort}`,
  ]);
  expect({ code, failed }).toEqual({ code: 1, failed: ['clocks'] });
  expect(checks.clocks!.found).toMatch(/the api at 127\.0\.0\.1:\d+ (9\.\d|10\.\d) s ahead of this machine$/);
});

// The last one: the page shows it for ten seconds more. Tried again: a worker or a Redis that stood still for
// a second is rightly named, too.
test('busy is named by log, metrics and page, with how many wait and for how long', {
  retry: 3,
}, async () => {
  const byApi = listen(api);
  const before = await failures('busy');
  const release = await holdGates(service.sql, itemID);
  const slow = [receive(), receive()];
  await expectWaiting(service.sql, 1);
  const waiting = async () => [
    await read(api, 'inventory_api_waiting_requests'),
    await read(api, 'inventory_api_waiting_oldest_seconds'),
  ];
  const [count, oldestSeconds] = await waiting();
  expect(count).toBeGreaterThan(0);
  expect(oldestSeconds).toBeGreaterThan(0);
  const busyAfterMany = async () => {
    await Promise.all(Array.from({ length: 200 }, receive));
    return failures('busy');
  };
  await expect.poll(busyAfterMany).toBeGreaterThan(before);
  await expect.poll(() => byApi().map(({ cause }) => cause)).toContain('busy');
  await expect
    .poll(sentence)
    .toMatch(/\(the queue is full, \d+ requests? refused in the last 10 s, \d+ waiting now\): /);
  expect(page.now()).toMatchObject({ state: 'bad', redis: true, postgres: true });
  expect(page.now()?.failures).toContainEqual({ what: 'busy', count: expect.any(Number) });
  await release();
  await Promise.all(slow);
  await expect.poll(waiting, back).toEqual([0, 0]);
  expect(byApi().map(({ cause }) => cause)).not.toContain('noWorker');
});
