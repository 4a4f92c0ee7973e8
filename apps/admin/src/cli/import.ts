import type { Take } from '@inventory/db/operator/import-items';
import { gtin14Of } from '@inventory/domain/scan/check-digits';
import { CommandError } from './command-error.ts';
import { type BadRow, type Columns, type CsvRow, readCsv } from './csv.ts';
import { print, printJson, tell } from './print.ts';

/**
 * The result of importing a file: counts of rows added and so on, and the rows that were rejected.
 * `doubtful`: rows that were taken, and may be wrong.
 */
export type ImportResult = {
  counts: Readonly<Record<string, number>>;
  bad: readonly BadRow[];
  doubtful?: readonly BadRow[];
};

/** The help of every command that reads a file. */
export const importHelp = `
The file is CSV in UTF-8 with a header, separated by commas, semicolons or tabs; - is standard input. Each bad row is reported with its
line and field, and nothing is imported; --skip-bad imports the other rows. Exit code 1 if a row was not imported.
`;

/**
 * The rows of a file to import. `of`: how many it has; `bad`: the faults of the others; `take`: which rows to
 * apply.
 */
export type ReadFile<Row> = { good: Row[]; bad: BadRow[]; of: number; take: Take };

/**
 * Reads the rows of a file. `read` returns a row, or its faults. `key`: the field in which no two rows may be
 * the same, and its value, as it is compared.
 */
export async function readRows<Row extends { line: number }>(
  from: string,
  columns: Columns,
  read: (row: CsvRow) => Row | BadRow[],
  { key: [field, keyOf], skipBad }: { key: readonly [string, (row: Row) => string]; skipBad: boolean },
): Promise<ReadFile<Row>> {
  const { rows, bad } = await readCsv(from, columns);
  const all: Row[] = [];
  for (const row of rows) {
    const found = findNul(row) ?? read(row);
    if (Array.isArray(found)) bad.push(...found);
    else all.push(found);
  }
  const repeats = findRepeats(all, field, keyOf);
  bad.push(...repeats);
  const repeated = new Set(repeats.map(({ line }) => line));
  return {
    good: all.filter(({ line }) => !repeated.has(line)),
    bad,
    of: rows.length + bad.filter(({ field: where }) => where === null).length,
    take: skipBad ? 'good' : bad.length > 0 ? 'none' : 'all',
  };
}

/** The faults of a row with a character that Postgres cannot store; null: it has none. */
function findNul({ line, cells }: CsvRow): BadRow[] | null {
  const fields = [...cells].filter(([, text]) => text.includes('\0')).map(([field]) => field);
  return fields.length === 0
    ? null
    : fields.map((field) => ({ line, field, message: 'must not contain U+0000.' }));
}

/** Prints the result of an import. Fails with CommandError if rows were rejected. */
export function tellImport(
  result: ImportResult,
  { json, skipBad, of }: { json: boolean; skipBad: boolean; of: number },
): void {
  const bad = [...result.bad].sort((one, other) => one.line - other.line);
  for (const row of bad) tell(rowText(row));
  for (const row of result.doubtful ?? []) tell(`warning: ${rowText(row)}`);
  if (json) printJson({ ...result.counts, skipped: bad });
  const badRows = new Set(bad.map(({ line }) => line)).size;
  const counted = Object.entries(result.counts).map(([what, count]) => `${what} ${count}`);
  if (bad.length > 0 && !skipBad) {
    throw new CommandError(
      `${badRows} of ${of} rows are bad: nothing was imported; --skip-bad imports the others`,
    );
  }
  if (!json) print(counted.join(', '));
  if (bad.length > 0) throw new CommandError(`${badRows} of ${of} rows were skipped`);
}

function rowText({ line, field, message }: BadRow): string {
  return field === null ? `line ${line}: ${message}` : `line ${line}, ${field}: ${message}`;
}

/**
 * Reads the cells of a row by parsers for values of options. What a parser refuses becomes a fault in `bad`,
 * and the row must not be used.
 */
export function readCells(row: CsvRow) {
  const { line, cells } = row;
  const bad: BadRow[] = [];
  function read<Value>(field: string, parse: (text: string) => Value): Value {
    try {
      return parse(cells.get(field)!);
    } catch (error) {
      bad.push({ line, field, message: (error as Error).message });
      return undefined as Value;
    }
  }
  return {
    bad,
    read,
    /** The same for a quantity: one that may mean a thousand times as much is a fault. */
    readQuantity<Value>(field: string, parse: (text: string) => Value): Value {
      return read(field, (text) => {
        if (mayBeThousands(row, text)) throw new Error(thousands);
        return parse(text);
      });
    },
  };
}

/** The fault of such a quantity. */
export const thousands =
  'may be a thousand, in a file with semicolons: write it without the point, or with other decimals.';

/** Whether `1.000` may be a thousand: in a file with semicolons, a point often stands there. */
export function mayBeThousands({ isBySemicolon }: CsvRow, text: string): boolean {
  return isBySemicolon && /^[1-9]\d{0,2}(?:\.\d{3})+$/.test(text);
}

/** A long number as a spreadsheet shows and saves it: `4,00638E+12`. */
const shortened = /^\d(?:[.,]\d+)?E\+\d{2,}$/i;

/** The error of a row whose name a spreadsheet took for a number; null: it is a name. */
export function findShortened(name: string, field: string, line: number): BadRow | null {
  if (!shortened.test(name)) return null;
  const message = 'is what a spreadsheet made of a long number: make the column text, and enter it again.';
  return { line, field, message };
}

/**
 * Rows whose name would be a UPC with a 0 before it. A spreadsheet removes that 0, but one in ten numbers of
 * 11 digits looks like this by chance, so they are taken.
 */
export function findWithoutZero<Row extends { line: number }>(
  rows: readonly Row[],
  field: string,
  nameOf: (row: Row) => string,
): BadRow[] {
  const message = 'with a 0 before it, this is a UPC: a spreadsheet may have removed the 0.';
  return rows
    .filter((row) => /^[1-9]\d{10}$/.test(nameOf(row)) && gtin14Of(`0${nameOf(row)}`) !== null)
    .map(({ line }) => ({ line, field, message }));
}

/** Rows whose key is also in an earlier row. */
export function findRepeats<Row extends { line: number }>(
  rows: readonly Row[],
  field: string,
  keyOf: (row: Row) => string,
): BadRow[] {
  const first = new Map<string, number>();
  return rows.flatMap((row) => {
    const key = keyOf(row);
    const line = first.get(key);
    if (line === undefined) {
      first.set(key, row.line);
      return [];
    }
    return [{ line: row.line, field, message: `is already in line ${line}.` }];
  });
}

/** Turns a refusal of the database, which begins with the field, into the message of a row. */
export function asBadRow({ line, message }: { line: number; message: string }): BadRow {
  const [, field = null, text = message] = /^(\w+): (.*)$/.exec(message) ?? [];
  return { line, field, message: text };
}
