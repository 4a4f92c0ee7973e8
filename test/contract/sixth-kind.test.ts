import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addWarehouse } from '@inventory/db/catalog/warehouses';
import { expect, inject, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { createDocumented } from '../harness/contract/expect-documented.ts';
import { copyRepository } from '../harness/copy-repository.ts';
import { createDatabase } from '../harness/servers/database.ts';
import { addCaller } from '../harness/service/caller.ts';
import { startCommand } from '../harness/service/command-line.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { uniqueName } from '../harness/service/service.ts';

const root = join(import.meta.dirname, '../..');

// Units that are thrown away: decided like an issue, reversed like one, and otherwise a kind of its own.
const scrap = `import { issue } from './issue.ts';
import type { Kind } from './kind.ts';

export type Scrap = { kind: 'scrap'; body: { itemID: string; units: string | number; wid: number; reasonCode: number } };
const named = (name: string) => ({ id: \`Scrap\${name}\` });

export const scrap = {
  ...issue,
  path: 'Scrap',
  isExtension: true,
  body: issue.body.extend({}).meta(named('Request')),
  call: issue.call.extend({}).meta(named('Call')),
  answer: issue.answer.extend({}).meta(named('Answer')),
  dryRun: issue.dryRun.extend({}).meta(named('DryRun')),
  tried: issue.tried.extend({}).meta(named('Tried')),
  fields: { itemID: 1, units: 1, wid: 1, reasonCode: 1 },
  itemID: ({ body }) => body.itemID,
  warehouses: ({ body }) => [body.wid],
  pick: (partNo, { body }) => issue.pick(partNo, { kind: 'issue', body }),
  decide: (batch, { body }) => issue.decide(batch, { kind: 'issue', body }),
} as const satisfies Kind<Scrap>;
`;

// What CONTRIBUTING tells of a new kind: its file, its line in the table, and a migration.
test('a kind is one file: every call, list, history, audit, feed and document knows it', async () => {
  const copy = await copyRepository(join(root, '.local', uniqueName('sixth')));
  const { url: databaseUrl, sql, drop } = await createDatabase();
  const running: Started[] = [];
  onTestFinished(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ exited }) => exited));
    await drop();
    await rm(copy, { recursive: true, force: true });
  });
  await writeFile(join(copy, 'packages/domain/src/kinds/scrap.ts'), scrap);
  const table = join(copy, 'packages/domain/src/kinds/kinds.ts');
  const text = await readFile(table, 'utf8');
  const added = text
    .replace("import { reverse } from './reverse.ts';", "$&\nimport { scrap } from './scrap.ts';")
    .replace('{ receive, move, issue, count, reverse }', '{ receive, move, issue, count, reverse, scrap }');
  expect(added.split('scrap')).toHaveLength(4);
  await writeFile(table, added);
  // The migration.
  await sql`alter table stock_transaction drop constraint stock_transaction_kind_check`;
  await sql`alter table stock_transaction add constraint stock_transaction_kind_check check (
    kind in ('receive', 'move', 'issue', 'count', 'reverse', 'scrap', 'hold', 'release', 'batch'))`;

  await addWarehouse(sql, { wid: 1, name: 'Main' });
  await sql`insert into item (short_id, created_by) values ('A', 'tests')`;
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: inject('redisUrl'),
    QUEUE_PREFIX: uniqueName('sixth'),
    PORT: '0',
  };
  const start = async (part: 'api' | 'worker') => {
    const file = join(copy, `apps/${part}/src/main.ts`);
    running.push(await startProcess(file, asPart(part, env), { quiet: true }));
    return running.at(-1)!;
  };
  const [api] = await Promise.all([start('api'), start('worker')]);
  const origin = `http://127.0.0.1:${api.port}/api/v1`;
  // biome-ignore lint/suspicious/noExplicitAny: the document has its own names.
  const document: any = await (await fetch(`${origin}/openapi.json`)).json();
  const { expectDocumented } = createDocumented(document);
  const secret = await addCaller(sql, 'sixth', 1);
  const tokenAnswer = await fetch(`${origin}/Token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'sixth',
      client_secret: secret,
    }),
  });
  const { access_token: token } = (await tokenAnswer.json()) as { access_token: string };
  // biome-ignore lint/suspicious/noExplicitAny: answers have their own names.
  const call = async (method: 'GET' | 'POST', path: string, sent?: object): Promise<any> => {
    const answer = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(sent && { body: JSON.stringify(sent) }),
    });
    const { status, headers } = answer;
    const text = await answer.text();
    // A busy machine answers 503 now and then.
    if (status === 503) return call(method, path, sent);
    const told = JSON.parse(text);
    expectDocumented(method, path, { status, headers, text, body: told });
    return { status, ...told };
  };
  const get = (path: string) => call('GET', path);
  const post = (path: string, sent: object) => call('POST', path, sent);

  const me = await get('/Me');
  expect(me.operations).toContain('scrap');
  await post('/Inventory/Receive', { itemID: 'A', units: 10, wid: 1, reasonCode: 1 });
  const body = { itemID: 'A', units: 4, wid: 1, reasonCode: 1 };
  const tried = await post('/Inventory/Scrap', { ...body, dryRun: true });
  expect(tried).toMatchObject({ transactionNo: null, skipped: [] });
  const alone = await post('/Inventory/Scrap', body);
  const operations = [{ op: 'scrap', ...body, units: 1 }];
  for (const list of [{ mode: 'each' }, { mode: 'atomic', dryRun: true }, { mode: 'atomic' }]) {
    const { summary } = await post('/Inventory/Batch', { ...list, operations });
    expect(summary).toEqual({ applied: 1, refused: 0, notApplied: 0 });
  }
  expect((await post('/Inventory/Scrap', { ...body, units: 99 })).status).toBe(409);
  await post('/Inventory/Reverse', { transactionNo: alone.transactionNo });

  const history = await get('/Inventory/Transactions?kind=scrap');
  expect(history.value).toHaveLength(3);
  expect(history.value.at(-1)).toMatchObject({ kind: 'scrap', lines: [{ delta: -4 }] });
  const feed = await get(`/Changes?after=${encodeURIComponent(me.cursor)}`);
  expect(feed.value.filter(({ kind }: { kind?: string }) => kind === 'scrap')).toHaveLength(3);
  expect(document.paths['/Inventory/Scrap'].post.operationId).toBe('scrap');
  expect(document.components.schemas.Operation.discriminator.mapping).toHaveProperty('scrap');
  // The audit of the copy adds up the new kind, too.
  const program = join(copy, 'apps/admin/src/main.ts');
  const { stdout } = await startCommand(['audit'], { DATABASE_URL: databaseUrl }, { program }).ended;
  expect(stdout).toContain('all is well');
});
