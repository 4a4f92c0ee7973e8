import { expect, test } from 'vitest';
import { changedCopy } from '../harness/service/changed-copy.ts';

// The warehouses, which the service has no list of.
const warehouses = `import { one } from '@inventory/domain/examples';
import { Permission } from '@inventory/domain/permission';
import { pageAnswer, pageWith } from '@inventory/paging/page';
import { pageQueryShape } from '@inventory/paging/page-query';
import { textParameter } from '@inventory/paging/parameters';
import { piece } from '@inventory/postgres/piece';
import { z } from 'zod';
import { pagedList } from './paged-list.ts';
import { readPage } from './pages/read-page.ts';
import { pageOf } from './pages/record-bytes.ts';
import { sortColumnsOf } from './pages/sort-columns.ts';
import { recordText } from './record-json.ts';

const columns = { wID: 'wid', name: 'name' };
const Record = z.object({ wID: z.int(), name: z.string() }).meta({ id: 'ListedWarehouse' });

export const warehouses = pagedList({
  path: '/Warehouses',
  isExtension: true,
  permission: Permission.ItemMasterList,
  query: z.object({ ...pageQueryShape(Object.keys(columns)), name: textParameter('Only the one with this name') }),
  answer: pageAnswer(Record, 'WarehousePage'),
  bytes: pageOf(1000),
  words: {
    id: 'listWarehouses',
    summary: 'List the warehouses in scope',
    notes: 'By \`wID\` unless sorted otherwise.',
    answer: one('One warehouse', pageWith({ wID: 1, name: 'Main' })),
  },
  page: ({ query, scope }) => ({
    cost: 'page',
    read: (sql) =>
      readPage(sql, query, {
        table: 'warehouse',
        record: recordText(columns),
        where: piece\`wid = any(\${scope}::integer[]) and \${query.name === undefined ? piece\`true\` : piece\`name = \${query.name}\`}\`,
        modifiedSince: (since) => [piece\`renamed >= \${since}\`],
        sortColumns: sortColumnsOf(columns, { blank: [], nullable: [] }),
        defaultOrder: { by: 'wid', direction: 'asc' },
        tieBreaker: 'wid',
      }),
  }),
});
`;

// The edits that CONTRIBUTING asks for with a new list: its file, and a line among the routes; with a new
// column of a warehouse: its field, its column, and a migration.
test('a list is one file: its route, its pages, its filters and the document follow; a column of a warehouse is two places', async () => {
  const { start, sql, command } = await changedCopy({
    'packages/domain/src/contract/warehouse.ts': (text) =>
      text.replace("describe('Warehouse name'),", "$&\n  city: z.string().describe('City'),"),
    'packages/db/src/catalog/warehouses.ts': (text) =>
      text.replace("name: 'warehouse.name'", "$&, city: 'warehouse.city'"),
    'packages/db/src/lists/list-warehouses.ts': () => warehouses,
    'apps/api/src/routes/routes.ts': (text) =>
      text
        .replace(
          "import { reasons } from '@inventory/db/lists/list-reasons';",
          "$&\nimport { warehouses } from '@inventory/db/lists/list-warehouses';",
        )
        .replace('listRoute(reasons, database),', '$&\n    listRoute(warehouses, database),'),
  });
  // The migration.
  await sql`alter table warehouse add column city text not null default 'Porto'`;
  const { document, get } = await start();

  const first = { wID: 1, name: 'Warehouse 1' };
  const second = { wID: 2, name: 'Warehouse 2' };
  const both = await get('/Warehouses');
  expect(both).toMatchObject({ value: [first, second], totalCount: 2, page: 1, hasMore: false });
  const sorted = await get('/Warehouses?sort=name&direction=DESC&pageSize=1');
  expect(sorted).toMatchObject({ value: [second], totalCount: 2, pageCount: 2, hasMore: true });
  expect((await get('/Warehouses?name=Warehouse%202')).value).toEqual([second]);
  expect((await get('/Warehouses?name=')).value).toEqual([]);
  expect((await get('/Warehouses?modifiedSince=9999-01-01')).value).toEqual([]);
  expect(await get('/Warehouses?page=0')).toMatchObject({ status: 400, error: 'validation_error' });

  const { operationId, parameters } = document.paths['/Warehouses'].get;
  expect(operationId).toBe('listWarehouses');
  const names = (parameters as { name?: string }[]).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['page', 'pageSize', 'sort', 'direction', 'modifiedSince', 'name']),
  );

  const me = await get('/Me');
  expect(me.warehouses).toEqual([first, second].map((warehouse) => ({ ...warehouse, city: 'Porto' })));
  expect((await command('warehouse', 'rename', '--id', '2', '--name', 'Annex')).code).toBe(0);
  const { value } = await get(`/Changes?after=${encodeURIComponent(me.cursor)}`);
  expect(value).toMatchObject([{ type: 'warehouse', wID: 2, name: 'Annex', city: 'Porto' }]);
});
