import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { dashboard } from '../../monitoring/dashboard.ts';
import { writtenFiles } from '../../monitoring/written.ts';
import { createFolder } from '../harness/folders.ts';
import { expressions } from '../harness/watch/named-metrics.ts';

const root = join(import.meta.dirname, '../..');
const prometheus = join(root, 'monitoring/prometheus');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

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
    const file = join(createFolder(), 'expressions.yml');
    const recorded = expressions.map(({ expr }, index) => ({
      record: `expression:${index}`,
      expr: expr.replaceAll('$__rate_interval', '1m'),
    }));
    await writeFile(file, stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
    const told = await run(['check', 'rules', file]);
    expect(told.code, told.output).toBe(0);
  });
});
