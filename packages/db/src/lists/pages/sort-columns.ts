import type { Columns } from '../record-json.ts';

/**
 * The SQL expression by which a list is sorted. With `emptyLast`, nulls come last in both directions; set
 * only where nulls can occur, because no index serves that order backwards.
 */
export type SortColumn = { by: string; emptyLast: boolean };

/** The expression for each sortable field. */
export type SortColumns<Field extends string = string> = Readonly<Record<Field, SortColumn>>;

/**
 * The columns by which a list can be sorted. Blank and null are both empty: they mean the same to a caller.
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

/** Orders by a column, then by a unique one. */
export function orderBy(
  { by, emptyLast }: SortColumn,
  direction: 'asc' | 'desc',
  tieBreaker: string,
): string {
  return `${by} ${direction}${emptyLast ? ' nulls last' : ''}, ${tieBreaker} ${direction}`;
}
