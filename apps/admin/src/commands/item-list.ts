import { type CatalogItem, readCatalog } from '@inventory/db/operator/list-items';
import { Command } from 'commander';
import { parseLimit } from '../cli/arguments.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';
import { tableLines, textOf } from '../cli/table.ts';

type Options = { after?: string; discontinued?: boolean; limit: number; json?: boolean };

export const itemList = new Command('list')
  .description('List items by shortID')
  .option('--after <shortID>', 'only those after this one')
  .option('--discontinued', 'include discontinued items')
  .option('--limit <number>', 'show at most this many', parseLimit, 50)
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('item list --limit 20', 'item list --after WIDGET-100 --discontinued --json'))
  .action(async ({ after = '', discontinued = false, limit, json }: Options) => {
    await withDatabase(async (sql) => {
      const items: CatalogItem[] = [];
      const choice = { after: after === '' ? null : after, discontinuedToo: discontinued, limit };
      for await (const some of readCatalog(sql, choice)) items.push(...some);
      if (json) return printJson(items);
      const rows = items.map((item) => [
        item.shortID,
        item.partNo,
        item.description,
        item.category,
        item.uOM,
        item.discontinued ? 'discontinued' : '',
      ]);
      const head = ['item', 'partNo', 'description', 'category', 'uOM', ''];
      for (const line of tableLines(head, rows)) print(line);
      if (items.length === limit) print(`there may be more: --after ${textOf(items.at(-1)!.shortID)}`);
    });
  });
