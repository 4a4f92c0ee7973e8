import { changeClient } from '@inventory/db/access/clients';
import { Command } from 'commander';
import { parseName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';

export const clientDisable = new Command('disable')
  .description('Lock a client out: no new tokens, and its tokens stop working within a second')
  .requiredOption('--id <name>', 'its client_id', parseName)
  .addHelpText('after', example('client disable --id scanner-7'))
  .action(async ({ id }: { id: string }) => {
    await withDatabase(async (sql) => {
      const found = await changeClient(sql, id, { disabled: true });
      if (!found) throw new CommandError(`there is no client ${id}`);
      print(`client ${id} is disabled`);
    });
  });
