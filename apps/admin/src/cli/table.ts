import { plain } from './plain-text.ts';
import { print } from './print.ts';

/**
 * The lines of a table: each column is as wide as its widest cell, with two spaces between columns. Numbers
 * are right-aligned.
 */
export function tableLines(head: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const cells = rows.map((row) => row.map(textOf));
  const widths = head.map((title, column) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[column] ?? ''))),
  );
  const isNumber = head.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'),
  );
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) => {
        const room = ' '.repeat(Math.max(0, widths[column]! - widthOf(text)));
        return isNumber[column] ? room + text : text + room;
      })
      .join('  ')
      .trimEnd();
  return [head, ...cells].map(line);
}

/** Prints a table. */
export function printTable(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  for (const line of tableLines(head, rows)) print(line);
}

/** Prints a line for each field. */
export function printFields(fields: Readonly<Record<string, Cell>>): void {
  for (const line of tableLines(['', ''], Object.entries(fields)).slice(1)) print(line);
}

export type Cell = string | number | boolean | Date | null | undefined;

/** A value as one line of a terminal shows it. */
export function textOf(value: Cell): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return plain(String(value));
}

function widthOf(text: string): number {
  return [...text].length;
}
