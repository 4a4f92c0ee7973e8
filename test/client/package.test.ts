import { execFile, execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { validRange } from 'semver';
import { beforeAll, expect, test } from 'vitest';
import { installClient } from '../harness/client-package.ts';
import { useFolder } from '../harness/folders.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const folder = useFolder();
const bytesMax = 15_000;
let installed: string;
beforeAll(() => {
  installed = installClient(folder);
});

const manifest = () => JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));

test('the package depends on openapi-fetch and nothing else', () => {
  const { dependencies, peerDependencies, scripts } = manifest();
  expect(Object.keys(dependencies)).toEqual(['openapi-fetch']);
  // A range that npm understands, and not one of the workspace.
  expect(validRange(dependencies['openapi-fetch'])).not.toBeNull();
  expect(peerDependencies).toBeUndefined();
  expect(Object.keys(scripts).filter((name) => /install$/.test(name))).toEqual([]);
});

test('a page that has all of it loads less than 15 kB for it', async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: "export * from '@inventory/client';", resolveDir: folder },
    ...{ bundle: true, minify: true, write: false, metafile: true },
    ...{ format: 'esm', platform: 'browser', target: 'es2022', logLevel: 'error' },
  });
  const inputs = Object.keys(metafile.inputs).filter((path) => path.includes('node_modules'));
  const foreign = inputs.filter((path) => !/openapi-fetch|@inventory\/client/.test(path));
  expect(foreign).toEqual([]);
  expect(gzipSync(outputFiles[0]!.contents, { level: 9 }).length).toBeLessThan(bytesMax);
});

const program = `
import {
  fileStorage, indexedDbStorage, InventoryClient, InventoryError, memoryStorage, verifyWebhook,
  type Change, type FullLot, type Lot, type LotsQuery, type MirrorStore, type MoveBody, type Operation,
} from '@inventory/client';

const credentials = { baseUrl: 'http://127.0.0.1:9/api/v1', clientId: 'a', clientSecret: 'b' };
const inventory = new InventoryClient(credentials);
const exact = new InventoryClient({ ...credentials, exact: true });

export async function numbers(spot: string | undefined) {
  const { recNo, lot } = await inventory.receive({ itemID: 'A', units: '5.25', wid: 1, reasonCode: 1, spot });
  const units: number = lot.units;
  const moved = await inventory.move({ itemID: 'A', units: 2, wid: 1, toSpot: 'B' });
  const transactionNo: number = moved.transactionNo;
  const tried = await inventory.move({ itemID: 'A', units: 2, wid: 1, toSpot: 'B', dryRun: true });
  const none: null = tried.transactionNo;
  // @ts-expect-error A receipt has units.
  await inventory.receive({ itemID: 'A', wid: 1, reasonCode: 1 }, { idempotencyKey: 'k' });
  return [recNo, units, transactionNo, none, tried.skipped.length];
}

export async function texts() {
  const { lot } = await exact.receive({ itemID: 'A', units: 5, wid: 1, reasonCode: 1 });
  const units: string = lot.units;
  for await (const { price } of exact.lots({ view: 'full' })) {
    const text: string | null = price;
    if (text !== null) return text;
  }
  return units;
}

export async function lists(signal: AbortSignal) {
  const short: Lot[] = (await inventory.lots({ wid: 1, inStock: true, pageSize: 50 }, { signal }).page(2)).value;
  const full: FullLot[] = [];
  for await (const lot of inventory.lots({ view: 'full', itemID: 'A' })) full.push(lot);
  for await (const change of inventory.changes({ after: 'now' }))
    if (change.type === 'stock') return change.lots.length + short.length + full.length;
  return 0;
}

export async function queue(operations: Operation[]) {
  const waiting = inventory.offlineQueue({ storage: memoryStorage(), deviceID: 's-1' });
  for (const operation of operations) await waiting.push(operation);
  const reasons: (string | undefined)[] = waiting.refused.map(({ error }) => error.reason);
  await inventory.batch({ mode: 'each', operations: [{ op: 'reverse', transactionNo: 4 }] });
  return [reasons, fileStorage('q'), indexedDbStorage];
}

const whole = { itemID: 'A', units: 1, wid: 1, reasonCode: 1 };
export async function misspelt() {
  // @ts-expect-error A receipt cannot be tried.
  await inventory.receive({ ...whole, dryRun: true });
  // @ts-expect-error recno
  await inventory.issue({ itemID: 'A', units: 1, wid: 1, reasonCode: 1, recNo: 4 });
  // @ts-expect-error recno
  await inventory.issue({ itemID: 'A', units: 1, wid: 1, reasonCode: 1, recNo: 4, dryRun: true });
  // @ts-expect-error toSpot
  await inventory.move({ itemID: 'A', units: 1, wid: 1, spot: 'B' });
  // @ts-expect-error units
  await inventory.count({ itemID: 'A', counted: 1, wid: 1, unit: 1 });
  // @ts-expect-error transactionNo
  await inventory.reverse({ transactionNo: 4, transaction: 4 });
  // @ts-expect-error inStock
  inventory.lots({ instock: true });
  // @ts-expect-error wid
  inventory.lots({ view: 'full', wID: 1 });
  // @ts-expect-error itemID
  inventory.stockLevels({ itemId: 'A' });
  // @ts-expect-error all
  inventory.items({ ALL: true });
  // @ts-expect-error itemID
  inventory.transactions({ itemId: 'A' });
  // @ts-expect-error after
  inventory.changes({ cursor: 'x' });
  // @ts-expect-error shortID is a text.
  await inventory.createItem({ shortID: 5 });
  // @ts-expect-error description
  await inventory.createItem({ shortID: 'A', descripton: 'x' });
  // @ts-expect-error description
  await inventory.updateItem({ shortID: 'A', descripton: 'x' });
  // @ts-expect-error data
  await inventory.scan({ scans: [{ date: 'x' }] });
  // @ts-expect-error An issue has no toSpot.
  await inventory.batch({ mode: 'each', operations: [{ op: 'issue', ...whole, toSpot: 'B' }] });
  // @ts-expect-error An issue has no toSpot.
  await inventory.batch({ mode: 'each', dryRun: true, operations: [{ op: 'issue', ...whole, toSpot: 'B' }] });
  const waiting = inventory.offlineQueue({ storage: memoryStorage(), deviceID: 's-1' });
  // @ts-expect-error An issue has no toSpot.
  await waiting.push({ op: 'issue', ...whole, toSpot: 'B' });
  // @ts-expect-error idempotencyKey
  await inventory.receive(whole, { key: 'x' });
  // @ts-expect-error clientSecret
  new InventoryClient({ baseUrl: 'x', clientId: 'y' });
}

// What has its type already need not be written out.
export async function given(body: MoveBody, query: LotsQuery, flag: boolean) {
  const moved = await inventory.move(body);
  const listed = await inventory.lots(query).page();
  const either = await inventory.issue({ ...whole, dryRun: flag });
  return [moved.transactionNo, listed.value.length, either.transactionNo];
}

export const store: MirrorStore = { position: () => null, clear() {}, upsert() {} };
export const change: Change | undefined = undefined;
export const message = () => verifyWebhook('whsec_', new Headers(), '{}').then(({ data }) => data.nextCursor);

const error: unknown = await inventory.me({ signal: AbortSignal.abort() }).catch((each: unknown) => each);
if (!(error instanceof InventoryError) || error.outcome !== 'notApplied') throw error;
`;

const compilers = {
  '5.9': join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc'),
  '7': join(root, 'node_modules/.bin/tsc'),
};
test.each(Object.entries(compilers))(
  'it type-checks in an empty project with TypeScript %s',
  async (version, tsc) => {
    const { stdout: told } = await run(tsc, ['--version']);
    expect(told).toContain(`Version ${version}`);
    writeFileSync(join(folder, 'main.ts'), program);
    for (const module of ['nodenext', 'esnext']) {
      const compilerOptions = {
        ...{
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          skipLibCheck: false,
        },
        ...{ module, moduleResolution: module === 'esnext' ? 'bundler' : module },
        ...{ target: 'es2022', types: [], outDir: 'out', rootDir: '.' },
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
      const said = await run(tsc, ['-p', folder]).then(
        () => '',
        ({ stdout }) => stdout,
      );
      expect(said, module).toBe('');
    }
    // The compiled program runs.
    cpSync(join(folder, 'out/main.js'), join(folder, 'main.mjs'));
    execFileSync(process.execPath, [join(folder, 'main.mjs')]);
  },
);

test('publint and arethetypeswrong find nothing', async () => {
  const bin = join(root, 'test/node_modules/.bin');
  const { stdout } = await run(join(bin, 'publint'), ['--strict', installed, '--pack', 'false']);
  expect(stdout).toContain('All good!');
  const { filename } = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts'], { cwd: installed, encoding: 'utf8' }),
  )[0];
  const attw = ['--format', 'ascii', '--no-color', '--no-emoji', '--profile', 'esm-only'];
  await run(join(bin, 'attw'), [...attw, join(installed, filename)]);
});
