import { countDrift } from '@inventory/db/audit/audit-slice';
import { type LastTransaction, readLastTransactions } from '@inventory/db/status-page/last-transactions';
import {
  readStockByWarehouse,
  type WarehouseStock,
  warehousesMax,
} from '@inventory/db/status-page/stock-by-warehouse';
import { countStoppedWebhooks } from '@inventory/db/webhooks/list-webhooks';
import type { Sql } from '@inventory/postgres/pool';
import type { StatementPool } from '@inventory/postgres/statement-pool';

/** The last figures from Postgres for the page. */
export type StockView = {
  /** ISO 8601; null: not read yet. */
  stockAt: string | null;
  warehouses: readonly WarehouseStock[];
  warehousesMax: number;
  transactions: readonly LastTransaction[];
};

// Summing all levels takes longer the more there are. It may use this part of one Postgres core.
const partOfProcessor = 0.02;
const transactionsEveryMs = 3000;
const stockEveryMs = 10_000;
const transactionsShown = 15;

/**
 * Reads again if the page is open and enough time has passed. Returns whether anything was read. `now`: of
 * `performance.now()`.
 */
export function createStockView(pool: Pick<StatementPool, 'run'>) {
  let view: StockView = { stockAt: null, warehouses: [], warehousesMax, transactions: [] };
  let transactionsDue = 0;
  let stockDue = 0;
  let driftPlaces = 0;
  let stoppedWebhooks = { disabled: 0, paused: 0 };

  const run = <T>(work: (sql: Sql) => Promise<T>) => pool.run(work);

  return {
    view: () => view,
    /** Places where the audit found that stock and ledger disagree. */
    driftPlaces: () => driftPlaces,
    /** Webhooks that stand still, but not because an operator disabled them. */
    stoppedWebhooks: () => stoppedWebhooks,
    async look(now: number): Promise<boolean> {
      let isNew = false;
      if (now >= transactionsDue) {
        transactionsDue = now + transactionsEveryMs;
        driftPlaces = await run(countDrift);
        stoppedWebhooks = await run(countStoppedWebhooks);
        const transactions = await run((sql) => readLastTransactions(sql, transactionsShown));
        view = { ...view, transactions };
        isNew = true;
      }
      if (now >= stockDue) {
        stockDue = now + stockEveryMs;
        const startedAt = performance.now();
        const warehouses = await run(readStockByWarehouse);
        stockDue = now + Math.max(stockEveryMs, (performance.now() - startedAt) / partOfProcessor);
        view = { ...view, warehouses, stockAt: new Date().toISOString() };
        isNew = true;
      }
      return isNew;
    },
  };
}
