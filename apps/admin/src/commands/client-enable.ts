import { changeClient } from '@inventory/db/access/clients';
import { Command } from 'commander';
import { parseName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';

export const clientEnable = new Command('enable')
  .description('Let a disabled client in again')
  .requiredOption('--id <name>', 'its client_id', parseName)
  .addHelpText('after', example('client enable --id scanner-7'))
  .action(async ({ id }: { id: string }) => {
    await withDatabase(async (sql) => {
      const found = await changeClient(sql, id, { disabled: false });
      if (!found) throw new CommandError(`there is no client ${id}`);
      print(`client ${id} is enabled`);
    });
  });
