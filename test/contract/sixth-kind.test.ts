import { expect, test } from 'vitest';
import { changedCopy } from '../harness/service/changed-copy.ts';

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

// The edits that CONTRIBUTING asks for with a new kind: its file, its line in the table, and a migration.
test('a kind is one file: every call, list, history, audit, feed and document knows it', async () => {
  const { sql, command, start } = await changedCopy({
    'packages/domain/src/kinds/scrap.ts': () => scrap,
    'packages/domain/src/kinds/kinds.ts': (text) =>
      text
        .replace("import { reverse } from './reverse.ts';", "$&\nimport { scrap } from './scrap.ts';")
        .replace(
          '{ receive, move, issue, count, reverse, hold }',
          '{ receive, move, issue, count, reverse, hold, scrap }',
        ),
  });
  // The migration.
  await sql`alter table stock_transaction drop constraint stock_transaction_kind_check`;
  await sql`alter table stock_transaction add constraint stock_transaction_kind_check check (
    kind in ('receive', 'move', 'issue', 'count', 'reverse', 'scrap', 'hold', 'release', 'batch'))`;
  const { document, get, post } = await start();

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
  expect((await command('audit')).stdout).toContain('all is well');
});
