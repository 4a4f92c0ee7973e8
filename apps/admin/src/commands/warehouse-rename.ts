import { renameWarehouse } from '@inventory/db/operator/rename-warehouse';
import { Command } from 'commander';
import { parseId, parseNewName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';
import { createProgress, rowsText } from '../cli/progress.ts';
import { textOf } from '../cli/table.ts';

export const warehouseRename = new Command('rename')
  .description('Rename a warehouse; its lots count as modified, because they show the name')
  .requiredOption('--id <number>', 'its id (wid)', parseId)
  .requiredOption('--name <name>', 'its new name', parseNewName)
  .addHelpText(
    'after',
    `\nIf it is interrupted, run the same command again.\n${example('warehouse rename --id 2 --name "Overflow hall"')}`,
  )
  .action(async ({ id, name }: { id: number; name: string }) => {
    await withDatabase(async (sql) => {
      const progress = createProgress();
      const report = (done: number) => progress.show(rowsText(done, 'lots'));
      const before = await renameWarehouse(sql, { wid: id, name }, report).finally(progress.end);
      if (before === null) throw new CommandError(`there is no warehouse ${id}`);
      print(`renamed warehouse ${id}: ${textOf(before)} → ${textOf(name)}`);
    });
  });
