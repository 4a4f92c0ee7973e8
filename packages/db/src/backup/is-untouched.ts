import type { Sql } from '@inventory/postgres/pool';

/** Whether no warehouse was ever added, which means that the database is not in use yet. */
export async function hasNoWarehouse(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ none: boolean }[]>`select not exists (select from warehouse) as none`;
  return row!.none;
}

/**
 * Whether the database contains the client and otherwise only clients, items and warehouses from these lists,
 * and no stock transaction.
 */
export async function holdsNothingBut(
  sql: Sql,
  given: {
    clientId: string;
    otherClientIds: readonly string[];
    shortIds: readonly string[];
    wids: readonly number[];
  },
): Promise<boolean> {
  const clientIds = [given.clientId, ...given.otherClientIds];
  const [row] = await sql<{ nothing: boolean }[]>`
    select exists (select from client where client_id = ${given.clientId})
      and not exists (select from client where client_id <> all(${clientIds}::text[]))
      and not exists (select from item where short_id <> all(${given.shortIds as string[]}::text[]))
      and not exists (select from warehouse where wid <> all(${given.wids as number[]}::integer[]))
      and not exists (select from stock_transaction) as nothing`;
  return row!.nothing;
}

/** Whether there are more than this many stock transactions. */
export async function hasOtherTransactions(sql: Sql, known: number): Promise<boolean> {
  const rows = await sql`select from stock_transaction limit ${known + 1}`;
  return rows.length > known;
}
