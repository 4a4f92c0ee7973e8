import { addWarehouse } from '@inventory/db/catalog/warehouses';
import { violatedUnique } from '@inventory/db/postgres/pool';
import { Command } from 'commander';
import { parseId, parseNewName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';

export const warehouseAdd = new Command('add')
  .description('Add a warehouse')
  .requiredOption('--id <number>', 'its id (wid)', parseId)
  .requiredOption('--name <name>', 'its name, as lots show it', parseNewName)
  .addHelpText('after', example('warehouse add --id 3 --name North'))
  .action(async ({ id, name }: { id: number; name: string }) => {
    await withDatabase(async (sql) => {
      await addWarehouse(sql, { wid: id, name }).catch((error: unknown) => {
        if (violatedUnique(error) === null) throw error;
        throw new CommandError(`warehouse ${id} already exists`);
      });
      print(`added warehouse ${id} ${name}`);
    });
  });
