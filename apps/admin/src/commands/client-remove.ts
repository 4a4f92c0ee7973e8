import { removeClient } from '@inventory/db/operator/client-accounts';
import { Command } from 'commander';
import { parseName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';
import { textOf } from '../cli/table.ts';

export const clientRemove = new Command('remove')
  .description(
    'Remove a client for good: its tokens stop working within a second, and its id cannot be used again',
  )
  .requiredOption('--id <name>', 'its client_id', parseName)
  .addHelpText(
    'after',
    `\nThe ledger keeps its transactions. To lock it out for a while, use client disable.\n${example('client remove --id scanner-7')}`,
  )
  .action(async ({ id }: { id: string }) => {
    await withDatabase(async (sql) => {
      if (!(await removeClient(sql, id))) throw new CommandError(`there is no client ${id}`);
      print(`removed client ${textOf(id)}`);
    });
  });
