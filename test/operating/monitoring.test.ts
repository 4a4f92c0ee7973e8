import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@inventory/api/server';
import { diagnoses } from '@inventory/process/diagnoses';
import { createLog } from '@inventory/process/log/log';
import type { Running } from '@inventory/process/run';
import { startWorker } from '@inventory/worker/worker';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { dashboard } from '../../monitoring/dashboard.ts';
import { writtenFiles } from '../../monitoring/written.ts';
import { asPart } from '../harness/as-part.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { readMetrics } from '../harness/watch/metrics.ts';
import { namedMetrics } from '../harness/watch/named-metrics.ts';

const root = join(import.meta.dirname, '../..');
const prometheus = join(root, 'monitoring/prometheus');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

type Panel = { title: string; type: string; targets?: { expr: string }[] };
const panels = (dashboard().panels as Panel[]).filter(({ type }) => type !== 'row');
const expressions = [
  ...Object.entries(diagnoses).map(([where, { expr }]) => ({ where, expr })),
  ...panels.flatMap(({ title, targets }) => targets!.map(({ expr }) => ({ where: title, expr }))),
];

// What Prometheus makes itself.
const ofPrometheus = new Set(['up', 'ALERTS']);
describe('the metrics', () => {
  const service = useService({ workers: 0, env: { QUEUE_PREFIX: uniqueName('monitoring-other') } });
  const running: Running[] = [];
  const existing = new Map<string, string>();
  let text = '';

  beforeAll(async () => {
    const env = {
      DATABASE_URL: service.databaseUrl,
      REDIS_URL: inject('redisUrl'),
      QUEUE_PREFIX: uniqueName('monitoring'),
      PORT: '0',
      INTERNAL_PORT: '0',
    };
    running.push(await startWorker(asPart('worker', env), createLog('worker')));
    running.push(await startServer(asPart('api', env), createLog('api')));
    for (const { internalPort } of running) {
      const read = await readMetrics(internalPort!);
      text += read.text;
      for (const [name, kind] of read.kinds) existing.set(name, kind);
    }
  });
  afterAll(async () => {
    for (const each of running.reverse()) await each.stop();
  });

  const isThere = (metric: string) =>
    existing.has(metric) ||
    ofPrometheus.has(metric) ||
    existing.get(metric.replace(/_(?:bucket|sum|count)$/, '')) === 'histogram';

  test('each that a rule or the dashboard names exists', () => {
    const named = expressions.flatMap(({ where, expr }) =>
      namedMetrics(expr).map((each) => ({ where, ...each })),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ metric }) => !isThere(metric))).toEqual([]);
  });

  test('each label that is asked for is one of its metric, in docs/metrics.md', () => {
    const rows = [...textOf('docs/metrics.md').matchAll(/^\| `(inventory_\w+)` +\| \w+ +\|([^|]*)\|/gm)];
    const known = new Map(rows.map(([, name, labels]) => [name!, labels!]));
    const wrong = expressions.flatMap(({ where, expr }) =>
      namedMetrics(expr)
        .filter(({ metric }) => metric.startsWith('inventory_'))
        .flatMap(({ metric, labels }) => labels.map((label) => ({ where, metric, label })))
        .filter(({ metric, label }) => !known.get(metric)?.includes(`\`${label}\``)),
    );
    expect(wrong).toEqual([]);
  });

  test('failures are counted from 0 on for every cause, so that the first one is a growth', () => {
    for (const cause of ['noWorker', 'redis', 'postgres', 'busy', 'internal']) {
      expect(text).toContain(`inventory_api_failures_total{cause="${cause}"} 0`);
    }
  });
});

test('what Prometheus reads is read often enough to name a cause within 15 seconds', () => {
  const { global } = parse(textOf('monitoring/prometheus/prometheus.yml'));
  const seconds = (text: string) => Number(/^(\d+)s$/.exec(text)?.[1]);
  // The service itself needs up to 3.5 s to notice.
  expect(seconds(global.scrape_interval) + seconds(global.evaluation_interval) + 3.5).toBeLessThan(15);
  const [group] = parse(textOf('monitoring/prometheus/rules.yml')).groups;
  expect(group.interval).toBe(global.evaluation_interval);
});

test.each(Object.entries(writtenFiles()))('%s is as `pnpm monitoring` writes it', (file, text) => {
  expect(textOf(file)).toBe(text);
});

test('Grafana asks the Prometheus of the profile, and the dashboard asks that source', () => {
  const [source] = parse(textOf('monitoring/grafana/provisioning/datasources/prometheus.yml')).datasources;
  const { services } = parse(textOf('docker-compose.yml'), { merge: true });
  expect(services.prometheus.profiles).toEqual(['monitoring']);
  expect(services.grafana.profiles).toEqual(['monitoring']);
  expect(source.url).toBe('http://prometheus:9090');
  const uids = new Set(
    (dashboard().panels as { datasource?: { uid: string } }[]).map((each) => each.datasource?.uid),
  );
  expect([...uids].filter((uid) => uid !== undefined)).toEqual([source.uid]);
  const mounted = [...services.grafana.volumes, ...services.prometheus.volumes].filter((each: string) =>
    each.startsWith('./'),
  );
  expect(mounted.length).toBe(3);
  for (const each of mounted) expect(existsSync(join(root, each.split(':')[0]!)), each).toBe(true);
});

describe('promtool (skipped without it; it comes with Prometheus)', () => {
  const run = (args: string[]) =>
    new Promise<{ code: number | null; output: string }>((resolve) => {
      execFile('promtool', args, { cwd: prometheus }, (error, stdout, stderr) =>
        resolve({
          code: error === null ? 0 : typeof error.code === 'number' ? error.code : null,
          output: stdout + stderr,
        }),
      );
    });

  test('each cause is named within 15 seconds by its alert, and nothing when all is well', async ({
    skip,
  }) => {
    const { code, output } = await run(['test', 'rules', 'rules.test.yml']);
    // Not to be started.
    if (code === null) skip();
    expect(output).toMatch(/SUCCESS\s*$/);
    expect(code).toBe(0);
  });

  test('rules and settings are what Prometheus understands, and so is every expression of the dashboard', async ({
    skip,
  }) => {
    const { code, output } = await run(['check', 'config', 'prometheus.yml']);
    if (code === null) skip();
    expect(code, output).toBe(0);
    // As recording rules: promtool understands expressions there alone.
    const folder = await mkdtemp(join(tmpdir(), 'expressions-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'expressions.yml');
    const recorded = expressions.map(({ expr }, index) => ({
      record: `expression:${index}`,
      expr: expr.replaceAll('$__rate_interval', '1m'),
    }));
    await writeFile(file, stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
    const told = await run(['check', 'rules', file]);
    expect(told.code, told.output).toBe(0);
  });
});
