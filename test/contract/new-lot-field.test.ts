import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changedCopy } from '../harness/service/changed-copy.ts';

// The edits that CONTRIBUTING asks for with a new field.
const edits = {
  'packages/domain/src/lot-fields.ts': (text: string) =>
    text.replace(
      'export const lotFields = {',
      `$&
  madeIn: {
    ...{ column: 'made_in', type: 'text', empty: '', view: 'list', isKept: true, since: 2 },
    sent: label.describe('Country of origin'),
    shown: z.string().describe('Country of origin'),
    filter: { says: 'Extension: only lots that were made there', hasIndex: false },
  },`,
    ),
  'packages/db/migrations/9999_made-in.sql': () =>
    `alter table lot add column made_in text collate "C" not null default '';\n`,
};

test('a field of a lot is two places: every receipt, split, list, filter, feed and document has it', async () => {
  expect(Object.keys(edits)).toHaveLength(2);
  const { folder, command, start } = await changedCopy(edits);
  // The compiler names no further place.
  const include = ['apps/*/src', 'packages/*/src', 'packages/libraries/*/src'];
  writeFileSync(join(folder, 'parts.json'), JSON.stringify({ extends: './tsconfig.json', include }));
  const compiled = spawnSync('node_modules/.bin/tsc', ['-p', 'parts.json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(compiled.stdout).toBe('');
  expect((await command('migrate')).code).toBe(0);
  const { document, get, post } = await start();

  const { cursor } = await get('/Me');
  const receipt = { itemID: 'A', units: 10, wid: 1, reasonCode: 1 };
  await post('/Inventory/Receive', receipt);
  const received = await post('/Inventory/Receive', { ...receipt, madeIn: 'PT' });
  expect(received.lot.madeIn).toBe('PT');
  const tooLong = await post('/Inventory/Receive', { ...receipt, madeIn: 'x'.repeat(101) });
  expect([tooLong.status, Object.keys(tooLong.details)]).toEqual([400, ['madeIn']]);
  const { recNo: recno } = received;
  const moved = await post('/Inventory/Move', { ...receipt, units: 4, recno, shipToWid: 2 });
  // A receipt and a part of it in one batch.
  const operations = [
    { op: 'receive', ...receipt, wid: 2, madeIn: 'ES' },
    { op: 'move', ...receipt, wid: 2, units: 11, toSpot: 'B' },
  ];
  const list = await post('/Inventory/Batch', { mode: 'atomic', operations });
  expect(list.summary).toEqual({ applied: 2, refused: 0, notApplied: 0 });

  const madeIn = (lots: { madeIn: string }[]) => lots.map((lot) => lot.madeIn);
  const split = (await get(`/Inventory/Lots/${moved.recNo}`)) as { madeIn: string };
  expect(split).toMatchObject({ madeIn: 'PT', fromRecNo: recno, spot: 'B' });
  expect(madeIn((await get('/Inventory?madeIn=PT')).value)).toEqual(['PT', 'PT']);
  expect(madeIn((await get('/Inventory?madeIn=ES&view=full')).value)).toEqual(['ES', 'ES']);
  expect(madeIn((await get('/Inventory?madeIn=')).value)).toEqual(['']);
  const sorted = await get('/Inventory?sort=madeIn&direction=ASC');
  expect(madeIn(sorted.value)).toEqual(['ES', 'ES', 'PT', 'PT', '']);
  const feed = await get(`/Changes?after=${encodeURIComponent(cursor)}&kinds=stock`);
  expect(feed.value.map(({ lots }: { lots: { madeIn: string }[] }) => madeIn(lots))).toEqual([
    [''],
    ['PT'],
    ['PT', 'PT'],
    ['ES'],
    ['PT', 'ES', 'ES'],
  ]);

  const { ReceiveCall, Lot, FullLot } = document.components.schemas;
  for (const { properties } of [ReceiveCall, Lot, FullLot]) expect(properties).toHaveProperty('madeIn');
  const parameters = document.paths['/Inventory'].get.parameters as { name?: string }[];
  expect(parameters.map(({ name }) => name)).toContain('madeIn');
  const shown = await command('lot', 'show', '--rec-no', `${recno}`, '--json');
  expect(JSON.parse(shown.stdout)).toMatchObject({ madeIn: 'PT' });
  expect((await command('audit')).stdout).toContain('all is well');
});
