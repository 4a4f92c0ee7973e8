import { type GivenItem, importItems } from '@inventory/db/operator/import-items';
import {
  type ItemFields,
  ItemUpdateRequest,
  itemDefaults,
  itemFieldsOf,
} from '@inventory/domain/contract/item';
import { numberOfLiteral, quantityLimit } from '@inventory/domain/quantity';
import { Command } from 'commander';
import { isQuantityText } from '../cli/arguments.ts';
import type { BadRow, Columns, CsvRow } from '../cli/csv.ts';
import { withDatabase } from '../cli/database.ts';
import {
  asBadRow,
  findShortened,
  findWithoutZero,
  importHelp,
  mayBeThousands,
  readRows,
  tellImport,
  thousands,
} from '../cli/import.ts';
import { example } from '../cli/print.ts';
import { createProgress, rowsText } from '../cli/progress.ts';

type Options = { from: string; skipBad?: boolean; json?: boolean };

const columns: Columns = {
  shortID: 'required',
  ...Object.fromEntries(Object.keys(itemDefaults).map((name) => [name, 'optional' as const])),
  partNo: 'ignored',
  created: 'ignored',
  createdBy: 'ignored',
  modified: 'ignored',
};

export const itemImport = new Command('import')
  .description('Add the items in a file, and update those that exist')
  .requiredOption('--from <file>', 'the file')
  .option('--skip-bad', 'import the valid rows, and skip the others')
  .option('--json', 'print one line of JSON: added, changed, unchanged, skipped')
  .addHelpText(
    'after',
    `
Columns: shortID, and any of ${Object.keys(itemDefaults).join(', ')}.
A missing column leaves its field unchanged. An empty value is an empty text, or the default of a field that is not text. Columns that
only the service sets (partNo, created, createdBy, modified) are ignored.
${importHelp}${example('item import --from <items.csv', 'item import --from <items.csv --skip-bad --json')}`,
  )
  .action(async ({ from, skipBad = false, json = false }: Options) => {
    const key = ['shortID', ({ shortId }: GivenItem) => shortId] as const;
    const { good, bad, of, take } = await readRows(from, columns, readItem, { key, skipBad });
    await withDatabase(async (sql) => {
      const progress = createProgress();
      const report = (done: number) => progress.show(rowsText(done, 'items', good.length));
      const done = await importItems(sql, good, { take, report }).finally(progress.end);
      const { refused, ...counts } = done;
      const doubtful = findWithoutZero(good, 'shortID', ({ shortId }) => shortId);
      tellImport({ counts, bad: [...bad, ...refused.map(asBadRow)], doubtful }, { json, skipBad, of });
    });
  });

/** Returns an item, or the faults of the row. */
function readItem(row: CsvRow): GivenItem | BadRow[] {
  const { line, cells } = row;
  const bad = findShortened(cells.get('shortID')!, 'shortID', line);
  if (bad !== null) return [bad];
  if (mayBeThousands(row, cells.get('units') ?? '')) return [{ line, field: 'units', message: thousands }];
  const read = [...cells].filter(([name]) => columns[name] !== 'ignored');
  const asked = Object.fromEntries(read.map(([name, text]) => [name, readCell(name, text)]));
  const parsed = ItemUpdateRequest.safeParse(asked);
  if (!parsed.success) {
    return parsed.error.issues.map(({ path, message }) => ({ line, field: path.join('.'), message }));
  }
  return { line, shortId: parsed.data.shortID, fields: itemFieldsOf(parsed.data) };
}

const words: Record<string, boolean> = {
  true: true,
  yes: true,
  '1': true,
  false: false,
  no: false,
  '0': false,
};

/** A value as in a request. An invalid value stays text, which the schema refuses. */
function readCell(name: string, text: string): unknown {
  if (name === 'shortID') return text;
  const byDefault = itemDefaults[name as keyof ItemFields];
  if (typeof byDefault === 'string') return text;
  if (text === '') return byDefault;
  if (typeof byDefault === 'boolean') return words[text.toLowerCase()] ?? text;
  if (name !== 'units') return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  // Exact, however many digits it has.
  return isQuantityText(text.replace(/^-/, ''), quantityLimit) ? numberOfLiteral(text) : text;
}
