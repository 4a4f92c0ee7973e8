import { addAlias } from '@inventory/db/catalog/aliases';
import { violatedUnique } from '@inventory/db/postgres/pool';
import { Command } from 'commander';
import { parseAlias } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';

export const aliasAdd = new Command('add')
  .description('Add another name by which an item is found')
  .requiredOption('--alias <name>', 'the other name', parseAlias)
  .requiredOption('--item <shortID>', 'the item')
  .addHelpText('after', example('alias add --alias 4006381333948 --item WIDGET-100'))
  .action(async ({ alias, item }: { alias: string; item: string }) => {
    await withDatabase(async (sql) => {
      const outcome = await addAlias(sql, { alias, shortId: item }).catch((error: unknown) => {
        if (violatedUnique(error) === null) throw error;
        throw new CommandError(`alias ${alias} already exists`);
      });
      if (outcome === 'unknown_item') throw new CommandError(`there is no item ${item}`);
      if (outcome === 'is_short_id') throw new CommandError(`${alias} is the ShortID of an item`);
      print(`added alias ${alias} of item ${item}`);
    });
  });
