import { execFile } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readBlocksOf } from '../examples/documents.ts';
import { useFolder } from '../harness/folders.ts';
import { useService } from '../harness/service/service.ts';

const run = promisify(execFile);
const service = useService();
const folder = useFolder();
const root = join(import.meta.dirname, '../..');

const program = `
import { InventoryClient, InventoryError, type Lot } from '@inventory/client';
const inventory = new InventoryClient({ baseUrl: process.argv[2]!, clientId: 'nobody', clientSecret: 'wrong' });
const lots: Lot[] = [];
// @ts-expect-error inStock
inventory.lots({ instock: true });
const error: unknown = await inventory.me().catch((each: unknown) => each);
if (!(error instanceof InventoryError) || error.code !== 'invalid_client' || lots.length > 0) throw error;
declare const process: { argv: string[] };
`;

test('npm installs the client from the service itself, and it type-checks and runs', async () => {
  const url = `${service.baseUrl}/client.tgz`;
  // Its only dependency comes from this machine: there is no registry.
  const ofClient = createRequire(join(root, 'packages/client/package.json'));
  const fetchFolder = realpathSync(dirname(ofClient.resolve('openapi-fetch/package.json')));
  const dependencies = { 'openapi-fetch': `file:${fetchFolder}` };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', dependencies }));
  // As the pages say, with another address.
  const said = ['docs/client.md', 'packages/client/README.md'].map(
    (page) => readBlocksOf(page).find(({ language }) => language === 'sh')!.text,
  );
  const words = said.map((text) =>
    text
      .trim()
      .replace(/https?:\S+(?=\/client\.tgz)/, service.baseUrl)
      .split(' '),
  );
  expect(words).toEqual(Array.from({ length: 2 }, () => ['npm', 'install', url]));
  const npm = [...words[0]!.slice(1), '--no-audit', '--no-fund', '--registry=http://127.0.0.1:9'];
  await run('npm', [...npm, `--cache=${join(folder, 'cache')}`], { cwd: folder });
  writeFileSync(join(folder, 'main.ts'), program);
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2022',
    types: [],
    outDir: 'out',
    rootDir: '.',
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
  await run(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder });
  await run(process.execPath, ['out/main.js', service.baseUrl], { cwd: folder });
});

test('the package needs no token, is the same for everybody, and comes once to those who keep it', async () => {
  const url = `${service.baseUrl}/client.tgz`;
  const [one, other] = await Promise.all([fetch(url), fetch(url)]);
  expect([one.status, one.headers.get('Content-Type')]).toEqual([200, 'application/gzip']);
  expect(one.headers.get('Content-Encoding')).toBeNull();
  const bytes = Buffer.from(await one.arrayBuffer());
  expect(bytes.equals(Buffer.from(await other.arrayBuffer()))).toBe(true);
  expect(bytes.length).toBeLessThan(300_000);
  const tag = one.headers.get('ETag')!;
  expect((await fetch(url, { headers: { 'If-None-Match': tag, 'Cache-Control': 'max-age=0' } })).status).toBe(
    304,
  );
  const head = await fetch(url, { method: 'HEAD' });
  expect([head.status, head.headers.get('Content-Length')]).toEqual([200, String(bytes.length)]);
  const post = await fetch(url, { method: 'POST' });
  expect([post.status, post.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
});
