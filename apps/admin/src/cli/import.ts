import type { Imported, RefusedRow, Take } from '@inventory/db/operator/import-items';
import { gtin14Of } from '@inventory/domain/scan/check-digits';
import type { Sql } from '@inventory/postgres/pool';
import { Command } from 'commander';
import { CommandError } from './command-error.ts';
import { type BadRow, type Columns, type CsvRow, readCsv } from './csv.ts';
import { withDatabase } from './database.ts';
import { example, print, printJson, tell } from './print.ts';
import { createProgress, rowsText } from './progress.ts';

/**
 * The result of importing a file: counts of rows added and so on, and the rows that were rejected. `counts`:
 * null if the output is something else. `doubtful`: rows that were taken, and may be wrong.
 */
type ImportResult = {
  counts: Readonly<Record<string, number>> | null;
  bad: readonly BadRow[];
  doubtful?: readonly BadRow[];
};

/** The help of every command that reads a file. */
export const importHelp = `
The file is CSV in UTF-8 with a header, separated by commas, semicolons or tabs; - is standard input. Each bad row is reported with its
line and field, and nothing is imported; --skip-bad imports the other rows. Exit code 1 if a row was not imported.
`;

/** What a command imports. */
type Importing<Row> = {
  description: string;
  /** The fields of `--json`. */
  counts: string;
  columnsHelp: string;
  examples: readonly string[];
  columns: Columns;
  /** Returns a row, or its faults. */
  read: (row: CsvRow) => Row | BadRow[];
  /** The field in which no two rows may be the same, and its value, as it is compared. */
  key: readonly [field: string, keyOf: (row: Row) => string];
  /** The rows, for the progress. */
  what: string;
  apply: (
    sql: Sql,
    rows: readonly Row[],
    how: { take: Take; report: (done: number) => void },
  ) => Promise<Omit<Imported, 'added'> & Partial<Imported>>;
  findDoubtful?: (rows: readonly Row[]) => BadRow[];
};

/** Makes a command that imports a file. */
export function importCommand<Row extends { line: number }>(importing: Importing<Row>): Command {
  const { description, counts, columnsHelp, examples, what, apply, findDoubtful = () => [] } = importing;
  type Options = { from: string; skipBad?: boolean; json?: boolean };
  return new Command('import')
    .description(description)
    .requiredOption('--from <file>', 'the file')
    .option('--skip-bad', 'import the valid rows, and skip the others')
    .option('--json', `print one line of JSON: ${counts}, skipped`)
    .addHelpText('after', `\n${columnsHelp}\n${importHelp}${example(...examples)}`)
    .action(async ({ from, skipBad = false, json = false }: Options) => {
      const { good, bad, of, take } = await readRows(from, skipBad, importing);
      await withDatabase(async (sql) => {
        const progress = createProgress();
        const report = (done: number) => progress.show(rowsText(done, what, good.length));
        const { refused, ...done } = await apply(sql, good, { take, report }).finally(progress.end);
        const allBad = [...bad, ...refused.map(asBadRow)];
        tellImport({ counts: done, bad: allBad, doubtful: findDoubtful(good) }, { json, skipBad, of });
      });
    });
}

/**
 * The rows of a file to import. `of`: how many it has; `bad`: the faults of the others; `take`: which rows to
 * apply.
 */
type ReadFile<Row> = { good: Row[]; bad: BadRow[]; of: number; take: Take };

/** Reads the rows of a file. */
async function readRows<Row extends { line: number }>(
  from: string,
  skipBad: boolean,
  { columns, read, key: [field, keyOf] }: Importing<Row>,
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
  if (bad.length > 0 && !skipBad) {
    throw new CommandError(
      `${badRows} of ${of} rows are bad: nothing was imported; --skip-bad imports the others`,
    );
  }
  if (!json && result.counts !== null) print(countsText(result.counts));
  if (bad.length > 0) throw new CommandError(`${badRows} of ${of} rows were skipped`);
}

function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');
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
  'may be a thousand, in a file with semicolons or tabs: write it without the point, or with other decimals.';

/** Whether `1.000` may be a thousand: in a file with semicolons or tabs, a point often stands there. */
export function mayBeThousands({ mayHaveThousands }: CsvRow, text: string): boolean {
  return mayHaveThousands && /^[1-9]\d{0,2}(?:\.\d{3})+$/.test(text);
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
 * Rows whose name would be a UPC with zeros before it. A spreadsheet removes these, but one in ten numbers of
 * 9 to 11 digits looks like this by chance, so they are taken.
 */
export function findWithoutZero<Row extends { line: number }>(
  rows: readonly Row[],
  field: string,
  nameOf: (row: Row) => string,
): BadRow[] {
  const isUpc = (name: string) => /^[1-9]\d{8,10}$/.test(name) && gtin14Of(name.padStart(12, '0')) !== null;
  return rows.flatMap((row) => {
    const name = nameOf(row);
    if (!isUpc(name)) return [];
    const zeros = name.length === 11 ? 'a 0' : `${12 - name.length} zeros`;
    const them = name.length === 11 ? 'the 0' : 'them';
    const message = `with ${zeros} before it, this is a UPC: a spreadsheet may have removed ${them}.`;
    return [{ line: row.line, field, message }];
  });
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
function asBadRow({ line, message }: RefusedRow): BadRow {
  const [, field = null, text = message] = /^(\w+): (.*)$/.exec(message) ?? [];
  return { line, field, message: text };
}
