import { listLevels } from '@inventory/db/operator/list-levels';
import { setOrderQuantities } from '@inventory/db/operator/order-quantities';
import { Command } from 'commander';
import { parseId, parseQuantityText } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { explainUnknownWarehouse } from '../cli/explain-refusal.ts';
import { example, print, printJson } from '../cli/print.ts';
import { printTable } from '../cli/table.ts';

export const levelList = new Command('list')
  .description('Show the stock level of an item in each warehouse')
  .requiredOption('--item <shortID>', 'the item')
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('level list --item WIDGET-100'))
  .action(async ({ item, json }: { item: string; json?: true }) => {
    await withDatabase(async (sql) => {
      const levels = await listLevels(sql, item);
      if (levels === null) throw new CommandError(`there is no item ${item}`);
      if (json) return printJson(levels);
      const head = [
        ...['id', 'warehouse', 'in stock', 'on hold', 'on order', 'committed', 'packed', 'announced'],
        ...['available', 'modified'],
      ];
      const rows = levels.map((each) => [
        ...[each.wid, each.warehouse, each.inStock, each.onHold, each.onOrder, each.committed, each.packed],
        ...[each.aSN, each.available, each.modified],
      ]);
      printTable(head, rows);
    });
  });

type SetOptions = {
  item: string;
  warehouse: number;
  onOrder?: string;
  committed?: string;
  packed?: string;
  asn?: string;
};

export const levelSet = new Command('set')
  .description('Set the order quantities of an item in a warehouse; the others stay unchanged')
  .requiredOption('--item <shortID>', 'the item')
  .requiredOption('--warehouse <number>', 'id of the warehouse', parseId)
  .option('--on-order <quantity>', 'ordered and not yet received', parseQuantityText)
  .option('--committed <quantity>', 'promised to orders', parseQuantityText)
  .option('--packed <quantity>', 'packed and not yet shipped', parseQuantityText)
  .option('--asn <quantity>', 'announced by suppliers', parseQuantityText)
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
