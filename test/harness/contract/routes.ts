import type { Route } from '@inventory/api/http/route';
import { aliasRoutes } from '@inventory/api/routes/aliases';
import { changeRoutes } from '@inventory/api/routes/changes';
import { historyRoutes } from '@inventory/api/routes/history';
import { inventoryRoutes } from '@inventory/api/routes/inventory';
import { itemRoutes } from '@inventory/api/routes/items';
import { listRoute } from '@inventory/api/routes/list-route';
import { meRoutes } from '@inventory/api/routes/me';
import { scanRoutes } from '@inventory/api/routes/scan';
import { stockAtRoutes } from '@inventory/api/routes/stock-at';
import { webhookRoutes } from '@inventory/api/routes/webhooks';
import { reasons } from '@inventory/db/lists/list-reasons';

/** Every route of the service except the token's, from the tables that the service itself is built from. */
export const routes: readonly Route[] = [
  ...meRoutes(undefined as never),
  ...historyRoutes(undefined as never),
  ...changeRoutes(undefined as never),
  ...webhookRoutes({ reads: undefined as never }),
  ...stockAtRoutes(undefined as never, Date.now),
  ...inventoryRoutes(undefined as never, undefined as never),
  ...itemRoutes(undefined as never),
  ...aliasRoutes(undefined as never),
  listRoute(reasons, undefined as never),
  ...scanRoutes(undefined as never, undefined as never),
];

/** The name of a route in a test's title. */
export function nameOf(declared: Route): string {
  return `${declared.method} ${declared.path}`;
}

export type RouteRequest = { method: string; path: string; body?: Record<string, unknown> };

const stockBody = {
  ...{ units: 1, counted: 1, transactionNo: 999_999_999, reasonCode: 0 },
  ...{ toSpot: 'elsewhere', everywhere: true },
};

/** A request that the route accepts, for this item in this warehouse. */
export function requestOf(
  declared: Route,
  { itemID, wid = 1, partNo = 1 }: { itemID: string; wid?: number; partNo?: number },
): RouteRequest {
  const path = declared.path
    .replace(':wid', String(wid))
    .replace(':transactionNo', '999999999')
    .replace(':recNo', '999999999')
    .replace(':partNo', String(partNo))
    .replace(':alias', encodeURIComponent(`alias of ${itemID}`))
    .replace(':shortID', encodeURIComponent(itemID));
  const queries: Record<string, string> = {
    '/Inventory/StockAt': 'time=2026-01-01&',
    '/Inventory/StockDays': `from=2026-01-01&to=2026-01-31&partNo=${partNo}&`,
    '/Inventory/Transactions': '',
  };
  if (declared.path === '/Inventory/Activity')
    return { method: 'GET', path: `${path}?from=2026-01-01&to=2026-01-31` };
  const query = queries[declared.path];
  if (query !== undefined) return { method: 'GET', path: `${path}?${query}wid=${wid}` };
  if (declared.body === undefined) return { method: declared.method, path };
  const operations = [{ op: 'count', ...stockBody, itemID, wid }];
  const bodies: Record<string, Record<string, unknown>> = {
    '/Item': { shortID: itemID },
    '/Inventory/StockLevels/:wid/:partNo': { minimum: 1 },
    '/Inventory/Hold': { recno: 999_999_999, hold: true },
    '/Inventory/Batch': { mode: 'each', operations },
    '/Scan': { scans: [{ data: itemID }], wid },
  };
  return { method: declared.method, path, body: bodies[declared.path] ?? { ...stockBody, itemID, wid } };
}

/** Sets of permissions that are just enough for a route. */
export function enoughFor({ permission }: Route): number[][] {
  if (typeof permission === 'number') return [[permission]];
  return 'anyOf' in permission ? permission.anyOf.map((each) => [each]) : [[...permission]];
}

/** The largest sets of permissions that are not enough. */
export function tooLittleFor(declared: Route, all: readonly number[]): number[][] {
  const enough = enoughFor(declared);
  const missing = enough.length > 1 ? [enough.flat()] : enough[0]!.map((each) => [each]);
  return missing.map((each) => all.filter((permission) => !each.includes(permission)));
}

type Shaped = { shape?: object; in?: Shaped };

/** The names that a route reads, by where; none where it declares nothing. */
export function fieldsOf(declared: Route, where: 'params' | 'query' | 'body'): string[] {
  // A schema with a transform has the object it reads in `in`.
  const shapeOf = (schema: Shaped | undefined): object =>
    schema?.shape ?? (schema?.in && shapeOf(schema.in)) ?? {};
  return Object.keys(shapeOf(declared[where] as Shaped | undefined));
}

type Sorted = { query: { shape: { sort: { meta(): object | undefined } } } };

/** The columns by which a list can be sorted. */
export function sortColumnsOf({ query }: Sorted): string[] {
  return (query.shape.sort.meta() as { enum: string[] }).enum;
}
