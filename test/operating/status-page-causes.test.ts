import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { type NetworkStretch, startProxy } from '../faults/proxy.ts';
import { asPart } from '../harness/as-part.ts';
import { type WatchedStatusPage, watchStatusPage } from '../harness/pages/status-page-stream.ts';
import { expectWaiting, holdGates } from '../harness/queue/batches.ts';
import { through } from '../harness/servers/black-hole.ts';
import { type ApiClient, createApiClient } from '../harness/service/api-client.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

// Ends a test that hangs.
const named = { timeout: 60_000 };
// A worker that ends silently is shown for a minute.
const back = { timeout: 180_000 };

const service = useService({ workers: 0, env: { QUEUE_PREFIX: uniqueName('page-causes-other') } });
let postgres: NetworkStretch;
let redis: NetworkStretch;

beforeAll(async () => {
  postgres = await startProxy(Number(new URL(service.databaseUrl).port));
  redis = await startProxy(Number(new URL(inject('redisUrl')).port));
});
afterAll(() => {
  postgres?.close();
  redis?.close();
});

type Parts = {
  api: Started;
  worker: Started;
  client: ApiClient;
  itemID: string;
  page: WatchedStatusPage;
  startWorker(): Promise<Started>;
};

/** Its own api and worker, a viewer of the page, and a client. */
async function startParts(more: Record<string, string>): Promise<Parts> {
  const env = {
    DATABASE_URL: through(service.databaseUrl, postgres),
    REDIS_URL: through(inject('redisUrl'), redis),
    QUEUE_PREFIX: uniqueName('page-causes'),
    PORT: '0',
    INTERNAL_PORT: '0',
    CONNECTIONS_MAX: '10000',
    CONNECTIONS_PER_ADDRESS_MAX: '0',
    LOG_LEVEL: 'info',
    CLOCK_SHIFT_ON: 'SIGUSR2',
    CLOCK_SHIFT_MS: '10000',
    ...more,
  };
  const start = (part: 'api' | 'worker') =>
    startProcess(`apps/${part}/src/main.ts`, asPart(part, env), {
      imports: ['test/harness/servers/shifted-clock.ts'],
    });
  const worker = await start('worker');
  const api = await start('api');
  const known = await service.client();
  const client = createApiClient(`http://127.0.0.1:${api.port}/api/v1`, known.clientId, known.token, {
    isPatient: false,
  });
  const page = await watchStatusPage(api.internalPort);
  return { startWorker: () => start('worker'), api, worker, client, itemID: await service.item(), page };
}

async function stopParts(parts: Parts | undefined) {
  parts?.page.close();
  parts?.worker.child.kill('SIGCONT');
  for (const each of [parts?.api, parts?.worker]) await each?.stop();
}

const bodyOf = ({ itemID }: Parts) => ({ itemID, units: 1, wid: 1, reasonCode: 0 });

describe('the first sentence of the page', () => {
  let parts: Parts;

  beforeAll(async () => {
    parts = await startParts({});
  });
  afterAll(() => stopParts(parts));

  const sentence = () => parts.page.now()?.sentence;
  const expectWell = () => expect.poll(sentence, back).toBe('All is well.');
  /** Each test begins with everything in place, and restores it in any case. */
  async function mendAtEnd(mend: () => unknown) {
    await expectWell();
    onTestFinished(async () => {
      await mend();
      await expectWell();
      expect(parts.page.now()?.past.length).toBeGreaterThan(0);
    });
  }

  test('names the worker when it is stopped, and nothing else', async () => {
    await mendAtEnd(() => parts.worker.child.kill('SIGCONT'));
    parts.worker.child.kill('SIGSTOP');
    await expect.poll(sentence, named).toMatch(/^No worker takes work:/);
    expect(parts.page.now()).toMatchObject({ state: 'bad', redis: true, postgres: true });
    expect(parts.page.now()?.causes.map(({ code }) => code)).toEqual(['noWorker']);
  });

  test.each(['cut', 'stalled'] as const)(
    'names Redis when it is away (%s), and not the worker',
    async (state) => {
      await mendAtEnd(() => redis.setState('open'));
      redis.setState(state);
      await expect.poll(sentence, named).toMatch(/^Redis is away or takes no work:/);
      expect(parts.page.now()?.causes.map(({ code }) => code)).not.toContain('noWorker');
      expect(parts.page.now()).toMatchObject({ state: 'bad', redis: false, postgres: true });
    },
  );

  test.each(['cut', 'stalled'] as const)('names Postgres when it is away (%s)', async (state) => {
    await mendAtEnd(() => postgres.setState('open'));
    postgres.setState(state);
    await expect.poll(sentence, named).toMatch(/^Postgres is away or does not answer:/);
    expect(parts.page.now()).toMatchObject({ state: 'bad', redis: true, postgres: false });
  });

  test('shows how busy each worker is, by name', async () => {
    await expectWell();
    const note = {
      busyRatio: expect.any(Number),
      clockDifferenceSeconds: expect.any(Number),
      isPostgresUp: true,
    };
    const name = expect.stringMatching(new RegExp(`:${parts.worker.child.pid}$`));
    expect(parts.page.now()?.workers).toEqual([{ name, unseenMs: expect.any(Number), note }]);
  });

  test('names a second worker that is stopped while the first goes on', async () => {
    const other = await parts.startWorker();
    await expect.poll(() => parts.page.now()?.workers.length, back).toBe(2);
    await mendAtEnd(async () => {
      other.child.kill('SIGCONT');
      const seen = () => parts.page.now()?.workers.filter(({ unseenMs }) => unseenMs < 3000).length;
      await expect.poll(seen, back).toBe(2);
      await other.stop();
    });
    other.child.kill('SIGSTOP');
    const lost = new RegExp(
      `^A process says nothing \\(the worker \\S+:${other.child.pid} for \\d+ s; 1 other takes work\\): `,
    );
    await expect.poll(sentence, named).toMatch(lost);
    expect(parts.page.now()?.state).toBe('warn');
  });

  test('names the clock of a worker when it is ten seconds off', async () => {
    const other = await parts.startWorker();
    await mendAtEnd(() => other.stop());
    other.child.kill('SIGUSR2');
    const off = new RegExp(
      `^The clocks of a process and of Postgres differ \\(the worker \\S+:${other.child.pid} is \\d+\\.\\d s ahead\\): `,
    );
    await expect.poll(sentence, named).toMatch(off);
  });

  // The last one: it leaves the clock wrong.
  test('names the clock when it is ten seconds off', async () => {
    await expectWell();
    parts.api.child.kill('SIGUSR2');
    await expect
      .poll(sentence, named)
      .toMatch(/^The clocks of a process and of Postgres differ \(this api is \d+\.\d s ahead\): /);
    expect(parts.page.now()).toMatchObject({ state: 'warn', redis: true, postgres: true });
    expect(parts.page.now()?.clockDifferenceSeconds).toBeLessThan(-5);
    expect((await parts.client.post('/Inventory/Receive', bodyOf(parts))).status).toBe(201);
  });
});

describe('the first sentence of the page of an api whose queue is full', () => {
  let parts: Parts;

  beforeAll(async () => {
    // A few requests fill it.
    parts = await startParts({ ENVELOPE_MAX: '1', ENVELOPES_IN_FLIGHT: '2', BATCH_MAX: '1' });
  });
  afterAll(() => stopParts(parts));

  test('names the full queue, with the number of refused requests', async () => {
    await expect.poll(() => parts.page.now()?.sentence, back).toBe('All is well.');
    const send = () => parts.client.post('/Inventory/Receive', bodyOf(parts));
    expect((await send()).status).toBe(201);
    const release = await holdGates(service.sql, parts.itemID);
    const slow = [send(), send()];
    await expectWaiting(service.sql, 1);
    const sent = Array.from({ length: 200 }, send);
    await expect
      .poll(() => parts.page.now()?.sentence, named)
      .toMatch(/\(the queue is full, \d+ requests? refused in the last 10 s, \d+ waiting now\): /);
    expect(parts.page.now()).toMatchObject({ state: 'bad', redis: true, postgres: true });
    expect(parts.page.now()?.failures).toContainEqual({ what: 'busy', count: expect.any(Number) });
    await release();
    await Promise.all([...slow, ...sent]);
    await expect.poll(() => parts.page.now()?.sentence, back).toBe('All is well.');
  });
});
