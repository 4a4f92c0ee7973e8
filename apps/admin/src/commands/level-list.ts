import { listLevels } from '@inventory/db/operator/list-levels';
import { Command } from 'commander';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';
import { tableLines } from '../cli/table.ts';

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
      for (const line of tableLines(head, rows)) print(line);
    });
  });
