import type { PendingQuery, Row } from 'postgres';
import composed, { type Sql as Piece, raw } from 'sql-template-tag';
import type { Sql, Tx } from './pool.ts';

export { type Piece, raw };

type Value = string | number | boolean | Date | null | readonly (string | number | null)[];
type Values = (Value | Piece)[];

/**
 * A piece of a statement; pieces may contain others. Values become parameters; other text comes from `raw`.
 * The driver's own fragments are promises: a statement of thirty of them takes many times as long to put
 * together.
 */
export function piece(strings: TemplateStringsArray, ...values: Values): Piece {
  return composed(strings, ...values);
}

/**
 * A statement of pieces. Like the driver's own, it is sent when it is awaited or executed. A statement
 * without pieces is the driver's own: its errors name the line of the code that sent it, which they do not
 * here.
 */
export function send<Found extends Row = Row>(sql: Sql | Tx) {
  return (strings: TemplateStringsArray, ...values: Values): PendingQuery<Found[]> => {
    const { text, values: parameters } = piece(strings, ...values);
    // Not in the simple protocol, which the driver would choose for a text without parameters.
    return sql.unsafe<Found[]>(text, parameters as never[], { prepare: true, simple: false } as object);
  };
}
