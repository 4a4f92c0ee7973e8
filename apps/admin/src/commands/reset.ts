import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inventoryCommand } from '@inventory/process/called-as';
import { Command } from 'commander';
import { localFolder } from '../checkout.ts';
import { CommandError } from '../cli/command-error.ts';
import { confirm } from '../cli/confirm.ts';
import { isDatabaseGiven } from '../cli/database.ts';
import { example, print } from '../cli/print.ts';

export const reset = new Command('reset')
  .description(
    'Remove all that `start` keeps in this folder: items, stock, ledger, clients; then it begins anew',
  )
  .option('--local', 'the data of this folder are meant although DATABASE_URL is given')
  .option('--yes', 'it is meant, where there is no terminal to ask on')
  .addHelpText(
    'after',
    `\nNever touches the database of DATABASE_URL. On a terminal it always asks. Stop the service first.\n${example('reset')}`,
  )
  .action(async ({ local, yes }: { local?: true; yes?: true }) => {
    if (isDatabaseGiven() && !local) {
      throw new CommandError(
        'DATABASE_URL is given, and reset leaves that alone: --local says that the data of this folder are meant',
        2,
      );
    }
    // Loaded only here: the image has no @inventory/local.
    const { LocalStackError, removeStackData } = await import('@inventory/local/stack');
    await confirm(`this removes all data in ${localFolder}, for good`, 'reset', yes ?? false);
    await removeStackData(localFolder).catch((error: unknown) => {
      throw error instanceof LocalStackError ? new CommandError(error.message) : error;
    });
    await rm(join(localFolder, 'demo-client.json'), { force: true });
    print(`removed; \`${inventoryCommand('start')}\` begins anew`);
  });
