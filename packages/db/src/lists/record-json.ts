import type { Fragment, Sql } from '../pool.ts';

/** The expression of a record's JSON text: text of this package or, when it needs values, a fragment. */
export type RecordExpression = string | Fragment;

/** It as a piece of a statement. */
function recordFragment(sql: Sql, record: RecordExpression): Fragment {
  return typeof record === 'string' ? sql`${sql.unsafe(record)}` : record;
}

/**
 * The expression of the JSON texts, with commas between, of the records whose keys are in `page`. They are
 * made one by one through an index, whatever number of rows the planner expects. `from`: where a record is
 * found, up to the condition that joins it with `page`; `order`: by columns of `page`.
 */
export function recordsOnPage(
  sql: Sql,
  record: RecordExpression,
  { from, order }: { from: Fragment; order: Fragment },
): Fragment {
  return sql`
    (
      select coalesce(string_agg(record, ',' order by ${order}), '')
      from page
      cross join lateral (
        select ${recordFragment(sql, record)} as record
        from ${from}
        limit 1
      ) as found
    )`;
}

/** A datetime column as answers show it: UTC, milliseconds, `Z`. */
export function dateTimeText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/**
 * Fields of an answer, each with the SQL expression of its value. A record typed by the answer's schema
 * misses none.
 */
export type Columns<Field extends string = string> = Readonly<Record<Field, string>>;

/** The columns as a list of expressions, each named for its field. */
export function columnList(columns: Columns): string {
  return Object.entries(columns)
    .map(([field, expression]) => `${expression} as "${field}"`)
    .join(', ');
}

/**
 * The SQL expression of a record's JSON text. Postgres writes numeric digit for digit, which no JavaScript
 * number can.
 */
export function recordText(columns: Columns): string {
  return `(select row_to_json(record) from (select ${columnList(columns)}) as record)::text`;
}
