import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parts } from '@inventory/db/access/logins';
import { nodeOptions } from '@inventory/process/settings/node-options';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageFolders } from '../harness/package-folders.ts';

type Service = {
  environment?: Record<string, string | number>;
  networks?: string[];
  network_mode?: string;
  volumes?: string[];
  command?: string | string[];
  cap_add?: string[];
  ports?: string[];
};

const root = join(import.meta.dirname, '../..');
const compose: {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
} = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
const publishing = ['proxy', 'grafana'];
const numericUser = /^[1-9]\d*:[1-9]\d*$/;

describe.each(Object.entries(compose.services))('the container %s', (name, service) => {
  test('runs as a numeric user that is not root, read-only and without capabilities', () => {
    expect(service).toMatchObject({
      user: expect.stringMatching(numericUser),
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(service).not.toHaveProperty('privileged');
    // The image's program has this right in its file and does not start without it; no-new-privileges
    // withholds it.
    expect(service.cap_add).toEqual(name === 'proxy' ? ['NET_BIND_SERVICE'] : undefined);
  });

  test('has a limit of memory, processes, files and log', () => {
    expect(service).toMatchObject({
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
      pids_limit: expect.any(Number),
      ulimits: { nofile: expect.any(Number) },
      logging: { options: { 'max-size': expect.stringMatching(/^\d+m$/), 'max-file': expect.any(String) } },
    });
  });

  test('has no route out, except the proxy and Grafana, which publish on loopback only', () => {
    const open = (service.networks ?? ['default']).filter(
      (name) => compose.networks[name]?.internal !== true,
    );
    if (service.network_mode === 'none') expect(service.networks).toBeUndefined();
    else expect(open).toEqual(publishing.includes(name) ? ['outside'] : []);
    if (!publishing.includes(name)) expect(service.ports).toBeUndefined();
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  test('gets the paths of its secrets, not the secrets', () => {
    for (const [variable, value] of Object.entries(service.environment ?? {})) {
      if (/PASSWORD|SECRET|TOKEN/.test(variable)) expect(variable).toMatch(/_FILE$/);
      if (URL.canParse(String(value))) expect(new URL(String(value)).password).toBe('');
    }
  });
});

test('each container sees its own secrets alone, and connects as its own part', () => {
  const { services } = compose;
  const secrets = Object.fromEntries(
    Object.entries(services).map(([name, { volumes = [] }]) => [
      name,
      volumes.map((volume) => volume.split(':')).filter(([from]) => from?.startsWith('secrets')),
    ]),
  );
  expect(secrets).toMatchObject({
    api: [['secrets-api', '/secrets', 'ro']],
    worker: [['secrets-worker', '/secrets', 'ro']],
    admin: [['secrets-operator', '/secrets', 'ro']],
    redis: [['secrets-redis', '/secrets', 'ro']],
    postgres: [['secrets', '/secrets', 'ro']],
    proxy: [],
  });
  const users = Object.entries(services).flatMap(([name, { environment = {} }]) =>
    ['DATABASE_URL', 'REDIS_URL'].flatMap((variable) =>
      environment[variable] === undefined
        ? []
        : [`${name} ${new URL(String(environment[variable])).username}`],
    ),
  );
  expect(users).toEqual([
    ...['api inventory_login_api', 'api api'],
    ...['worker inventory_login_worker', 'worker worker'],
    ...['migrate inventory', 'migrate admin'],
    ...['admin inventory_login_operator', 'admin admin'],
  ]);
  expect(users.flatMap((each) => each.match(/inventory_login_(.*)/)?.[1] ?? [])).toEqual([...parts]);
});

test('Redis takes its users from a file, and refuses work when it is full', () => {
  const command = compose.services.redis?.command as string[];
  const setting = (option: string) => command[command.indexOf(option) + 1];
  expect(['--aclfile', '--maxmemory', '--maxmemory-policy'].map(setting)).toEqual([
    '/secrets/users.acl',
    expect.stringMatching(/^\d+mb$/),
    'noeviction',
  ]);
});

test('the image is built from exact versions of Node and pnpm', () => {
  expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-slim$/m);
  const versions = new Set([...dockerfile.matchAll(/pnpm@(\S+)/g)].map(([, version]) => version));
  expect([...versions]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
});

test('the image runs as a numeric user that is not root', () => {
  const user = dockerfile.match(/^USER (.+)$/m)?.[1];
  expect(user).toMatch(numericUser);
});

test('the image holds the compile cache of the sources, made by the user who will read it', () => {
  const [before, after = ''] = dockerfile.split('ENV NODE_COMPILE_CACHE=/app/.compiled\n');
  expect(before).toMatch(/^COPY apps apps\nCOPY packages packages$/m);
  const [asUser = ''] = after.split('USER root\n');
  expect(asUser).toMatch(/^USER 10001:10001$/m);
  for (const source of ['apps/api/src/server.ts', 'apps/worker/src/worker.ts', 'apps/admin/src/main.ts'])
    expect(asUser).toContain(source);
});

test('the image is built from every app and package except packages/local', () => {
  const copied = [...dockerfile.matchAll(/^COPY (\S+)\/package\.json /gm)].map(([, folder]) => folder);
  expect(copied.sort()).toEqual(packageFolders.filter((folder) => folder !== 'packages/local').sort());
});

test('the command line starts without @inventory/local, which the image does not have', () => {
  const seen = new Set<string>();
  const look = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(/^(?:import|\}) .*?from '(.+)';$/gm)) {
      expect(from, file).not.toMatch(/^@inventory\/local/);
      if (from.startsWith('.')) look(join(dirname(file), from));
    }
  };
  look(join(root, 'apps/admin/src/main.ts'));
  expect(seen.size).toBeGreaterThan(1);
});

test('the image starts Node like `start`, with memory for the rest of each request', () => {
  expect(dockerfile).toContain(
    `ENTRYPOINT ${JSON.stringify(['node', ...nodeOptions]).replaceAll(',', ', ')}`,
  );
});
