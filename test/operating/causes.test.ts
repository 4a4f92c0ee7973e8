import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { type NetworkStretch, startProxy } from '../faults/proxy.ts';
import { asPart } from '../harness/as-part.ts';
import { through } from '../harness/network/through.ts';
import { type WatchedStatusPage, watchStatusPage } from '../harness/pages/status-page-stream.ts';
import { expectWaiting, holdGates } from '../harness/queue/batches.ts';
import { type ApiClient, createApiClient } from '../harness/service/api-client.ts';
import { runHere } from '../harness/service/command-line.ts';
import { type Examined, examine } from '../harness/service/doctor.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { logLinesOf } from '../harness/watch/log-lines.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

// Each cause is made once, and named by all that an operator may look at: log, metrics, page and doctor.
// folded-log.test.ts holds the log to its 15 s, by a clock of its own. Here these only end what hangs.
const named = { timeout: 60_000 };
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

const start = (part: 'api' | 'worker') =>
  startProcess(`apps/${part}/src/main.ts`, asPart(part, env), {
    imports: ['test/harness/servers/shifted-clock.ts'],
    keep: true,
  });

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
  worker = await start('worker');
  api = await start('api');
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

/** Returns what a process logs from now on. */
function listen(part: Started) {
  const { length } = logLinesOf(part.written());
  return () => logLinesOf(part.written()).slice(length);
}

/** Begins when all is well, and restores it at the end in any case. */
async function mendAtEnd(mend: () => unknown) {
  const expectWell = async () => {
    await expect.poll(receive, back).toBe(201);
    await expect.poll(sentence, back).toBe('All is well.');
  };
  await expectWell();
  onTestFinished(async () => {
    await mend();
    await expectWell();
    expect(page.now()?.past.length).toBeGreaterThan(0);
  });
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
  cause: 'noWorker' | 'redis' | 'postgres';
  how: string;
  make(): void;
  mend(): void;
  ask: () => Promise<number>;
  /** By 0. */
  gauge: string;
  away: string;
  sentence: RegExp;
  there: { redis: boolean; postgres: boolean };
  /** What doctor says of a check. */
  doctor: { id: string; found: RegExp };
};

const awayCase = (cause: 'redis' | 'postgres', how: 'cut' | 'stalled', why: string): Case => ({
  ...{ cause, how, ask: cause === 'redis' ? receive : list, away: cause },
  make: () => (cause === 'redis' ? redis : postgres).setState(how),
  mend: () => (cause === 'redis' ? redis : postgres).setState('open'),
  gauge: `inventory_api_${cause}_up`,
  sentence: cause === 'redis' ? /^Redis is away or takes no work:/ : /^Postgres is away or does not answer:/,
  there: { redis: cause !== 'redis', postgres: cause !== 'postgres' },
  doctor: {
    id: cause,
    found: new RegExp(`^(Redis|Postgres) at 127\\.0\\.0\\.1:\\d+ cannot be used \\(${why}`),
  },
});
const cases: Case[] = [
  {
    ...{ cause: 'noWorker', how: 'stopped', ask: receive, away: 'worker' },
    make: () => void worker.child.kill('SIGSTOP'),
    mend: () => void worker.child.kill('SIGCONT'),
    gauge: 'inventory_api_workers',
    sentence: /^No worker takes work:/,
    there: { redis: true, postgres: true },
    doctor: {
      id: 'workers',
      found: /^no worker takes work: the worker at 127\.0\.0\.1:\d+ has asked for nothing for \d+ s$/,
    },
  },
  awayCase('redis', 'cut', ''),
  awayCase('redis', 'stalled', ''),
  awayCase('postgres', 'cut', ''),
  awayCase('postgres', 'stalled', 'no answer within 3000 ms\\)$'),
];

test.each(cases)(
  '$cause ($how) is named by log, metrics, page and doctor, and nothing else is',
  async (row) => {
    const { cause, gauge, doctor, there } = row;
    await mendAtEnd(row.mend);
    expect(await read(api, gauge)).toBe(1);
    const [byApi, byWorker, before] = [listen(api), listen(worker), await failures(cause)];
    row.make();
    const end = keepAsking(row.ask);
    const examined = examine(operator());
    await expect.poll(() => read(api, gauge), named).toBe(0);
    await expect.poll(sentence, named).toMatch(row.sentence);
    expect(page.now()).toMatchObject({ state: 'bad', ...there });
    expect(page.now()?.causes.map(({ code }) => code)).toEqual([cause]);
    await expect.poll(() => failures(cause), named).toBeGreaterThan(before);
    await expect.poll(() => byApi().map((line) => line.cause), named).toContain(cause);
    for (const name of ['redis', 'postgres'] as const)
      expect(await read(api, `inventory_api_${name}_up`)).toBe(Number(there[name]));
    if (cause === 'noWorker') {
      await expect.poll(() => byApi().map(({ away }) => away), named).toContain('worker');
      expect(await read(api, 'inventory_api_queue_backlog_envelopes')).toBeGreaterThan(0);
    } else if (row.how === 'cut') {
      await expect.poll(() => read(worker, `inventory_worker_${cause}_up`), named).toBe(0);
      await expect.poll(() => byWorker().map(({ away }) => away), named).toContain(cause);
    }
    if (row.how === 'cut') {
      // The counts are of lines that were folded before.
      const { count, seconds, secondsAgo, ...told } = byApi().find((line) => line.cause === cause)!;
      expect(told).toEqual({
        ...{ level: 50, name: 'api', pid: api.child.pid, msg: expect.stringMatching(/^request failed/) },
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        requestId: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/),
        method: cause === 'redis' ? 'POST' : 'GET',
        route: cause === 'redis' ? '/Inventory/Receive' : '/Inventory',
        // Without Postgres nobody is known any more after half a second.
        client: cause === 'redis' ? client.clientId : expect.toBeOneOf([client.clientId, null]),
        ...{ cause, status: 503, waitedMs: expect.any(Number) },
      });
    }
    await end();
    if (cause === 'redis' && row.how === 'cut') {
      // Many alike are one line.
      const lines = byApi().filter((line) => line.cause === cause);
      expect((await failures(cause)) - before).toBeGreaterThan(2 * lines.length);
    }
    const { code, checks, failed } = await examined;
    // Envelopes may wait, too.
    expect({ code, failed: failed.filter((id) => id !== 'queue') }).toEqual({ code: 1, failed: [doctor.id] });
    expect(checks[doctor.id]!.found).toMatch(doctor.found);
    expect(checks.schema!.state).toBe(there.postgres ? 'ok' : 'unknown');
    expect(checks['eviction-policy']!.state === 'unknown').toBe(!there.redis);
    if (cause === 'noWorker') {
      const status = await runHere(['status'], operator());
      expect(status).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/\nworkers +1, 0 ask for work\n/),
      });
    }
    if (cause === 'redis' && row.how === 'cut') {
      // As for a single call.
      const operations = [{ op: 'receive', ...receipt() }];
      const answer = await client.post('/Inventory/Batch', { mode: 'atomic', operations });
      expect(answer.status).toBe(503);
      const ofBatches = () => byApi().filter(({ route }) => route === '/Inventory/Batch');
      await expect.poll(() => ofBatches().map((line) => line.cause), named).toEqual(['redis']);
    }
    row.mend();
    const part = cause === 'noWorker' ? 'worker' : cause;
    await expect.poll(() => byApi().some((line) => line.back === part), named).toBe(true);
  },
);

// Tried again: a worker or a Redis that stood still for a second is rightly named, too.
test('busy is named by log, metrics and page, with how many wait and for how long', {
  retry: 3,
}, async () => {
  await mendAtEnd(() => {});
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
  const sent = Array.from({ length: 200 }, receive);
  await expect.poll(() => failures('busy'), named).toBeGreaterThan(before);
  await expect.poll(() => byApi().map(({ cause }) => cause), named).toContain('busy');
  await expect
    .poll(sentence, named)
    .toMatch(/\(the queue is full, \d+ requests? refused in the last 10 s, \d+ waiting now\): /);
  expect(page.now()).toMatchObject({ state: 'bad', redis: true, postgres: true });
  expect(page.now()?.failures).toContainEqual({ what: 'busy', count: expect.any(Number) });
  await release();
  await Promise.all([...slow, ...sent]);
  await expect.poll(waiting, back).toEqual([0, 0]);
  expect(byApi().map(({ cause }) => cause)).not.toContain('noWorker');
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
  const gauge = `inventory_${kind}_clock_difference_seconds`;
  expect(Math.abs((await read(part, gauge)) ?? 99)).toBeLessThan(5);
  const lines = listen(part);
  part.child.kill('SIGUSR2');
  await expect.poll(async () => (await read(part, gauge)) ?? 0, named).toBeLessThan(-5);
  await expect
    .poll(() => lines().map(({ msg }) => msg), named)
    .toContainEqual(expect.stringContaining('the clock of Postgres and that of this process differ'));
  const off = `^The clocks of a process and of Postgres differ \\(${who} is \\d+\\.\\d s ahead\\): `;
  await expect.poll(sentence, named).toMatch(new RegExp(off));
  expect(page.now()).toMatchObject({ state: 'warn', redis: true, postgres: true });
}

test('a second worker is named when it is stopped while the first goes on, and when its clock is off', async () => {
  const other = await start('worker');
  await mendAtEnd(() => other.stop());
  await expect.poll(() => page.now()?.workers.length, back).toBe(2);
  const who = `the worker \\S+:${other.child.pid}`;
  other.child.kill('SIGSTOP');
  const examined: Promise<Examined> = examine(operator()).finally(() => other.child.kill('SIGCONT'));
  const lost = `^A process says nothing \\(${who} for \\d+ s; 1 other takes work\\): `;
  await expect.poll(sentence, named).toMatch(new RegExp(lost));
  expect(page.now()?.state).toBe('warn');
  const { code, checks } = await examined;
  expect({ code, ...checks.workers }).toMatchObject({
    ...{ code: 0, state: 'warn' },
    found: expect.stringMatching(/^the worker at \S+ has asked for nothing for/),
  });
  await expect.poll(sentence, back).toBe('All is well.');
  await expectClockNamed(other, 'worker', who);
});

// The last one: it leaves the clock wrong.
test('the clock of an api is named when it is ten seconds off', async () => {
  await expect.poll(sentence, back).toBe('All is well.');
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
