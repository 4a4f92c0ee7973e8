import { type GivenItem, importItems } from '@inventory/db/operator/import-items';
import {
  type ItemFields,
  ItemUpdateRequest,
  itemDefaults,
  itemFieldsOf,
} from '@inventory/domain/contract/item';
import { numberOfLiteral, quantityLimit } from '@inventory/domain/quantity';
import { isQuantityText } from '../cli/arguments.ts';
import { type BadRow, type Columns, type CsvRow, readFlag } from '../cli/csv.ts';
import { findShortened, findWithoutZero, importCommand, mayBeThousands, thousands } from '../cli/import.ts';

const columns: Columns = {
  shortID: 'required',
  ...Object.fromEntries(Object.keys(itemDefaults).map((name) => [name, 'optional' as const])),
  partNo: 'ignored',
  created: 'ignored',
  createdBy: 'ignored',
  modified: 'ignored',
};

export const itemImport = importCommand({
  description: 'Add the items in a file, and update those that exist',
  counts: 'added, changed, unchanged',
  columnsHelp: `Columns: shortID, and any of ${Object.keys(itemDefaults).join(', ')}.
A missing column leaves its field unchanged. An empty value is an empty text, or the default of a field that is not text. Columns that
only the service sets (partNo, created, createdBy, modified) are ignored.`,
  examples: ['item import --from <items.csv', 'item import --from <items.csv --skip-bad --json'],
  columns,
  read: readItem,
  key: ['shortID', ({ shortId }) => shortId],
  what: 'items',
  apply: importItems,
  findDoubtful: (rows) => findWithoutZero(rows, 'shortID', ({ shortId }) => shortId),
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

/** A value as in a request. An invalid value stays text, which the schema refuses. */
function readCell(name: string, text: string): unknown {
  if (name === 'shortID') return text;
  const byDefault = itemDefaults[name as keyof ItemFields];
  if (typeof byDefault === 'string') return text;
  if (text === '') return byDefault;
  if (typeof byDefault === 'boolean') return readFlag(text) ?? text;
  if (name !== 'units') return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  // Exact, however many digits it has.
  return isQuantityText(text.replace(/^-/, ''), quantityLimit) ? numberOfLiteral(text) : text;
}
