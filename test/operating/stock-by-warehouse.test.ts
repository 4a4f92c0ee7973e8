import { readStockByWarehouse } from '@inventory/db/status-page/stock-by-warehouse';
import { connect } from '@inventory/postgres/pool';
import { expect, onTestFinished, test } from 'vitest';
import { useService } from '../harness/service/service.ts';

const service = useService();

function connectWith(statementTimeoutMs: number) {
  const sql = connect(service.databaseUrl, {
    name: 'inventory-operations',
    connectionsMax: 1,
    statementTimeoutMs,
  });
  onTestFinished(() => sql.end());
  return sql;
}

test('stock by warehouse agrees with lots and levels, and shipped lots count as lots', async () => {
  const client = await service.client();
  const [first, second] = [await service.item(), await service.item()];
  const asked = { wid: 1, reasonCode: 0 };
  for (const [itemID, units] of [
    [first, 0.000001],
    [first, 3],
    [second, 999_999_999],
  ] as const) {
    expect((await client.post('/Inventory/Receive', { ...asked, itemID, units })).status).toBe(201);
  }
  expect((await client.post('/Inventory/Issue', { ...asked, itemID: first, units: 3.000001 })).status).toBe(
    200,
  );
  const read = () => readStockByWarehouse(connectWith(60_000));
  // The set of items is brought up to date a moment later.
  await expect.poll(async () => (await read())[0]?.items).toBe(2);
  expect(await read()).toEqual([
    { wid: 1, name: 'Main', items: 2, lots: 3, units: '999999999', onHold: '0' },
    { wid: 2, name: 'Overflow', items: 0, lots: 0, units: '0', onHold: '0' },
    { wid: 3, name: 'Elsewhere', items: 0, lots: 0, units: '0', onHold: '0' },
  ]);
});

test('levels that take too long to add up are left out, and the counts are there', async () => {
  const holder = connect(service.databaseUrl, { name: 'holder', connectionsMax: 1 });
  onTestFinished(() => holder.end());
  await holder.begin(async (tx) => {
    await tx`lock table stock_level in access exclusive mode`;
    const stock = await readStockByWarehouse(connectWith(500));
    expect(stock.map(({ wid, units, onHold }) => ({ wid, units, onHold }))).toEqual(
      [1, 2, 3].map((wid) => ({ wid, units: null, onHold: null })),
    );
    expect(stock[0]!.lots).toBeGreaterThan(0);
  });
});
