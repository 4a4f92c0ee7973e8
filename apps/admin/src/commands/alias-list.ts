import { listAliases } from '@inventory/db/operator/manage-aliases';
import { Command } from 'commander';
import { parseLimit } from '../cli/arguments.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print, printJson } from '../cli/print.ts';
import { tableLines, textOf } from '../cli/table.ts';

type Options = { item?: string; after?: string; limit: number; json?: true };

export const aliasList = new Command('list')
  .description('List aliases and their items')
  .option('--item <shortID>', 'those of this item')
  .option('--after <alias>', 'only those after this one')
  .option('--limit <number>', 'show at most this many', parseLimit, 50)
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('alias list --item WIDGET-100'))
  .action(async ({ item, after, limit, json }: Options) => {
    await withDatabase(async (sql) => {
      const aliases = await listAliases(sql, { shortId: item ?? null, after: after ?? null, limit });
      if (json) return printJson(aliases);
      const rows = aliases.map(({ alias, shortID }) => [alias, shortID]);
      for (const line of tableLines(['alias', 'item'], rows)) print(line);
      if (aliases.length === limit) print(`there may be more: --after ${textOf(aliases.at(-1)!.alias)}`);
    });
  });
