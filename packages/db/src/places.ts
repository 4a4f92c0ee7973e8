import type { PageQuery } from '@inventory/paging/page-query';

/** Which records of a list, by their places in its default order or in its reverse, counted from 0. */
export type Places = { offset: number; limit: number; backwards: boolean };

/**
 * What a query asks for as places; null when it asks for another order or for some records only. `key` is the column that the
 * default order is by, from the lowest or, as `defaultDirection` says, from the highest.
 */
export function placesOf(
  { page, pageSize, sort, direction, modifiedSince }: PageQuery,
  key: string,
  defaultDirection: 'asc' | 'desc',
): Places | null {
  if (modifiedSince !== undefined || (sort !== undefined && sort !== key)) return null;
  return {
    offset: (page - 1) * pageSize,
    limit: pageSize,
    backwards: sort !== undefined && direction !== defaultDirection,
  };
}
