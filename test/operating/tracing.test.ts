import { openQueue } from '@inventory/queue/queue';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { type NetworkStretch, startProxy } from '../faults/proxy.ts';
import { asPart } from '../harness/as-part.ts';
import { type ApiClient, createApiClient, untilAnswered } from '../harness/service/api-client.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../harness/watch/otlp-receiver.ts';

const service = useService({ workers: 0, env: { QUEUE_PREFIX: uniqueName('tracing-other') } });

type Parts = {
  prefix: string;
  worker: Started;
  api: Started;
  client: ApiClient;
  receive(): Promise<{ status: number }>;
};

/** Its own api, worker and client. They say what they load. */
async function start(more: Record<string, string>): Promise<Parts> {
  const prefix = uniqueName('tracing');
  const env: Record<string, string> = { ...service.env, QUEUE_PREFIX: prefix, ...more };
  const options = { keep: true, imports: ['test/harness/watch/tell-loaded.ts'] };
  const [worker, api, known] = await Promise.all([
    startProcess('apps/worker/src/main.ts', asPart('worker', env), options),
    startProcess('apps/api/src/main.ts', asPart('api', env), options),
    service.client(),
  ]);
  const client = createApiClient(`http://127.0.0.1:${api.port}/api/v1`, known.clientId, known.token, {
    isPatient: false,
  });
  const itemID = await service.item();
  const receive = () => client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 });
  return { prefix, worker, api, client, receive };
}

/** The first request of the next envelope, looked at while the worker stands still. */
async function nextQueued({ prefix, worker, receive }: Parts): Promise<object> {
  const redis = new Redis(inject('redisUrl'));
  const queue = openQueue({ shard: 0, prefix, connection: redis, onError() {} });
  worker.child.kill('SIGSTOP');
  onTestFinished(async () => {
    worker.child.kill('SIGCONT');
    await queue.close();
    redis.disconnect();
  });
  const answer = receive();
  const first = async () => {
    const jobs = await queue.getWaiting();
    return jobs.find(({ data }) => data.requests.length > 0)?.data.requests[0];
  };
  await expect.poll(first, { interval: 5 }).toBeDefined();
  const found = await first();
  worker.child.kill('SIGCONT');
  await answer;
  return found!;
}

describe('with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  let collector: OtlpReceiver;
  let way: NetworkStretch;
  let traced: Parts;
  beforeAll(async () => {
    collector = await startOtlpReceiver();
    way = await startProxy(Number(new URL(collector.endpoint).port));
    traced = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${way.port}` });
  });
  afterAll(async () => {
    for (const each of [traced?.api, traced?.worker]) each?.child.kill('SIGKILL');
    way?.close();
    collector?.close();
  });

  test('a request is a trace, linked to its caller’s, and its batch links to the requests it applies, each with its statements', async () => {
    // A few at once: a slow machine refuses more.
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(Array.from({ length: 4 }, traced.receive));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    }
    expect((await traced.client.get('/Inventory?pageSize=1')).status).toBe(200);
    const theirs = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
    for (const spanId of [theirs.spanId, 'nothing']) {
      const traceparent = `00-${theirs.traceId}-${spanId}-01`;
      expect((await traced.client.post('/Item', {}, { traceparent })).status).toBe(400);
    }
    const named = (name: string) => collector.spans.filter((span) => span.name === name);
    const queued = () => named('queue');
    const linked = () => named('batch').flatMap(({ links }) => links);
    await expect.poll(() => queued().length).toBe(20);
    await expect.poll(() => linked().length).toBe(20);
    await expect.poll(() => named('GET /Inventory').length).toBe(1);
    await expect.poll(() => named('POST /Item').length).toBe(2);
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
    // Linked, not continued.
    const calls = named('POST /Item');
    expect(calls.map(({ links }) => links).sort()).toEqual([[], [theirs.spanId]]);
    expect(calls.some(({ traceId }) => traceId === theirs.traceId)).toBe(false);
  });

  test('OpenTelemetry is loaded, and an envelope holds the trace context', async () => {
    for (const each of [traced.api, traced.worker])
      expect(each.written()).toContain('asked for @opentelemetry/');
    expect(await nextQueued(traced)).toHaveProperty(
      'trace',
      expect.stringMatching(/^00-[\da-f]{32}-[\da-f]{16}-01$/),
    );
  });

  // The last one: it stops the service.
  test('the service works with a collector that is away or silent, and stops in order', async () => {
    for (const state of ['cut', 'stalled'] as const) {
      way.setState(state);
      for (let turn = 0; turn < 10; turn++) expect((await untilAnswered(traced.receive)).status).toBe(201);
    }
    traced.api.child.kill('SIGTERM');
    expect(await traced.api.exited).toMatchObject({ code: 0 });
    way.setState('cut');
    traced.worker.child.kill('SIGTERM');
    expect(await traced.worker.exited).toMatchObject({ code: 0 });
  });
});

test('without it, nothing of OpenTelemetry is loaded, and an envelope holds no trace context', async () => {
  const off = await start({});
  onTestFinished(async () => {
    await Promise.all([off.api.stop(), off.worker.stop()]);
  });
  expect((await off.receive()).status).toBe(201);
  expect(await nextQueued(off)).not.toHaveProperty('trace');
  for (const each of [off.api, off.worker]) expect(each.written()).not.toContain('asked for');
});
