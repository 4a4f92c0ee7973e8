import type { Page } from '@inventory/paging/page';
import { type Piece, raw, send } from '@inventory/postgres/piece';
import type { Sql, Tx } from '@inventory/postgres/pool';

/**
 * A way to read a page of a list, and its cost to others. `lotPage`, `itemPage` and `stockLevelPage` choose
 * the statement together with its cost.
 *
 * - `page`: counts and an index lead to the page. The cost depends only on its records, wherever the page is.
 * - `matches`: the cost depends on the records in scope that match a filter with an index. `findFew` finds
 * out
 *   cheaply whether they are few, and how to read the page from them. It counts only in scope, by an index
 *   that begins with both columns: otherwise the waiting time of a list would reveal something about other
 *   warehouses.
 * - `everything`: all records in scope are read, filtered or sorted.
 */
export type ListReading = { read(sql: Sql): Promise<Page> } & (
  | { cost: 'page' | 'everything' }
  | { cost: 'matches'; findFew(sql: Sql): Promise<ReadPage | null> }
);

type ReadPage = (sql: Sql) => Promise<Page>;

// This many rows are sorted, counted and made into a page within milliseconds.
const fewMax = 2000;

// After this time, no further look begins. Otherwise many looks, each within its limit, could take too long
// together.
const lookForMs = 400;

/**
 * Returns the first of these whose selection, read by an index, has at most `rowsMax` rows. Null if there is
 * none, or if that cannot be determined quickly. Needs a connection with `byIndex`.
 */
export async function firstOfFew<Look extends { selection: Piece }>(
  sql: Sql | Tx,
  looks: readonly Look[],
  rowsMax = fewMax,
): Promise<Look | null> {
  const since = performance.now();
  for (const look of looks) {
    if (performance.now() - since > lookForMs) return null;
    const [found] = await send<{ count: number }>(sql)`
      select count(*)
      from (select from (${look.selection}) as selected limit ${raw(String(rowsMax + 1))}) as found`;
    if (found!.count <= rowsMax) return look;
  }
  return null;
}
