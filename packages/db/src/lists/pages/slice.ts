import type { PageQuery } from '@inventory/paging/page-query';

/** Selects records of a list by their places in its default order or in the reverse, counted from 0. */
export type Slice = { offset: number; limit: number; backwards: boolean };

/**
 * Converts a query to places; null if it asks for another order or a filter. `key`: the column of the default
 * order, ascending or as `defaultDirection` says.
 */
export function sliceOf(
  { page, pageSize, sort, direction, modifiedSince }: PageQuery,
  key: string,
  defaultDirection: 'asc' | 'desc',
): Slice | null {
  if (modifiedSince !== undefined || (sort !== undefined && sort !== key)) return null;
  return {
    offset: (page - 1) * pageSize,
    limit: pageSize,
    backwards: sort !== undefined && direction !== defaultDirection,
  };
}

/**
 * The expressions `first` and `last`: the places of a page in the list's own order, from `first` (inclusive)
 * to `last` (exclusive). `total`: the number of records; `skipped` and `size`: of the page.
 */
export function sliceText({ backwards }: Pick<Slice, 'backwards'>): string {
  return backwards
    ? 'greatest(total - skipped - size, 0) as first, total - skipped as last'
    : 'skipped as first, skipped + size as last';
}
