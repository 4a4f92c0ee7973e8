import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inventoryCommand } from '@inventory/domain/operating/called-as';
import { Command } from 'commander';
import { localFolder } from '../checkout.ts';
import { CommandError } from '../cli/command-error.ts';
import { confirm } from '../cli/confirm.ts';
import { isDatabaseGiven } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';

export const reset = new Command('reset')
  .description('Delete the data that `start` keeps in this folder: items, stock, ledger, clients')
  .option('--local', 'delete the data of this folder although DATABASE_URL is set')
  .option('--yes', 'confirm it without a terminal')
  .addHelpText(
    'after',
    `\nNever touches the database of DATABASE_URL. On a terminal it always asks. Stop the service first.\n${example('reset')}`,
  )
  .action(async ({ local, yes }: { local?: true; yes?: true }) => {
    if (isDatabaseGiven() && !local) {
      throw new CommandError(
        'the database was given by DATABASE_URL, and reset never touches that one; --local deletes the data of this folder',
        2,
      );
    }
    // Loaded only here, because the image does not contain @inventory/local.
    const { LocalStackError, removeStackData } = await import('@inventory/local/stack');
    await confirm(`this deletes all data in ${localFolder}, for good`, 'reset', yes ?? false);
    await removeStackData(localFolder).catch((error: unknown) => {
      throw error instanceof LocalStackError ? new CommandError(error.message) : error;
    });
    await rm(join(localFolder, 'demo-client.json'), { force: true });
    print(`deleted; \`${inventoryCommand('start')}\` starts from scratch`);
  });
