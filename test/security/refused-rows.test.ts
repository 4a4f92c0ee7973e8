import { expect, test } from 'vitest';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receiveOf } from '../harness/stock/operations.ts';

const service = useService();

/** The number of rows in each table that an api or a worker writes to. */
async function rowsOfTables(): Promise<Record<string, number>> {
  const tables = await service.sql<{ name: string }[]>`
    select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'
      and (has_table_privilege('inventory_api', oid, 'insert') or has_any_column_privilege('inventory_api', oid, 'insert')
        or has_table_privilege('inventory_worker', oid, 'insert') or has_any_column_privilege('inventory_worker', oid, 'insert'))
      -- What the worker keeps up with by itself.
      and relname not like 'audit%'`;
  const counts: Record<string, number> = {};
  for (const { name } of tables) counts[name] = (await service.sql`select from ${service.sql(name)}`).length;
  return counts;
}

const evidence = (deviceSeq: number) => ({ deviceID: 's-12', deviceSeq, capturedAt: '2026-01-01T00:00:00Z' });

const clients: [string, Parameters<typeof service.client>[0]][] = [
  ['a client that may only read', { readOnly: true }],
  ['a client without the permissions', { permissions: [11] }],
  ['a client without the warehouse', { warehouses: [2] }],
];

for (const [name, rights] of clients) {
  for (const mode of ['each', 'atomic']) {
    test(`${name} leaves no row in any table, whatever it sends in mode ${mode}`, async () => {
      const client = await service.client(rights);
      const itemID = await service.item();
      const before = await rowsOfTables();
      for (let round = 0; round < 5; round++) {
        const operations = [
          receiveOf(itemID, 1, { key: uniqueName('k'), ...evidence(round) }),
          receiveOf(itemID, -1, { key: uniqueName('k'), ...evidence(100 + round) }),
          { ...receiveOf('nothing', 1, evidence(200 + round)), op: 'issue' },
          { op: 'steal', key: uniqueName('k'), ...evidence(300 + round) },
          { op: 'reverse', transactionNo: 2 ** 52, key: uniqueName('k'), ...evidence(400 + round) },
        ];
        const { body, text } = await client.post('/Inventory/Batch', { mode, operations });
        expect(text).not.toContain('"status":"applied"');
        expect(body.results ?? []).not.toContainEqual(expect.objectContaining({ statusCode: 409 }));
      }
      expect(await rowsOfTables()).toEqual(before);
    });
  }
}
