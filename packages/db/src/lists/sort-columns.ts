import type { Columns } from './record-json.ts';

/**
 * The SQL expression that a list is sorted by. With `emptyLast` its nulls come last in both directions; only
 * where there can be some, because an index serves no such order backwards.
 */
export type SortColumn = { by: string; emptyLast: boolean };

/** The expression of each field that a list can be sorted by. */
export type SortColumns<Field extends string = string> = Readonly<Record<Field, SortColumn>>;

/**
 * A list's columns as it is sorted by them. Blank and null are both empty: to a caller they mean the same.
 */
export function sortColumnsOf<Field extends string>(
  columns: Columns<Field>,
  { blank, nullable }: { blank: readonly Field[]; nullable: readonly Field[] },
): SortColumns<Field> {
  const sortColumns = Object.entries<string>(columns).map(([field, by]) => {
    if (blank.includes(field as Field)) return [field, { by: `nullif(${by}, '')`, emptyLast: true }];
    return [field, { by, emptyLast: nullable.includes(field as Field) }];
  });
  return Object.fromEntries(sortColumns);
}

/** The order by a column, then by a unique one. */
export function orderBy(
  { by, emptyLast }: SortColumn,
  direction: 'asc' | 'desc',
  tieBreaker: string,
): string {
  return `${by} ${direction}${emptyLast ? ' nulls last' : ''}, ${tieBreaker} ${direction}`;
}
