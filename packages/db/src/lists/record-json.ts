import { type Piece, piece, raw } from '@inventory/postgres/piece';

/**
 * The expression for the JSON texts, joined by commas, of the records whose keys are in `page`. They are made
 * one by one through an index, however many rows the planner expects. `from`: where a record is found,
 * including the condition that joins it with `page`. `order`: by columns of `page`.
 */
export function recordsOnPage(record: Piece, { from, order }: { from: Piece; order: Piece }): Piece {
  return piece`
    (
      select coalesce(string_agg(record, ',' order by ${order}), '')
      from page
      cross join lateral (
        select ${record} as record
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
 * The fields of an answer, each with the SQL expression for its value. Typed by the answer's schema, so that
 * no field is missing.
 */
export type Columns<Field extends string = string> = Readonly<Record<Field, string>>;

/** The columns as a list of expressions, each named after its field. */
export function columnList(columns: Columns): string {
  return Object.entries(columns)
    .map(([field, expression]) => `${expression} as "${field}"`)
    .join(', ');
}

/**
 * The SQL expression for a record's JSON text. Postgres writes numeric digit for digit; a JavaScript number
 * cannot.
 */
export function recordText(columns: Columns): Piece {
  return raw(`(select row_to_json(record) from (select ${columnList(columns)}) as record)::text`);
}
