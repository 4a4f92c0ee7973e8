import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { openQueue } from '@inventory/queue/queue';
import { Redis } from 'ioredis';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { createApiClient } from '../harness/service/api-client.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { startOtlpReceiver } from '../harness/watch/otlp-receiver.ts';

const service = useService({ workers: 0, env: { QUEUE_PREFIX: uniqueName('tracing-other') } });
const arrived = { timeout: 60_000 };

/** Its own api, worker and client. */
async function start(more: Record<string, string>, { workers = 1, imports = [] as string[] } = {}) {
  const prefix = uniqueName('tracing');
  const env = {
    DATABASE_URL: service.databaseUrl,
    REDIS_URL: inject('redisUrl'),
    QUEUE_PREFIX: prefix,
    PORT: '0',
    ...more,
  };
  const options = { keep: true, imports };
  const processes: Started[] = [];
  if (workers > 0) {
    processes.push(await startProcess('apps/worker/src/main.ts', asPart('worker', env), options));
    onTestFinished(() => processes[0]!.stop());
  }
  const api = await startProcess('apps/api/src/main.ts', asPart('api', env), options);
  onTestFinished(() => api.stop());
  const known = await service.client();
  const client = createApiClient(`http://127.0.0.1:${api.port}/api/v1`, known.clientId, known.token, {
    isPatient: false,
  });
  const itemID = await service.item();
  const receive = () => client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 });
  return { prefix, processes: [...processes, api], api, client, receive };
}

describe('with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  test('a request is a trace, and its batch links to the requests it applies, each with its statements', async () => {
    const collector = await startOtlpReceiver();
    onTestFinished(() => collector.close());
    const { client, receive } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
    // A few at once: a slow machine refuses more.
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(Array.from({ length: 4 }, receive));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    }
    expect((await client.get('/Inventory?pageSize=1')).status).toBe(200);
    const named = (name: string) => collector.spans.filter((span) => span.name === name);
    const queued = () => named('queue');
    const linked = () => named('batch').flatMap(({ links }) => links);
    await expect.poll(() => queued().length, arrived).toBe(20);
    await expect.poll(() => linked().length, arrived).toBe(20);
    await expect.poll(() => named('GET /Inventory').length, arrived).toBe(1);
    const requests = named('POST /Inventory/Receive');
    expect(requests.map(({ service, parentSpanId }) => [service, parentSpanId])).toEqual(
      requests.map(() => ['inventory-api', '']),
    );
    expect(requests[0]!.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/Inventory/Receive',
      'http.response.status_code': '201',
    });
    const ids = (spans: { spanId: string }[]) => spans.map(({ spanId }) => spanId).sort();
    // Each wait is part of its request, and a batch links to each request that waits for it.
    expect(
      queued()
        .map(({ parentSpanId }) => parentSpanId)
        .sort(),
    ).toEqual(ids(requests));
    expect(linked().sort()).toEqual(ids(queued()));
    expect(named('batch').every(({ service }) => service === 'inventory-worker')).toBe(true);
    for (const batch of named('batch')) {
      const statements = collector.spans.filter(({ parentSpanId }) => parentSpanId === batch.spanId);
      expect(statements.length).toBeGreaterThan(1);
      expect(statements.every(({ attributes }) => attributes['db.system.name'] === 'postgresql')).toBe(true);
    }
    const [list] = named('GET /Inventory');
    expect(
      collector.spans.filter(({ parentSpanId }) => parentSpanId === list!.spanId).length,
    ).toBeGreaterThan(0);
  });

  test('a caller’s traceparent is linked, not continued', async () => {
    const collector = await startOtlpReceiver();
    onTestFinished(() => collector.close());
    const { client } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
    const theirs = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
    for (const spanId of [theirs.spanId, 'nothing']) {
      const answer = await client.post('/Item', {}, { traceparent: `00-${theirs.traceId}-${spanId}-01` });
      expect(answer.status).toBe(400);
    }
    const requests = () => collector.spans.filter(({ name }) => name === 'POST /Item');
    await expect.poll(() => requests().length, arrived).toBe(2);
    expect(
      requests()
        .map(({ links }) => links)
        .sort(),
    ).toEqual([[], [theirs.spanId]]);
    expect(requests().some(({ traceId }) => traceId === theirs.traceId)).toBe(false);
  });

  test.each(['away', 'silent'] as const)(
    'the service works with a collector that is %s, and stops in order',
    async (state) => {
      const sockets = createServer();
      await new Promise<void>((resolve) => sockets.listen(0, '127.0.0.1', resolve));
      const { port } = sockets.address() as AddressInfo;
      if (state === 'away') await new Promise((resolve) => sockets.close(resolve));
      else onTestFinished(() => void sockets.close());
      const { receive, processes } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
      for (let turn = 0; turn < 20; turn++) expect((await receive()).status).toBe(201);
      for (const each of processes) {
        each.child.kill('SIGTERM');
        expect(await each.exited).toMatchObject({ code: 0 });
      }
    },
  );
});

describe('without it', () => {
  test('nothing of OpenTelemetry is loaded', async () => {
    const imports = ['test/harness/watch/tell-loaded.ts'];
    const off = await start({}, { imports });
    expect((await off.receive()).status).toBe(201);
    const written = ({ processes }: typeof off) => processes.map((each) => each.written()).join('');
    expect(written(off)).not.toContain('asked for');
    // The check itself can see loaded modules.
    const collector = await startOtlpReceiver();
    onTestFinished(() => collector.close());
    const on = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }, { imports });
    expect(written(on)).toContain('asked for @opentelemetry/');
  });

  test('an envelope holds no trace context', async () => {
    const redis = new Redis(inject('redisUrl'));
    onTestFinished(() => redis.disconnect());
    const traceOf = async (more: Record<string, string>) => {
      const { prefix, receive } = await start(more, { workers: 0 });
      const queue = openQueue({ shard: 0, prefix, connection: redis, onError() {} });
      const answer = receive();
      const jobs = () => queue.getWaiting().then((found) => found.map(({ data }) => data));
      const sent = async () =>
        (await jobs()).find(({ requests }) => requests.length > 0)?.requests[0] ?? null;
      // At once: it is removed after the answer.
      let request = null;
      let isOver = false;
      void answer.then(() => {
        isOver = true;
      });
      while (request === null && !isOver) request = await sent();
      expect((await answer).status).toBe(503);
      await queue.close();
      return request;
    };
    expect(await traceOf({})).not.toHaveProperty('trace');
    const collector = await startOtlpReceiver();
    onTestFinished(() => collector.close());
    expect(await traceOf({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })).toHaveProperty(
      'trace',
      expect.stringMatching(/^00-[\da-f]{32}-[\da-f]{16}-01$/),
    );
  });
});
