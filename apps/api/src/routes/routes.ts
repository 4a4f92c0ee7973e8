import { reasons } from '@inventory/db/lists/list-reasons';
import type { Changes } from '../changes/changes.ts';
import type { Database } from '../database.ts';
import type { Http } from '../http/http.ts';
import type { Route } from '../http/route.ts';
import type { StockCalls } from '../stock/stock-calls.ts';
import { aliasRoutes } from './aliases.ts';
import { changeRoutes } from './changes.ts';
import { historyRoutes } from './history.ts';
import { inventoryRoutes } from './inventory.ts';
import { itemRoutes } from './items.ts';
import { listRoute } from './list-route.ts';
import { meRoutes } from './me.ts';
import { scanRoutes } from './scan.ts';
import { stockAtRoutes } from './stock-at.ts';
import { webhookRoutes } from './webhooks.ts';

type Neighbours = {
  database: Database;
  http: Http;
  stock: StockCalls;
  changes: Changes;
  /** The clock of Postgres, in milliseconds since 1970. */
  now: () => number;
};

/** All routes for callers with a token. */
export function createRoutes(
  config: { RATE_LIMIT: number; OPERATION_LIMIT: number },
  { database, http: { standing, rateLimiter }, stock, changes: { feed, rights }, now }: Neighbours,
): readonly Route[] {
  const { reads, lists } = database;
  const routes: Route[] = [
    ...meRoutes({
      ...{ reads, feed, now },
      rateLimit: config.RATE_LIMIT,
      operationLimit: config.OPERATION_LIMIT,
      routes: () => routes,
    }),
    ...historyRoutes(database),
    ...changeRoutes({ feed, reads, standing, rights, rateLimiter, rateLimit: config.RATE_LIMIT }),
    ...webhookRoutes({ reads }),
    ...stockAtRoutes(database, now),
    ...inventoryRoutes(database, stock),
    ...itemRoutes(database),
    ...aliasRoutes(database),
    listRoute(reasons, database),
    ...scanRoutes(lists, now),
  ];
  return routes;
}
