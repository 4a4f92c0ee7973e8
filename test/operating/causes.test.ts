import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { type NetworkStretch, startProxy } from '../faults/proxy.ts';
import { asPart } from '../harness/as-part.ts';
import { expectWaiting, holdGates } from '../harness/queue/batches.ts';
import { through } from '../harness/servers/black-hole.ts';
import { type ApiClient, createApiClient } from '../harness/service/api-client.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { type LogLine, logLinesOf } from '../harness/watch/log-lines.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

// What is wrong is named within 15 s: folded-log.test.ts holds the log to that, by a clock of its own. Here
// all there is to see is that it is named; these end what hangs.
const named = { timeout: 60_000 };
const back = { timeout: 60_000 };

const service = useService({ workers: 0, env: { QUEUE_PREFIX: uniqueName('causes-other') } });
let postgres: NetworkStretch;
let redis: NetworkStretch;

function start(part: 'api' | 'worker', env: Record<string, string>): Promise<Started> {
  return startProcess(
    `apps/${part}/src/main.ts`,
    asPart(part, {
      DATABASE_URL: through(service.databaseUrl, postgres),
      REDIS_URL: through(inject('redisUrl'), redis),
      PORT: '0',
      INTERNAL_PORT: '0',
      LOG_LEVEL: 'info',
      CONNECTIONS_MAX: '10000',
      CONNECTIONS_PER_ADDRESS_MAX: '0',
      ...env,
    }),
    { imports: ['test/harness/servers/shifted-clock.ts'], keep: true },
  );
}

beforeAll(async () => {
  postgres = await startProxy(Number(new URL(service.databaseUrl).port));
  redis = await startProxy(Number(new URL(inject('redisUrl')).port));
});
afterEach(() => {
  postgres.setState('open');
  redis.setState('open');
});
afterAll(() => {
  postgres?.close();
  redis?.close();
});

const body = (itemID: string) => ({ itemID, units: 1, wid: 1, reasonCode: 0 });
const readOne = async (part: Started, name: string) => (await readMetrics(part.internalPort)).value(name);
const failedBy = async (part: Started, cause: string) =>
  (await readOne(part, `inventory_api_failures_total{cause="${cause}"}`)) ?? 0;

/** The lines of an api's log from a number of them on. */
const linesFrom = (part: Started, from: number): LogLine[] => logLinesOf(part.written()).slice(from);
const lineCount = (part: Started) => logLinesOf(part.written()).length;
const causesFrom = (part: Started, from: number) => new Set(linesFrom(part, from).map(({ cause }) => cause));
const awayFrom = (part: Started, from: number) => linesFrom(part, from).map(({ away }) => away);

/**
 * From now on the api is to say that this is the cause: the gauge by 0, the count of its failures, and the
 * log. Returns the wait for that.
 */
async function expectCause(api: Started, cause: string, gauge: string): Promise<() => Promise<void>> {
  const from = lineCount(api);
  const before = await failedBy(api, cause);
  expect(await readOne(api, gauge)).toBe(1);
  return async () => {
    await expect.poll(() => readOne(api, gauge), named).toBe(0);
    await expect.poll(() => failedBy(api, cause), named).toBeGreaterThan(before);
    await expect.poll(() => causesFrom(api, from), named).toContain(cause);
  };
}

describe('an api and a worker', () => {
  let api: Started;
  let worker: Started;
  let client: ApiClient;
  let itemID: string;

  beforeAll(async () => {
    const env = { QUEUE_PREFIX: uniqueName('causes'), CLOCK_SHIFT_ON: 'SIGUSR2', CLOCK_SHIFT_MS: '10000' };
    worker = await start('worker', env);
    api = await start('api', env);
    const known = await service.client();
    client = createApiClient(`http://127.0.0.1:${api.port}/api/v1`, known.clientId, known.token, {
      isPatient: false,
    });
    itemID = await service.item();
  });
  afterAll(async () => {
    worker?.child.kill('SIGCONT');
    for (const each of [api, worker]) await each?.stop();
  });

  const receive = async () => (await client.post('/Inventory/Receive', body(itemID))).status;
  const list = async () => (await client.get('/Inventory')).status;

  /** Asks again and again, several at once, until told to end. */
  function keepAsking(ask: () => Promise<number>) {
    let isOver = false;
    let answered = 0;
    const callers = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        await ask();
        answered += 1;
      }
    });
    const end = async () => {
      isOver = true;
      await Promise.all(callers);
      return answered;
    };
    // Whatever becomes of the test.
    onTestFinished(async () => {
      isOver = true;
      worker.child.kill('SIGCONT');
      await Promise.allSettled(callers);
    });
    for (const caller of callers) caller.catch(() => {});
    return end;
  }

  async function expectBack() {
    await expect.poll(() => readOne(api, 'inventory_api_redis_up'), back).toBe(1);
    await expect.poll(() => readOne(api, 'inventory_api_postgres_up'), back).toBe(1);
    await expect.poll(receive, back).toBe(201);
    await expect.poll(() => readOne(api, 'inventory_api_workers'), back).toBe(1);
  }

  test('noWorker is named by metrics and log when the worker is stopped', async () => {
    await expectBack();
    const from = lineCount(api);
    const isNamed = await expectCause(api, 'noWorker', 'inventory_api_workers');
    worker.child.kill('SIGSTOP');
    const end = keepAsking(receive);
    await isNamed();
    await expect.poll(() => awayFrom(api, from), named).toContain('worker');
    expect(await readOne(api, 'inventory_api_queue_backlog_envelopes')).toBeGreaterThan(0);
    // Everything else is said to be there.
    expect(await readOne(api, 'inventory_api_redis_up')).toBe(1);
    expect(await readOne(api, 'inventory_api_postgres_up')).toBe(1);
    await end();
    worker.child.kill('SIGCONT');
    await expectBack();
    await expect.poll(() => linesFrom(api, from).some((line) => line.back === 'worker'), named).toBe(true);
  });

  test('redis is named for an atomic batch, as for a single call, when Redis is away', async () => {
    await expectBack();
    const from = lineCount(api);
    const operations = [{ op: 'receive', ...body(itemID) }];
    redis.setState('cut');
    const answer = await client.post('/Inventory/Batch', { mode: 'atomic', operations });
    expect(answer.status).toBe(503);
    const ofBatches = () => linesFrom(api, from).filter(({ route }) => route === '/Inventory/Batch');
    await expect.poll(() => ofBatches().map(({ cause }) => cause), named).toEqual(['redis']);
    redis.setState('open');
    await expectBack();
  });

  test('redis is named by metrics and log of api and worker when Redis is away', async () => {
    await expectBack();
    const from = lineCount(worker);
    const isNamed = await expectCause(api, 'redis', 'inventory_api_redis_up');
    redis.setState('cut');
    const end = keepAsking(receive);
    await isNamed();
    await expect.poll(() => readOne(worker, 'inventory_worker_redis_up'), named).toBe(0);
    await expect.poll(() => awayFrom(worker, from), named).toContain('redis');
    expect(await readOne(api, 'inventory_api_postgres_up')).toBe(1);
    await end();
    redis.setState('open');
    await expectBack();
  });

  test('redis is named when it hangs', async () => {
    await expectBack();
    const isNamed = await expectCause(api, 'redis', 'inventory_api_redis_up');
    redis.setState('stalled');
    const end = keepAsking(receive);
    await isNamed();
    await end();
    redis.setState('open');
    await expectBack();
  });

  test('postgres is named by metrics and log of api and worker when Postgres is away', async () => {
    await expectBack();
    const from = lineCount(worker);
    const isNamed = await expectCause(api, 'postgres', 'inventory_api_postgres_up');
    postgres.setState('cut');
    const end = keepAsking(list);
    await isNamed();
    await expect.poll(() => readOne(worker, 'inventory_worker_postgres_up'), named).toBe(0);
    await expect.poll(() => awayFrom(worker, from), named).toContain('postgres');
    expect(await readOne(api, 'inventory_api_redis_up')).toBe(1);
    await end();
    postgres.setState('open');
    await expectBack();
  });

  test.each(['redis', 'postgres'] as const)(
    'one line a second at most is written while %s is away, and a failure says of which request it is',
    async (what) => {
      await expectBack();
      const from = lineCount(api);
      const stretch = what === 'redis' ? redis : postgres;
      const before = await failedBy(api, what);
      stretch.setState('cut');
      const end = keepAsking(what === 'redis' ? receive : list);
      const ofCause = () => linesFrom(api, from).filter(({ cause }) => cause === what);
      // What came just before may still be folded with what comes now.
      await expect.poll(() => ofCause().some(({ count }) => Number(count) > 1), named).toBe(true);
      await end();
      const failed = (await failedBy(api, what)) - before;
      const lines = linesFrom(api, from);
      stretch.setState('open');
      await expectBack();
      expect(failed).toBeGreaterThan(2 * lines.length);
      // By the log's own times, a tenth of a second being the timers'.
      const times = lines.map(({ time }) => Date.parse(time));
      const gaps = times.slice(1).map((time, index) => time - times[index]!);
      expect(Math.min(...gaps), lines.map((line) => JSON.stringify(line)).join('\n')).toBeGreaterThan(900);
      const [told] = ofCause();
      expect(told).toEqual({
        ...{ level: 50, name: 'api', pid: api.child.pid, msg: expect.stringMatching(/^request failed/) },
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        requestId: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/),
        method: what === 'redis' ? 'POST' : 'GET',
        route: what === 'redis' ? '/Inventory/Receive' : '/Inventory',
        // Without Postgres nobody is known any more after half a second.
        client: what === 'redis' ? client.clientId : expect.toBeOneOf([client.clientId, null]),
        status: 503,
        waitedMs: expect.any(Number),
        cause: what,
        ...(told?.count !== undefined && { count: expect.any(Number), seconds: expect.any(Number) }),
        // What was folded before may be told as late as this.
        ...(told?.secondsAgo !== undefined && { secondsAgo: expect.any(Number) }),
      });
      const folded = ofCause().find(({ count }) => Number(count) > 1);
      expect(folded?.msg).toBe(`request failed: ${folded?.count} in ${folded?.seconds} s`);
    },
  );

  // The last one: it leaves the clocks wrong.
  test('a clock that is ten seconds off is named by metrics and log of the process whose it is', async () => {
    await expectBack();
    for (const part of [api, worker]) {
      const name = `inventory_${part === api ? 'api' : 'worker'}_clock_difference_seconds`;
      const from = lineCount(part);
      expect(Math.abs((await readOne(part, name)) ?? 99)).toBeLessThan(5);
      part.child.kill('SIGUSR2');
      await expect.poll(async () => (await readOne(part, name)) ?? 0, named).toBeLessThan(-5);
      await expect
        .poll(() => linesFrom(part, from).map(({ msg }) => msg), named)
        .toContainEqual(expect.stringContaining('the clock of Postgres and that of this process differ'));
    }
    expect(await receive()).toBe(201);
  });
});

describe('an api whose queue takes no more', () => {
  let api: Started;
  let worker: Started;

  beforeAll(async () => {
    // Few requests fill it.
    const env = {
      QUEUE_PREFIX: uniqueName('full-queue'),
      ENVELOPE_MAX: '1',
      ENVELOPES_IN_FLIGHT: '2',
      BATCH_MAX: '1',
    };
    worker = await start('worker', env);
    api = await start('api', env);
  });
  afterAll(async () => {
    for (const each of [api, worker]) await each?.stop();
  });

  // Tried again: a worker or a Redis that stood still for a second is rightly named, too.
  test('busy is named by metrics and log, with how many wait and for how long', { retry: 3 }, async () => {
    await expect.poll(() => readOne(api, 'inventory_api_workers'), back).toBe(1);
    const known = await service.client();
    const client = createApiClient(`http://127.0.0.1:${api.port}/api/v1`, known.clientId, known.token, {
      isPatient: false,
    });
    const itemID = await service.item();
    const send = () => client.post('/Inventory/Receive', body(itemID));
    expect((await send()).status).toBe(201);
    const from = lineCount(api);
    const release = await holdGates(service.sql, itemID);
    const slow = [send(), send()];
    await expectWaiting(service.sql, 1);
    const waiting = async () => [
      await readOne(api, 'inventory_api_waiting_requests'),
      await readOne(api, 'inventory_api_waiting_oldest_seconds'),
    ];
    const [count, oldestSeconds] = await waiting();
    expect(count).toBeGreaterThan(0);
    expect(oldestSeconds).toBeGreaterThan(0);
    const sent = Array.from({ length: 200 }, send);
    await expect.poll(() => failedBy(api, 'busy'), named).toBeGreaterThan(0);
    await expect.poll(() => causesFrom(api, from), named).toContain('busy');
    await release();
    await Promise.all([...slow, ...sent]);
    await expect.poll(waiting, back).toEqual([0, 0]);
    await expect.poll(() => readOne(api, 'inventory_api_redis_up'), back).toBe(1);
    await expect.poll(() => readOne(api, 'inventory_api_workers'), back).toBe(1);
    expect(causesFrom(api, from)).not.toContain('noWorker');
  });
});
