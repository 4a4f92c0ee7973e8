import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectionsOf } from '@inventory/api/database';
import { images } from '@inventory/local/docker';
import { postgresSettings } from '@inventory/local/postgres/postgres-settings';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

type Service = {
  image: string;
  pids_limit: number;
  scale?: string;
  env_file?: unknown;
  environment?: Record<string, string | number>;
  ports?: string[];
  command?: string[];
  entrypoint?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[]; interval: string; start_interval: string };
};

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
};
const { services: withTls } = parse(read('docker-compose.tls.yml')) as { services: Record<string, Service> };
const containers = read('docs/containers.md');
/** A setting of .env with a default, as compose reads it. */
const setting = (name: string, byDefault: string) => `\${${name}:-${byDefault}}`;
const dependenciesOf = (name: string) => Object.keys(services[name]!.depends_on ?? {});

describe('an upgrade', () => {
  test('leaves Postgres, Redis and the proxy alone: nothing they depend on is replaced', () => {
    // Compose replaces or stops every service that depends on a replaced one.
    for (const name of ['postgres', 'redis', 'proxy']) expect(dependenciesOf(name), name).toEqual([]);
    // So they wait for their secrets by themselves.
    expect(services.postgres!.entrypoint!.join(' ')).toContain('until [ -s /secrets/database-password ]');
    expect(services.redis!.entrypoint!.join(' ')).toContain("until grep -qsF '+acl|load' /secrets/users.acl");
    expect(dependenciesOf('migrate')).toContain('secrets');
  });

  test('stops the apis before the workers, which answer the apis’ requests', () => {
    expect(dependenciesOf('worker')).toContain('api');
    expect(dependenciesOf('api')).not.toContain('worker');
    // The first service to be replaced; the workers must not depend on it themselves.
    expect(dependenciesOf('api')).toContain('secrets');
    expect(dependenciesOf('worker')).not.toContain('secrets');
  });

  test('migrates before either starts, and an operator’s command neither migrates nor starts anything', () => {
    for (const name of ['api', 'worker'])
      expect(services[name]!.depends_on!.migrate).toEqual({ condition: 'service_completed_successfully' });
    expect(dependenciesOf('admin')).toEqual([]);
  });

  test('works with --wait: every service that exits is waited for by another', () => {
    const endings = Object.values(services).flatMap(({ depends_on = {} }) =>
      Object.entries(depends_on).filter(
        ([, { condition }]) => condition === 'service_completed_successfully',
      ),
    );
    expect(new Set(endings.map(([name]) => name))).toEqual(new Set(['secrets', 'migrate']));
  });
});

test('health checks run every 15 to 30 s, and start no Node process', () => {
  const checks = Object.entries(services).filter(([, { healthcheck }]) => healthcheck !== undefined);
  expect(checks.map(([name]) => name).sort()).toEqual(['api', 'postgres', 'proxy', 'redis', 'worker']);
  for (const [name, { healthcheck }] of checks) {
    expect(['15s', '30s'], name).toContain(healthcheck!.interval);
    // Otherwise a start takes as long as the interval.
    expect(healthcheck!.start_interval, name).toMatch(/^(1s|500ms)$/);
    expect(healthcheck!.test.join(' '), name).not.toMatch(/\bnode\b/);
  }
});

test('no process sees the settings that Compose itself reads from .env, so a change of them replaces no container', () => {
  const given = Object.entries(services).filter(([, { env_file }]) => env_file !== undefined);
  expect(given.map(([name]) => name).sort()).toEqual(['admin', 'api', 'migrate', 'secrets', 'worker']);
  const own = [read('docker-compose.yml'), read('docker-compose.tls.yml')].flatMap((text) =>
    [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!),
  );
  const composes = [containers, read('.env.example'), read('docker-compose.tls.yml')].flatMap(
    (text) => text.match(/\bCOMPOSE_\w+/g) ?? [],
  );
  expect(composes).toContain('COMPOSE_PROFILES');
  own.push(...composes);
  expect(own.length).toBeGreaterThan(9);
  for (const [service, { environment = {} }] of given) {
    for (const name of own) {
      // The api gets some of them, because they are meant for it.
      if (service === 'api') expect(environment, `${service}`).toHaveProperty(name);
      else expect(environment[name], `${name} of ${service}`).toBe('');
    }
  }
});

test('the numbers of apis and workers are in .env and stay', () => {
  expect(services.api!.scale).toBe(setting('APIS', '1'));
  expect(services.worker!.scale).toBe(setting('WORKERS', '1'));
  // Two containers cannot publish one port.
  expect(services.api!.ports).toBeUndefined();
});

describe('Postgres', () => {
  const [program, ...options] = services.postgres!.command!;
  const set = Object.fromEntries(options.map((option) => option.replace(/^-c/, '').split('=')));

  test('runs with the settings of start, and never risks an answered write', () => {
    expect(program).toBe('postgres');
    const { max_connections: _, fsync, full_page_writes, synchronous_commit, ...shared } = postgresSettings;
    expect([fsync, full_page_writes, synchronous_commit]).toEqual(['on', 'on', 'on']);
    expect(set).toEqual({ ...shared, max_connections: expect.any(String) });
  });

  test('allows connections and processes for as many apis and workers as docs/containers.md says', () => {
    const [, apis, apiConnections, workers, workerConnections] =
      /for (\d+) apis \((\d+) each\) and (\d+) workers \((\d+) each\)/.exec(
        containers.replaceAll('\n', ' '),
      ) ?? [];
    expect(Number(apiConnections)).toBe(connectionsOf(10));
    const needed = Number(apis) * Number(apiConnections) + Number(workers) * Number(workerConnections);
    // Plus those for superusers, the command line and migrations.
    expect(Number(set.max_connections)).toBeGreaterThanOrEqual(needed + 3 + 4 + 4);
    expect(services.postgres!.pids_limit).toBeGreaterThan(Number(set.max_connections) + 50);
  });
});

test('tests and compose run the same Postgres and the same Redis', () => {
  expect(images).toEqual({ postgres: services.postgres!.image, redis: services.redis!.image });
});

test('images have exact tags, and docs/containers.md says how each gets its digest', () => {
  const [, locked] = /--lock-image-digests ([a-z ]+) > docker-compose\.digests\.yml/.exec(containers)!;
  const others = Object.entries(services).filter(([, { image }]) => !image.startsWith('inventory:'));
  expect(others.map(([name]) => name).sort()).toEqual(locked!.split(' ').sort());
  for (const [name, { image }] of others)
    expect(image, name).toMatch(/^[a-z/]+:v?\d+\.\d+(\.\d+)?(@sha256:[0-9a-f]{64})?$/);
  const [, node] = /^ARG NODE_IMAGE=(\S+)$/m.exec(read('Dockerfile'))!;
  // Beside the others: a digest given to a build by hand would hold only until the next `up --build`.
  expect(containers).toContain(`\n        NODE_IMAGE: ${node!.split('@')[0]}@sha256:`);
});

test('Grafana, which asks for no password, answers only under the name it is published as', () => {
  const { environment, ports } = services.grafana!;
  expect(environment!.GF_AUTH_ANONYMOUS_ENABLED).toBe('true');
  expect(environment!.GF_SERVER_ENFORCE_DOMAIN).toBe('true');
  const [, address, port] = /^(\S+?):(\$\{.*\}):3000$/.exec(ports![0]!)!;
  expect(environment!.GF_SERVER_DOMAIN).toBe(address);
  expect(environment!.GF_SERVER_ROOT_URL).toBe(`http://${address}:${port}/`);
});

describe('the proxy', () => {
  const caddyfile = read('docker/proxy/Caddyfile');
  const lineOf = (name: string) => new RegExp(`^\\s*${name} (.+)$`, 'm').exec(caddyfile)?.[1];
  const msOf = (name: string) => {
    const [, count, unit] = /^(\d+)(ms|s|m)$/.exec(lineOf(name) ?? '') ?? [];
    return Number(count) * { ms: 1, s: 1000, m: 60_000 }[unit as 'ms' | 's' | 'm'];
  };

  test('serves the status page only on a loopback port, and never redirects others to it', () => {
    expect(services.proxy!.ports).toEqual([
      `127.0.0.1:${setting('PORT', '3000')}:3000`,
      `127.0.0.1:${setting('OPERATIONS_PORT', '9090')}:9090`,
    ]);
    expect(withTls.proxy!.ports).toEqual(['80:8080', '443:8443']);
    const sites = caddyfile.split(/^(?=:\d+ \{)/m);
    const [page, ...others] = sites.filter((site) => site.includes('api:9090'));
    expect(page).toMatch(/^:9090 \{/);
    expect(others).toEqual([]);
  });

  test('ends idle connections before the api does, after the time that the handbook tells', () => {
    expect(msOf('keepalive')).toBeLessThan(65_000);
    const told = /drops one that was idle for (\d+) s/.exec(read('docs/containers.md').replaceAll('\n', ' '));
    expect(Number(told?.[1]) * 1000).toBe(msOf('keepalive'));
  });

  test('holds requests while no api is there, and sends none twice', () => {
    expect(msOf('lb_try_duration')).toBeGreaterThanOrEqual(30_000);
    // lb_retry_match would name requests to send again after they may have arrived.
    expect(caddyfile).not.toContain('lb_retry_match');
  });

  test('learns that an api is stopping before that api refuses requests', () => {
    expect(lineOf('health_uri')).toBe('/accepts');
    const drainMs = Number(/:-(\d+)\}$/.exec(String(services.api!.environment!.DRAIN_MS))?.[1]);
    expect(drainMs).toBeGreaterThanOrEqual(2 * msOf('health_interval'));
  });

  test('believes nobody else about a caller’s address, and is believed by the api', () => {
    // No host has this address.
    expect(lineOf('trusted_proxies')).toBe('static {$TRUSTED_PROXIES:255.255.255.255/32}');
    expect(services.api!.environment!.TRUST_PROXY).toBe(setting('TRUST_PROXY', '1'));
    expect(caddyfile).not.toMatch(/header_up/);
  });

  test('leaves it to the api to answer slow requests, and gives up a little later itself', () => {
    expect(msOf('read_header')).toBeGreaterThan(10_000);
    expect(msOf('read_body')).toBeGreaterThan(15_000);
    expect(msOf('read_body')).toBeLessThanOrEqual(30_000);
  });

  test('logs nothing that callers sent', () => {
    expect(caddyfile).toMatch(/format filter \{\s*request delete\s/);
  });

  test('is open to other machines over TLS only', () => {
    expect(Object.keys(withTls)).toEqual(['proxy', 'api']);
    // It only learns where its own certificate is shown.
    expect(Object.keys(withTls.api!)).toEqual(['environment']);
    expect(Object.keys(withTls.api!.environment!)).toEqual(['CERTIFICATE_URL']);
    expect([lineOf('http_port'), lineOf('https_port')]).toEqual(['8080', '8443']);
    for (const kind of ['acme', 'files']) {
      const site = read(`docker/proxy/tls-${kind}.caddy`);
      expect(site).toMatch(/^https:\/\/\{\$SITE\} \{$/m);
      expect(site).toMatch(/^\theader Strict-Transport-Security max-age=\d{8,}$/m);
    }
  });
});
