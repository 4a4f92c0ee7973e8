import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import type { Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CommandError } from './command-error.ts';
import { didYouMean } from './did-you-mean.ts';

/**
 * An error of a row. `line`: the line of the file where the row begins; `field`: null if it is about the
 * whole row.
 */
export type BadRow = { line: number; field: string | null; message: string };

export type CsvRow = {
  line: number;
  cells: ReadonlyMap<string, string>;
  /**
   * Whether the values are not separated by commas, as by spreadsheets in countries where a point may stand
   * between thousands.
   */
  mayHaveThousands: boolean;
};

/** The columns of a file. `ignored`: an export writes this column, and an import skips it. */
export type Columns = Readonly<Record<string, 'required' | 'optional' | 'ignored'>>;

// A spreadsheet would take a value that begins like this for a formula; some also accept the full-width
// forms. A quote in front marks it as text. A spreadsheet that separates values by semicolons or tabs cuts
// there and at line ends, even within quotes, and may drop double quotes at which a piece then begins. The
// page does the same (apps/console/page/tables/csv-cell.js).
const formulas = startsOfFormulas('');
const quotedFormulas = startsOfFormulas("'");
// Separators of values or lines in some program, besides those that the writer quotes anyway.
const separators = /[;\t\r\n]/;

const bytesMax = 256_000_000;
const delimiters = [',', ';', '\t'] as const;
// All three in one file, because a file that was assembled from several systems must still be read to its
// end.
const lineEnds = ['\r\n', '\n', '\r'];

/** What a cell says, in the words that people and spreadsheets write; undefined: neither. */
export function readFlag(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (['true', 'yes', '1'].includes(word)) return true;
  return ['false', 'no', '0'].includes(word) ? false : undefined;
}

/**
 * Reads values separated by commas, semicolons or tabs, in UTF-8 with a header; `-` is standard input. A row
 * with too many or too few values is bad. All other values are returned as they are, blanks included, but
 * without the quote that keeps a text from being a formula. Throws CommandError when the file cannot be read.
 */
export async function readCsv(
  path: string,
  columns: Columns,
): Promise<{ header: string[]; rows: CsvRow[]; bad: BadRow[] }> {
  const bytes = await readBytes(path);
  const delimiter = delimiterOf(bytes);
  const records = await parseRecords(bytes, path, delimiter);
  const [first, ...others] = records;
  if (first === undefined) throw new CommandError(`${path} has no header`, 2);
  const header = readHeader(first.record, columns, path);
  const bad: BadRow[] = [];
  const rows: CsvRow[] = [];
  for (const { record, line } of others) {
    if (record.length === header.length) {
      const cells = new Map(header.map((name, index) => [name, withoutQuote(record[index]!)]));
      rows.push({ line, cells, mayHaveThousands: delimiter !== ',' });
    } else {
      const message = `has ${record.length} values, and the header has ${header.length}.`;
      bad.push({ line, field: null, message });
    }
  }
  return { header, rows, bad };
}

/**
 * Turns rows into comma-separated values with a header. What a spreadsheet would take for a formula gets a
 * quote before it, and so does what begins with such a quote: `readCsv` reads both back unchanged.
 */
export async function createCsvWriter(columns: readonly string[]): Promise<Transform> {
  const { stringify } = await import('csv-stringify');
  return stringify({
    header: true,
    columns: [...columns],
    quoted_match: separators,
    cast: {
      boolean: String,
      date: (date) => date.toISOString(),
      string: (text) => text.replaceAll(formulas, "'"),
    },
  });
}

/** Finds `quote` where a formula would begin behind it, and where a piece begins with a blank character. */
function startsOfFormulas(quote: string): RegExp {
  const begins = String.raw`(?<=^|[;\t\r\n])${quote}(?=['"]*[=+\-@\uff1d\uff0b\uff0d\uff20])`;
  const isBlank = String.raw`(?<=^|;)${quote}(?=['"]*[\t\r\n])`;
  return new RegExp(`${begins}|${isBlank}`, 'g');
}

function withoutQuote(text: string): string {
  return text.replaceAll(quotedFormulas, '');
}

async function readBytes(path: string): Promise<Buffer> {
  const refuse = (why: string) => new CommandError(`${path} ${why}`, 2);
  if (path !== '-') {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      throw refuse(`cannot be read (${error.code})`);
    });
    if (found.isDirectory()) throw refuse('is a folder');
    if (found.size > bytesMax) throw refuse(`is larger than ${bytesMax / 1_000_000} MB: split it`);
  }
  const bytes = await (path === '-' ? buffer(process.stdin) : readFile(path)).catch(
    (error: NodeJS.ErrnoException) => {
      throw refuse(`cannot be read (${error.code})`);
    },
  );
  if (bytes.length > bytesMax) throw refuse(`is larger than ${bytesMax / 1_000_000} MB: split it`);
  if (!isUtf8(bytes)) throw refuse('is not in UTF-8: save it as "CSV UTF-8"');
  return bytes;
}

type CsvRecord = { record: string[]; line: number };

type Delimiter = (typeof delimiters)[number];

function delimiterOf(bytes: Buffer): Delimiter {
  const headLine = bytes
    .subarray(0, 10_000)
    .toString('utf8')
    .split(/[\r\n]/)[0]!;
  const countOf = (delimiter: string) => headLine.split(delimiter).length;
  return delimiters.reduce<Delimiter>((best, each) => (countOf(each) > countOf(best) ? each : best), ',');
}

async function parseRecords(bytes: Buffer, path: string, delimiter: Delimiter): Promise<CsvRecord[]> {
  const { CsvError, parse } = await import('csv-parse/sync');
  try {
    const parsed = parse(bytes, {
      bom: true,
      delimiter,
      record_delimiter: lineEnds,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    }) as unknown as { record: string[]; info: { lines: number } }[];
    return parsed.map(({ record, info }) => ({ record, line: info.lines - breaksIn(record) }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { lines } = error as unknown as { lines?: number };
    const what =
      error.code === 'CSV_QUOTE_NOT_CLOSED'
        ? 'a quote is not closed'
        : 'a quote inside a value: put the value in quotes, and double the quote';
    throw new CommandError(`${path}, line ${lines}: ${what}; nothing was imported`, 2);
  }
}

/** The line ends inside values. The parser reports the line on which a row ends. */
function breaksIn(record: readonly string[]): number {
  return record.reduce((sum, value) => sum + (value.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
}

/** The columns with their correct names. Case and surrounding blanks do not matter. */
function readHeader(record: readonly string[], columns: Columns, path: string): string[] {
  const known = Object.keys(columns);
  const header = record.map((title) => {
    const asked = title.trim().toLowerCase();
    const name = known.find((each) => each.toLowerCase() === asked);
    if (name !== undefined) return name;
    throw new CommandError(
      `${path} has a column "${title.trim()}"${didYouMean(title.trim(), known)}; the columns are ${known.join(', ')}`,
      2,
    );
  });
  const twice = header.find((name, index) => header.indexOf(name) !== index);
  if (twice !== undefined) throw new CommandError(`${path} has the column ${twice} twice`, 2);
  const missing = known.filter((name) => columns[name] === 'required' && !header.includes(name));
  if (missing.length > 0) throw new CommandError(`${path} has no column ${missing.join(', ')}`, 2);
  return header;
}
