import { connect } from '@inventory/db/client';
import { createStatementPool, type StatementPool } from '@inventory/db/statement-pool';

/** The api's connections to Postgres, by who must not stand behind whom. */
export type Database = {
  /** Lists and items; a list may take seconds. */
  reads: StatementPool;
  /** Clients, secrets and signing keys: what every request begins with. */
  authentication: StatementPool;
  /** What a transaction waits for: its key, a lost answer, the verdict. */
  verdicts: StatementPool;
  /** Writes of items. */
  items: StatementPool;
  /** How many pieces of work wait for a connection now. */
  waitingCount(): number;
  end(): Promise<void>;
};

/** The longest that a write of an item takes once it was begun; see `limitMs`. */
export const itemWriteLimitMs = 4000;

/** Opens nothing yet: a connection is made when it is first needed. `readsMax`: connections for `reads`. */
export function openDatabase(databaseUrl: string, readsMax: number): Database {
  const open = (
    name: string,
    statementTimeoutMs: number,
    pool: { connectionsMax: number; overrunMs: number; limitMs: number; waitMs: number },
    byKeys = false,
  ) =>
    createStatementPool({
      ...pool,
      open: () => connect(databaseUrl, { name, connectionsMax: 1, statementTimeoutMs, byKeys }),
    });
  const pools = {
    reads: open('inventory-api', 10_000, {
      connectionsMax: readsMax,
      overrunMs: 2000,
      limitMs: 11_000,
      waitMs: 12_000,
    }),
    // Long beside what they take and what anybody waits for them: a start on a slow machine needs it.
    authentication: open('inventory-authentication', 4000, {
      connectionsMax: 2,
      overrunMs: 400,
      limitMs: 5000,
      waitMs: 1000,
    }),
    verdicts: open(
      'inventory-verdict',
      700,
      { connectionsMax: 4, overrunMs: 300, limitMs: 1000, waitMs: 600 },
      true,
    ),
    // Ended by Postgres well before its caller is answered: nothing is applied after a "not applied".
    items: open('inventory-items', 3000, {
      connectionsMax: 4,
      overrunMs: 1500,
      limitMs: itemWriteLimitMs,
      waitMs: 3000,
    }),
  };
  return {
    ...pools,
    waitingCount: () => Object.values(pools).reduce((sum, pool) => sum + pool.waitingCount(), 0),
    async end() {
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
    },
  };
}
