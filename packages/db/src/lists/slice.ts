import type { PageQuery } from '@inventory/paging/page-query';

/** Which records of a list, by their places in its default order or in its reverse, counted from 0. */
export type Slice = { offset: number; limit: number; backwards: boolean };

/**
 * What a query asks for as places; null when it asks for another order or for some records only. `key` is the
 * column that the default order is by, from the lowest or, as `defaultDirection` says, from the highest.
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
 * The expressions `first` and `last`: the places of a page in the list's own order, the first on it, the last
 * not. Of `total` records, so many `skipped` and `size` wanted.
 */
export function sliceText({ backwards }: Pick<Slice, 'backwards'>): string {
  return backwards
    ? 'greatest(total - skipped - size, 0) as first, total - skipped as last'
    : 'skipped as first, skipped + size as last';
}
