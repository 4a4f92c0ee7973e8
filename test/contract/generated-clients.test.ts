import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypeScript, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useService } from '../harness/service/service.ts';

const service = useService();
const root = join(import.meta.dirname, '../..');
let folder: string;
// biome-ignore lint/suspicious/noExplicitAny: the document has its own names.
let document: any;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clients-'));
  document = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
});
afterAll(() => rm(folder, { recursive: true }));

/**
 * The compiler's output for a folder with one more file, as a caller would write it; empty if it compiles.
 */
async function compile(name: string, text: string): Promise<string> {
  const inside = join(folder, name);
  await writeFile(join(inside, 'caller.ts'), text);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, allowImportingTsExtensions: true, skipLibCheck: false, types: [] },
    ...{ noUncheckedIndexedAccess: true, target: 'es2022', module: 'esnext', moduleResolution: 'bundler' },
    lib: ['es2022', 'dom', 'dom.iterable'],
  };
  await writeFile(join(inside, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  return new Promise((resolve) => {
    execFile(join(root, 'node_modules/.bin/tsc'), ['-p', inside], { cwd: root }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

// A caller's use of the bodies and answers of Move and of a batch.
const calls = `
export function numberOf(answer: Moved): number {
  if (answer.dryRun) {
    const none: null = answer.transactionNo;
    return none ?? answer.skipped.length;
  }
  const n: number = answer.transactionNo;
  // @ts-expect-error A real call skips nothing.
  answer.skipped;
  return n;
}

export function numbersOf(answer: Batched): number[] {
  if (answer.dryRun)
    return answer.results.map(({ body }) => {
      // The answer under a key that was used may be left out.
      if ('leftOut' in body) return 0;
      return 'lots' in body ? body.lots.length : 1;
    });
  return answer.results.flatMap((result) => {
    if (result.status !== 'applied') {
      const message: string = result.error.message;
      return [message.length];
    }
    const n: number = result.body.transactionNo;
    return [n];
  });
}

export const list: BatchBody = {
  mode: 'each',
  sentAt: null,
  operations: [
    { op: 'receive', itemID: 'A', units: 5, wid: 1, reasonCode: 1, spot: null, deviceSeq: 7 },
    { op: 'reverse', transactionNo: 4, key: 'k' },
    // @ts-expect-error An issue has units.
    { op: 'issue', itemID: 'A', wid: 1, reasonCode: 1 },
  ],
};

export function itemOf(operation: BatchBody['operations'][number]): string | number {
  if (operation.op === 'hold') return operation.recno;
  return operation.op === 'reverse' ? operation.transactionNo : operation.itemID;
}

// @ts-expect-error A required field is not null.
export const nobody: MoveBody = { itemID: null, units: 1, wid: 1, toSpot: 'B' };
export const someone: MoveBody = { itemID: 'A', units: 1, wid: 1, toSpot: 'B', recno: null, dryRun: null };
`;

test('openapi-typescript: a number in an answer is not null once it is no dry run, and op tells operations apart', async () => {
  await mkdir(join(folder, 'types'));
  await writeFile(join(folder, 'types/api.ts'), astToString(await openapiTypeScript(document)));
  const said = await compile(
    'types',
    `import type { components, operations } from './api.ts';
type Moved = operations['move']['responses'][200]['content']['application/json'];
type Batched = operations['batch']['responses'][200]['content']['application/json'];
type BatchBody = components['schemas']['BatchRequest'];
type MoveBody = operations['move']['requestBody']['content']['application/json'];
${calls}`,
  );
  expect(said).toBe('');
});

test('hey-api: the same, with functions named after the document', async () => {
  await createClient({
    input: document,
    output: { path: join(folder, 'client'), postProcess: [] },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
    logs: { level: 'silent' },
  });
  const said = await compile(
    'client',
    `import { getTransaction, listLots, move } from './sdk.gen.ts';
import type { BatchRequest, BatchResponses, MoveCall, MoveResponses } from './types.gen.ts';
type Moved = MoveResponses[200];
type Batched = BatchResponses[200];
type BatchBody = BatchRequest;
type MoveBody = MoveCall;
${calls}
export async function call(body: MoveBody): Promise<number | null> {
  const { data } = await move({ body, throwOnError: true });
  const { data: told } = await getTransaction({ path: { transactionNo: 1 }, throwOnError: true });
  const { data: lots } = await listLots({ query: { pageSize: 5 }, throwOnError: true });
  const first: number | undefined = lots.value[0]?.recNo;
  return data.dryRun ? (first ?? null) : data.transactionNo + told.transactionNo;
}
`,
  );
  expect(said).toBe('');
});
