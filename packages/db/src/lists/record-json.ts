/** A datetime column as answers show it: UTC, milliseconds, `Z`. */
export function dateTimeText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Fields of an answer, each with the SQL expression of its value. A record typed by the answer's schema misses none. */
export type Columns<Field extends string = string> = Readonly<Record<Field, string>>;

/** The SQL expression of a record's JSON text. Postgres writes numeric digit for digit, which no JavaScript number can. */
export function recordText(columns: Columns): string {
  const list = Object.entries(columns).map(([field, expression]) => `${expression} as "${field}"`);
  return `(select row_to_json(record) from (select ${list.join(', ')}) as record)::text`;
}
