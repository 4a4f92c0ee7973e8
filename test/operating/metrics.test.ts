import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type ApiClient, askToken, createApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { readMetrics } from '../harness/watch/metrics.ts';
import { expressions, namedMetrics } from '../harness/watch/named-metrics.ts';

const service = useService({ env: { INTERNAL_PORT: '0' } });
let client: ApiClient & { secret: string };

beforeAll(async () => {
  client = await service.client({ rateLimit: 50 });
});

const api = () => readMetrics(service.internalPort!);
const worker = () => readMetrics(service.workerPort!);
const body = (itemID: string) => ({ itemID, units: 1, wid: 1, reasonCode: 0 });

type Documented = { kind: string; labels: string[]; words: string[] };

/**
 * The name, kind and labels of each metric in the tables of the page, and the marked words of its meaning.
 */
function documented(): Map<string, Documented> {
  const page = readFileSync(join(import.meta.dirname, '../../docs/metrics.md'), 'utf8');
  const rows = page.matchAll(/^\| `(inventory_\w+)` +\| (\w+) +\|([^|]*)\|([^|]*)\|/gm);
  const marked = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, word]) => word!);
  return new Map(
    [...rows].map(([, name, kind, labels, meaning]) => [
      name!,
      { kind: kind!, labels: marked(labels!), words: marked(meaning!) },
    ]),
  );
}

test('failures are counted from 0 on for every cause, so that the first one is a growth', async () => {
  const { value } = await api();
  for (const cause of ['noWorker', 'redis', 'postgres', 'busy', 'internal'])
    expect(value(`inventory_api_failures_total{cause="${cause}"}`), cause).toBe(0);
});

test('every metric that an alert or the dashboard names exists, and has the labels that they ask for', async () => {
  const existing = new Map([...(await api()).kinds, ...(await worker()).kinds]);
  // `up` and `ALERTS` come from Prometheus itself.
  const isThere = (metric: string) =>
    ['up', 'ALERTS'].includes(metric) ||
    existing.has(metric) ||
    existing.get(metric.replace(/_(?:bucket|sum|count)$/, '')) === 'histogram';
  const named = expressions.flatMap(({ where, expr }) =>
    namedMetrics(expr).map((each) => ({ where, ...each })),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ metric }) => !isThere(metric))).toEqual([]);
  const page = documented();
  const ours = named.filter(({ metric }) => metric.startsWith('inventory_'));
  expect(
    ours.filter(({ metric, labels }) => labels.some((label) => !page.get(metric)?.labels.includes(label))),
  ).toEqual([]);
});

// Their values are not ours, or are in the contract.
const openLabels = ['method', 'route', 'status', 'code', 'le'];

test('every metric is in docs/metrics.md with its kind and its labels, and every one there exists', async () => {
  await client.post('/Inventory/Receive', body('nothing'));
  const both = [await api(), await worker()];
  const kinds = both.flatMap(({ kinds }) => [...kinds]).filter(([name]) => name.startsWith('inventory_'));
  const page = documented();
  expect(kinds.map(([name, kind]) => `${name} ${kind}`).sort()).toEqual(
    [...page].map(([name, { kind }]) => `${name} ${kind}`).sort(),
  );
  for (const { name, labels } of both.flatMap(({ text }) => labelledIn(text, page))) {
    const given = labels.map(({ label }) => label).filter((label) => label !== 'le');
    expect({ name, labels: given }).toEqual({ name, labels: page.get(name)?.labels });
  }
});

/** The samples with labels, each by the name of its metric on the page. */
function labelledIn(text: string, page: Map<string, Documented>) {
  return [...text.matchAll(/^(inventory_\w+)\{(.*)\} /gm)].map(([, sample, labels]) => ({
    name: page.has(sample!) ? sample! : sample!.replace(/_(bucket|sum|count)$/, ''),
    labels: [...labels!.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => ({
      label: label!,
      value: value!,
    })),
  }));
}

test('every value of a label is in docs/metrics.md, and no others for connections to Postgres', async () => {
  const page = documented();
  const shown = new Map<string, Set<string>>();
  for (const { text } of [await api(), await worker()]) {
    for (const { name, labels } of labelledIn(text, page)) {
      for (const { label, value } of labels.filter(({ label }) => !openLabels.includes(label))) {
        expect(page.get(name)?.words, `${name} ${label}="${value}"`).toContain(value);
        shown.set(name, (shown.get(name) ?? new Set()).add(value));
      }
    }
  }
  for (const name of ['inventory_api_postgres_waiting', 'inventory_api_postgres_connections'])
    expect([...shown.get(name)!].sort(), name).toEqual([...page.get(name)!.words].sort());
});

test('each name carries its owner and its unit, and durations begin at half a millisecond', async () => {
  for (const [part, read] of [
    ['api', api],
    ['worker', worker],
  ] as const) {
    const { kinds, text } = await read();
    for (const [name, kind] of kinds) {
      if (!name.startsWith('inventory_')) continue;
      expect(name).toMatch(new RegExp(`^inventory_${part}_[a-z]+(_[a-z]+)*$`));
      expect(name.endsWith('_total'), name).toBe(kind === 'counter');
      if (name.includes('_duration_')) expect(name).toMatch(/_seconds$/);
    }
    for (const [, bound] of text.matchAll(/^\w+_duration_seconds_bucket\{le="([\d.]+)"/gm)) {
      expect(Number(bound)).toBeGreaterThanOrEqual(0.0005);
    }
  }
});

test('a transaction is counted at every stage: request, envelope, batch and its steps, answer and way back', async () => {
  const itemID = await service.item();
  const [apiBefore, workerBefore] = [await api(), await worker()];
  expect((await client.post('/Inventory/Receive', body(itemID))).status).toBe(201);
  const refused = await client.post('/Inventory/Issue', { ...body(itemID), units: 5 });
  expect(refused.status).toBe(409);
  const [apiAfter, workerAfter] = [await api(), await worker()];
  const grew = (name: string, before = apiBefore, after = apiAfter) =>
    (after.value(name) ?? 0) - (before.value(name) ?? 0);
  expect({
    received: grew('inventory_api_requests_total{method="POST",route="/Inventory/Receive",status="201"}'),
    timed: grew('inventory_api_request_duration_seconds_count{method="POST",route="/Inventory/Receive"}'),
    refused: grew('inventory_api_refusals_total{code="conflict"}'),
    sent: grew('inventory_api_envelope_requests_sum'),
    answered: grew('inventory_api_envelope_duration_seconds_count'),
    byEvent:
      grew('inventory_api_answers_total{by="event"}') + grew('inventory_api_answers_total{by="lookUp"}'),
  }).toEqual({ received: 1, timed: 1, refused: 1, sent: 2, answered: 2, byEvent: 2 });
  const ofWorker = (name: string) => grew(name, workerBefore, workerAfter);
  expect({
    applied: ofWorker('inventory_worker_requests_total{outcome="applied"}'),
    refused: ofWorker('inventory_worker_requests_total{outcome="refused"}'),
    taken: ofWorker('inventory_worker_envelope_requests_sum'),
    batched: ofWorker('inventory_worker_batch_requests_sum'),
    timed: ofWorker('inventory_worker_batch_duration_seconds_count'),
    steps: ['locks', 'reads', 'decisions', 'write'].map((step) =>
      ofWorker(`inventory_worker_batch_step_duration_seconds_count{step="${step}"}`),
    ),
  }).toEqual({ applied: 1, refused: 1, taken: 2, batched: 2, timed: 2, steps: [2, 2, 2, 2] });
  // The caller may have its answer before the worker hears that Redis took it.
  await expect
    .poll(async () => (await worker()).value('inventory_worker_answer_duration_seconds_count'))
    .toBe((workerBefore.value('inventory_worker_answer_duration_seconds_count') ?? 0) + 2);
  expect(workerAfter.value('inventory_worker_busy_ratio')).toBeGreaterThan(0);
  // The parts of a batch are not longer than the whole.
  const sum = ['locks', 'reads', 'decisions', 'write']
    .map((step) => ofWorker(`inventory_worker_batch_step_duration_seconds_sum{step="${step}"}`))
    .reduce((total, each) => total + each, 0);
  expect(sum).toBeGreaterThan(0);
  expect(sum).toBeLessThanOrEqual(ofWorker('inventory_worker_batch_duration_seconds_sum') + 1e-6);
});

test('health is visible, too: Redis, Postgres and a worker are there, the clocks agree', async () => {
  await expect.poll(async () => (await api()).value('inventory_api_workers')).toBe(1);
  // The transactions of earlier tests may still be counted.
  await expect.poll(async () => (await api()).value('inventory_api_queue_backlog_envelopes')).toBe(0);
  const read = await api();
  expect(read.value('inventory_api_redis_up')).toBe(1);
  expect(read.value('inventory_api_postgres_up')).toBe(1);
  // On a busy machine all may be at work for a moment.
  const idle = 'postgres_connections{state="idle"}';
  await expect.poll(async () => (await api()).value(`inventory_api_${idle}`)).toBeGreaterThan(0);
  await expect.poll(async () => (await worker()).value(`inventory_worker_${idle}`)).toBeGreaterThan(0);
  expect(Math.abs(read.value('inventory_api_clock_difference_seconds') ?? 99)).toBeLessThan(5);
  const ofWorker = await worker();
  expect(ofWorker.value('inventory_worker_redis_up')).toBe(1);
  expect(ofWorker.value('inventory_worker_postgres_up')).toBe(1);
  expect(Math.abs(ofWorker.value('inventory_worker_clock_difference_seconds') ?? 99)).toBeLessThan(5);
});

test('a path appears as the template of its route and no caller by name, whatever is requested', async () => {
  const marked = uniqueName('marked');
  await client.get('/Inventory/1');
  await client.get(`/Item/${marked}`);
  await client.get(`/${marked}/x`);
  await createApiClient(service.baseUrl, client.clientId, marked).get('/Inventory/2');
  await fetch(`${service.baseUrl}/Item/${marked}`, { method: 'PROPFIND' });
  await fetch(`http://127.0.0.1:${new URL(service.baseUrl).port}/${marked}`);
  const { text, value } = await api();
  expect(text).not.toContain(marked);
  expect(text).not.toContain(client.clientId);
  expect(value('inventory_api_requests_total{method="GET",route="/Inventory/:wid",status="200"}')).toBe(1);
  // Also before the route is known.
  expect(value('inventory_api_requests_total{method="GET",route="/Inventory/:wid",status="401"}')).toBe(1);
  expect(value('inventory_api_requests_total{method="GET",route="other",status="404"}')).toBeGreaterThan(1);
  expect(value('inventory_api_token_failures_total{reason="invalid_token"}')).toBeGreaterThan(0);
});

test('a wrong secret, and a request and a list of operations past their limits are counted', async () => {
  await askToken(service.baseUrl, { clientId: client.clientId, secret: 'wrong' }).catch(() => {});
  let limited = 0;
  for (let turn = 0; turn < 60 && limited === 0; turn++) {
    if ((await client.get('/Inventory')).status === 429) limited += 1;
  }
  const { value } = await api();
  expect(value('inventory_api_token_failures_total{reason="invalid_client"}')).toBe(1);
  expect(value('inventory_api_rate_limited_total')).toBe(limited);
  expect(limited).toBe(1);
  const few = await service.client({ operationsPerMinute: 1 });
  const operations = [{ op: 'receive', ...body(await service.item()) }];
  for (const status of [200, 429])
    expect((await few.post('/Inventory/Batch', { mode: 'each', operations })).status).toBe(status);
  expect((await api()).value('inventory_api_rate_limited_total')).toBe(2);
});
