import type { Page } from '@inventory/paging/page-envelope';
import type { Fragment, Sql } from '../client.ts';

/**
 * A page of a list as it will be read, and what that costs everybody else. The statement and its cost are
 * chosen together, in `lotPage`, `itemPage` and `stockLevelPage`.
 *
 * - `page`: counts and an index lead to the page; as much as its records, wherever it lies and however many
 *   there are.
 * - `matches`: as much as there are records that a filter with an index leaves; `hasFew` looks whether they
 *   are few, for little.
 * - `everything`: all records in scope are read, filtered or sorted.
 */
export type ListReading = { read(sql: Sql): Promise<Page> } & (
  | { cost: 'page' | 'everything' }
  | { cost: 'matches'; hasFew(sql: Sql): Promise<boolean> }
);

// Sorted, counted and made into a page in some milliseconds.
const fewMax = 2000;

/** A limit for a part of what is looked at by {@link leavesFew}: with so many they are not few. */
export const enoughToBeMany = `limit ${fewMax + 1}`;

/** Whether any of these selections, each by an index, has few rows. For a connection `byIndex`. */
export async function leavesFew(sql: Sql, selections: readonly Fragment[]): Promise<boolean> {
  for (const selection of selections) {
    const [found] = await sql<{ count: number }[]>`
      select count(*)
      from (select from (${selection}) as selected ${sql.unsafe(enoughToBeMany)}) as found`;
    if (found!.count <= fewMax) return true;
  }
  return false;
}
