import { removeAlias } from '@inventory/db/operator/manage-aliases';
import { Command } from 'commander';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';
import { textOf } from '../cli/table.ts';

export const aliasRemove = new Command('remove')
  .description('Remove an alias: the item is no longer found by it')
  .requiredOption('--alias <name>', 'the alias')
  .addHelpText('after', example('alias remove --alias 4006381333931'))
  .action(async ({ alias }: { alias: string }) => {
    await withDatabase(async (sql) => {
      const shortId = await removeAlias(sql, alias);
      if (shortId === null) throw new CommandError(`there is no alias ${alias}`);
      print(`removed alias ${textOf(alias)} of item ${textOf(shortId)}`);
    });
  });
