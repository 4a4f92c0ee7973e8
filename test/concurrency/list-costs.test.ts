import { historyRoutes } from '@inventory/api/routes/history';
import { inventoryRoutes } from '@inventory/api/routes/inventory';
import { itemRoutes } from '@inventory/api/routes/items';
import { expect, test } from 'vitest';

/** The costs of lists as the api asks for them, without Postgres. */
async function costsOf(query: Record<string, string>): Promise<Record<string, string>> {
  const costs: Record<string, string> = {};
  let path = '';
  const lists = {
    async page({ cost }: { cost: string }) {
      costs[path] = cost;
      return { totalCount: 0, records: '[]' };
    },
  };
  const database = { lists, reads: {} } as never;
  const routes = [
    ...historyRoutes(database),
    ...inventoryRoutes(lists as never, {} as never),
    ...itemRoutes(database),
  ].filter(({ method, paged }) => method === 'GET' && paged !== 'never');
  for (const route of routes) {
    path = route.path;
    const client = { clientId: 'x', scope: new Set([1, 2]) };
    const call = { query: route.query!.parse(query), params: { wid: 1 }, client, wait: {} };
    await route.handle(call as never);
  }
  return costs;
}

const of = (cost: string) => ({
  '/Inventory': cost,
  '/Inventory/:wid': cost,
  '/Inventory/StockLevels': cost,
  '/Inventory/StockLevels/:wid': cost,
  '/Inventory/Transactions': cost,
  '/Item': cost,
  '/Item/All': cost,
});

test.each([{}, { page: '900', pageSize: '250' }])(
  'a list without filters costs a page, with its query as HTTP gives it: %j',
  async (query) => {
    expect(await costsOf(query)).toEqual(of('page'));
  },
);

test('a list filtered by modifiedSince costs its matches', async () => {
  expect(await costsOf({ modifiedSince: '2026-01-01' })).toEqual(of('matches'));
});
