import type { Page } from '@inventory/paging/page';
import type { Fragment, Sql } from '../pool.ts';

/**
 * A page of a list as it will be read, and what that costs everybody else. The statement and its cost are
 * chosen together, in `lotPage`, `itemPage` and `stockLevelPage`.
 *
 * - `page`: counts and an index lead to the page; as much as its records, wherever it lies and however many
 *   there are.
 * - `matches`: as much as there are records in scope that a filter with an index leaves; `findFew` looks, for
 *   little, whether they are few, and how the page is then read from those. It counts in scope alone, by an
 *   index that begins with both: whether a list waits for its turn must tell nothing of other warehouses.
 * - `everything`: all records in scope are read, filtered or sorted.
 */
export type ListReading = { read(sql: Sql): Promise<Page> } & (
  | { cost: 'page' | 'everything' }
  | { cost: 'matches'; findFew(sql: Sql): Promise<ReadPage | null> }
);

type ReadPage = (sql: Sql) => Promise<Page>;

// Sorted, counted and made into a page in some milliseconds.
const fewMax = 2000;

/** A limit for a part of what is looked at by {@link firstOfFew}: with so many they are not few. */
export const enoughToBeMany = `limit ${fewMax + 1}`;

// After so long no other look is begun: one by one each would be in time, and all of them together too late.
const lookForMs = 400;

/**
 * The first of these whose selection, by an index, has few rows; null: none has, or that cannot be told in no
 * time. For a connection `byIndex`.
 */
export async function firstOfFew<Look extends { selection: Fragment }>(
  sql: Sql,
  looks: readonly Look[],
): Promise<Look | null> {
  const since = performance.now();
  for (const look of looks) {
    if (performance.now() - since > lookForMs) return null;
    const [found] = await sql<{ count: number }[]>`
      select count(*)
      from (select from (${look.selection}) as selected ${sql.unsafe(enoughToBeMany)}) as found`;
    if (found!.count <= fewMax) return look;
  }
  return null;
}
