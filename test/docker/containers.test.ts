import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

type Service = { environment?: Record<string, string | number> };

const root = join(import.meta.dirname, '../..');
const compose: { services: Record<string, Service> } = parse(
  readFileSync(join(root, 'docker-compose.yml'), 'utf8'),
  { merge: true },
);
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
const numericUser = /^[1-9]\d*:[1-9]\d*$/;

describe.each(Object.entries(compose.services))('the container %s', (_name, service) => {
  test('runs as a numeric user that is not root, read-only and without capabilities', () => {
    expect(service).toMatchObject({
      user: expect.stringMatching(numericUser),
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(service).not.toHaveProperty('privileged');
    expect(service).not.toHaveProperty('cap_add');
  });

  test('is told where its secrets are, not what they are', () => {
    for (const [name, value] of Object.entries(service.environment ?? {})) {
      if (/PASSWORD|SECRET|TOKEN/.test(name)) expect(name).toMatch(/_FILE$/);
      if (URL.canParse(String(value))) expect(new URL(String(value)).password).toBe('');
    }
  });
});

test('the image runs as a numeric user that is not root', () => {
  const user = dockerfile.match(/^USER (.+)$/m)?.[1];
  expect(user).toMatch(numericUser);
});

test('the image is built from every app and package but packages/local', () => {
  const folders = ['apps', 'packages'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  const copied = [...dockerfile.matchAll(/^COPY (\S+)\/package\.json /gm)].map(([, folder]) => folder);
  expect(copied.sort()).toEqual(folders.filter((folder) => folder !== 'packages/local').sort());
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
