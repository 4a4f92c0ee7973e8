import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { types } from '../harness/compiled.ts';
import { concerning, readLockedPackages, readStoredAdvisories, withoutReason } from './advisories.ts';

const root = join(import.meta.dirname, '../..');

function run(command: string, args: string[]): Promise<{ code: number; output: string }> {
  // pnpm may not install anything while tests run.
  const env = { ...process.env, pnpm_config_verify_deps_before_run: 'false' };
  return new Promise((resolve) => {
    execFile(command, args, { cwd: root, env, maxBuffer: 2 ** 26 }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout }),
    );
  });
}

test('no package in the lock file has a known weakness without a reason why it does not affect us', () => {
  const stored = readStoredAdvisories();
  expect(withoutReason(concerning(readLockedPackages(), stored), stored)).toEqual([]);
});

test('every reason is about a package in the lock file', () => {
  const argued = readStoredAdvisories().filter(({ reason }) => reason !== null);
  expect(concerning(readLockedPackages(), argued)).toEqual(argued);
});

test('an advisory concerns the versions in its range, and is settled by a reason', () => {
  const advisory = { package: 'koa', range: '<2.0.0 || >=3.0.0 <3.0.1', id: 'X-1', reason: null };
  const at = (version: string) => concerning([{ name: 'koa', version }], [advisory]);
  expect(at('3.0.0')).toEqual([advisory]);
  expect(at('3.0.1-beta.1')).toEqual([advisory]);
  expect(at('3.0.1')).toEqual([]);
  expect(concerning([{ name: 'koa-x', version: '3.0.0' }], [advisory])).toEqual([]);
  expect(withoutReason([advisory], [{ ...advisory, reason: ' ' }])).toEqual([advisory]);
  expect(withoutReason([advisory], [{ ...advisory, reason: 'never called with it' }])).toEqual([]);
});

test.concurrent.each([
  ['an advisory of the registry without a reason: the audit fails', 200, 1],
  ['a registry that answers no audits: the stored list counts', 405, 0],
])('%s', async (_what, status, code) => {
  const advisory = {
    id: 1,
    url: 'https://example.org/X-1',
    title: 'x',
    severity: 'high',
    vulnerable_versions: '<99',
  };
  const registry = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ koa: [advisory] }));
    });
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  const { port } = registry.address() as AddressInfo;
  const args = ['--import', types, 'test/dependencies/audit.ts', '--registry', `http://127.0.0.1:${port}/`];
  const audit = await run(process.execPath, args);
  registry.close();
  expect(audit.code, audit.output).toBe(code);
  expect(audit.output.includes('koa <99: https://example.org/X-1')).toBe(status === 200);
});

test.concurrent('the bill of materials names every package in the lock file, each with its checksum', async () => {
  const { code, output } = await run('npx', ['-y', 'pnpm@12', '--silent', 'run', 'sbom']);
  expect(code).toBe(0);
  const bill = JSON.parse(output);
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { type: 'application' } } });
  type Component = {
    name: string;
    group?: string;
    version: string;
    externalReferences?: { hashes?: unknown[] }[];
  };
  const components = (bill.components as Component[]).map(({ name, group, version, externalReferences }) => {
    const hasChecksum = externalReferences?.some(({ hashes }) => (hashes?.length ?? 0) > 0) ?? false;
    return [`${group === undefined ? '' : `${group}/`}${name}@${version}`, hasChecksum] as const;
  });
  const named = new Map(components);
  const missing = readLockedPackages().filter(
    ({ name, version }) => named.get(`${name}@${version}`) !== true,
  );
  expect(missing).toEqual([]);
});
