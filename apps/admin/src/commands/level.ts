import { type GivenMinimum, importMinimums } from '@inventory/db/operator/import-minimums';
import { listLevels } from '@inventory/db/operator/list-levels';
import { listLowLevels } from '@inventory/db/operator/list-low-levels';
import { setOrderQuantities } from '@inventory/db/operator/order-quantities';
import { Command } from 'commander';
import { parseId, parseLimit, parseQuantityText } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import type { BadRow, CsvRow } from '../cli/csv.ts';
import { withDatabase } from '../cli/database.ts';
import { explainUnknownWarehouse } from '../cli/explain-refusal.ts';
import { findShortened, importCommand, readCells } from '../cli/import.ts';
import { example, print, printJson } from '../cli/print.ts';
import { printTable } from '../cli/table.ts';

type ListOptions = { item?: string; low?: true; warehouse?: number; limit: number; json?: true };

export const levelList = new Command('list')
  .description(
    'Show the stock level of an item in each warehouse, or the levels that are below their minimum',
  )
  .option('--item <shortID>', 'the item')
  .option('--low', 'those of all items that are below their minimum')
  .option('--warehouse <number>', 'with --low: only those in this warehouse', parseId)
  .option('--limit <number>', 'with --low: show at most this many', parseLimit, 50)
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('level list --item WIDGET-100', 'level list --low --warehouse 1'))
  .action(async ({ item, low, ...options }: ListOptions) => {
    if (item !== undefined && low) throw new CommandError('give either --item or --low', 2);
    if (item !== undefined) return listItem(item, options);
    if (low) return listLow(options);
    throw new CommandError('give --item, or --low for all items that are below their minimum', 2);
  });

async function listItem(item: string, { json }: { json?: true }): Promise<void> {
  await withDatabase(async (sql) => {
    const levels = await listLevels(sql, item);
    if (levels === null) throw new CommandError(`there is no item ${item}`);
    if (json) return printJson(levels);
    const head = [
      ...['id', 'warehouse', 'in stock', 'on hold', 'on order', 'committed', 'packed', 'announced'],
      ...['available', 'minimum', 'modified'],
    ];
    const rows = levels.map((each) => [
      ...[each.wid, each.warehouse, each.inStock, each.onHold, each.onOrder, each.committed, each.packed],
      ...[each.aSN, each.available, each.minimum, each.modified],
    ]);
    printTable(head, rows);
  });
}

async function listLow({ warehouse, limit, json }: Omit<ListOptions, 'item' | 'low'>): Promise<void> {
  await withDatabase(async (sql) => {
    const levels = await listLowLevels(sql, { wid: warehouse ?? null, limit });
    if (json) return printJson(levels);
    const rows = levels.map((each) => [
      ...[each.wid, each.warehouse, each.shortID, each.description, each.available, each.minimum],
      each.onOrder,
    ]);
    printTable(['id', 'warehouse', 'item', 'description', 'available', 'minimum', 'on order'], rows);
    if (levels.length === limit) print('there may be more: raise --limit');
  });
}

type SetOptions = {
  item: string;
  warehouse: number;
  onOrder?: string;
  committed?: string;
  packed?: string;
  asn?: string;
  minimum?: string | null;
};

/** A minimum; null for `none`. */
const parseMinimum = (text: string): string | null => (text === 'none' ? null : parseQuantityText(text));

export const levelSet = new Command('set')
  .description('Set order quantities or the minimum of an item in a warehouse; the others stay unchanged')
  .requiredOption('--item <shortID>', 'the item')
  .requiredOption('--warehouse <number>', 'id of the warehouse', parseId)
  .option('--on-order <quantity>', 'ordered and not yet received', parseQuantityText)
  .option('--committed <quantity>', 'promised to orders', parseQuantityText)
  .option('--packed <quantity>', 'packed and not yet shipped', parseQuantityText)
  .option('--asn <quantity>', 'announced by suppliers', parseQuantityText)
  .option('--minimum <quantity>', 'the units that should be available, or none', parseMinimum)
  .addHelpText('after', example('level set --item WIDGET-100 --warehouse 1 --on-order 250'))
  .action(async ({ item, warehouse, ...quantities }: SetOptions) => {
    if (Object.keys(quantities).length === 0) throw new CommandError('no quantity was given', 2);
    await withDatabase(async (sql) => {
      const outcome = await setOrderQuantities(sql, { shortId: item, wid: warehouse }, quantities).catch(
        async (error: unknown) => {
          throw await explainUnknownWarehouse(error, sql, [warehouse]);
        },
      );
      if (outcome === 'unknown_item') throw new CommandError(`there is no item ${item}`);
      print(`set the level of item ${item} in warehouse ${warehouse}`);
    });
  });

export const levelImport = importCommand({
  description: 'Set the minimums in a file',
  counts: 'changed, unchanged',
  columnsHelp: `Columns: item, which is a shortID; warehouse, its id; and minimum. An empty minimum, or none, removes it. All rows are checked first; an import that
breaks off later has set some of them, and can be repeated.`,
  examples: ['level import --from <minimums.csv'],
  columns: { item: 'required', warehouse: 'required', minimum: 'required' },
  read: readMinimum,
  key: ['item', ({ shortId, wid }) => `${wid} ${shortId}`],
  what: 'minimums',
  apply: importMinimums,
});

function readMinimum(row: CsvRow): GivenMinimum | BadRow[] {
  const { line, cells } = row;
  const shortId = cells.get('item')!;
  const shortened = findShortened(shortId, 'item', line);
  if (shortened !== null) return [shortened];
  const { bad, read, readQuantity } = readCells(row);
  const wid = read('warehouse', parseId);
  const minimum = cells.get('minimum') === '' ? null : readQuantity('minimum', parseMinimum);
  return bad.length > 0 ? bad : { line, shortId, wid, minimum };
}
