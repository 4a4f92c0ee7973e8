import { startError } from '@inventory/process/run';
import { Command, CommanderError } from 'commander';
import { CommandError } from './cli/command-error.ts';
import { didYouMean } from './cli/did-you-mean.ts';
import { readEnvFile } from './cli/env-file.ts';
import { example, tell, tellText } from './cli/print.ts';
import { version } from './cli/version.ts';
import { aliasAdd, aliasImport, aliasList, aliasRemove, aliasSet } from './commands/alias.ts';
import { audit } from './commands/audit.ts';
import { backedUp } from './commands/backed-up.ts';
import { backup } from './commands/backup.ts';
import {
  clientDisable,
  clientEnable,
  clientList,
  clientRemove,
  clientSecret,
  clientShow,
} from './commands/client.ts';
import { clientAdd } from './commands/client-add.ts';
import { clientSet } from './commands/client-set.ts';
import { doctor } from './commands/doctor.ts';
import { itemExport, itemList } from './commands/item.ts';
import { itemImport } from './commands/item-import.ts';
import { keyList, keyRotate, keyRotateEnvelopes, keyWithdraw } from './commands/key.ts';
import { levelImport, levelList, levelSet } from './commands/level.ts';
import { listen } from './commands/listen.ts';
import { lotHold, lotList, lotRelease, lotShow } from './commands/lot.ts';
import { maintain } from './commands/maintain.ts';
import { migrateCommand } from './commands/migrate.ts';
import {
  reasonAdd,
  reasonEnforce,
  reasonImport,
  reasonList,
  reasonRemove,
  reasonSet,
} from './commands/reason.ts';
import { reset } from './commands/reset.ts';
import { restore } from './commands/restore.ts';
import { restored } from './commands/restored.ts';
import { secretsCommand } from './commands/secrets.ts';
import { seedCommand } from './commands/seed.ts';
import { start } from './commands/start.ts';
import { status } from './commands/status.ts';
import { transactionList, transactionShow } from './commands/transaction.ts';
import { warehouseAdd, warehouseList, warehouseRename } from './commands/warehouse.ts';
import {
  webhookDisable,
  webhookEnable,
  webhookList,
  webhookRemove,
  webhookReplay,
  webhookShow,
  webhookTest,
} from './commands/webhook.ts';
import { webhookAdd, webhookSecret } from './commands/webhook-add.ts';

/** The whole command line. */
export const inventory = group(
  'inventory',
  "The operator's command line of the inventory management service",
  [
    start,
    reset,
    status,
    doctor,
    migrateCommand,
    secretsCommand,
    seedCommand,
    audit,
    backup,
    backedUp,
    restore,
    restored,
    maintain,
    listen,
    group(
      'warehouse',
      'Add, rename and show warehouses',
      [warehouseAdd, warehouseList, warehouseRename],
      'warehouse add --id 3 --name North',
    ),
    group(
      'client',
      'Add, change and remove clients of the API',
      [clientAdd, clientList, clientShow, clientSet, clientSecret, clientDisable, clientEnable, clientRemove],
      'client disable --id scanner-7',
    ),
    group(
      'webhook',
      'Send the changes of a client to an address',
      [
        ...[webhookAdd, webhookList, webhookShow, webhookSecret, webhookDisable, webhookEnable],
        ...[webhookReplay, webhookTest, webhookRemove],
      ],
      'webhook list',
    ),
    group('item', 'List, import and export items', [itemList, itemImport, itemExport], 'item list'),
    group(
      'alias',
      'Manage other names of items',
      [aliasAdd, aliasSet, aliasList, aliasRemove, aliasImport],
      'alias list --item WIDGET-100',
    ),
    group(
      'reason',
      'Name reason codes, and refuse others',
      [reasonAdd, reasonSet, reasonRemove, reasonList, reasonImport, reasonEnforce],
      'reason list',
    ),
    group(
      'lot',
      'Show lots, hold them and release them',
      [lotShow, lotList, lotHold, lotRelease],
      'lot list --in-stock',
    ),
    group(
      'transaction',
      'Show stock transactions and their outcomes',
      [transactionShow, transactionList],
      'transaction list',
    ),
    group(
      'level',
      'Show stock levels, and set order quantities and minimums',
      [levelList, levelSet, levelImport],
      'level list --item WIDGET-100',
    ),
    group(
      'key',
      'Change the keys that sign tokens and envelopes',
      [keyList, keyRotate, keyWithdraw, keyRotateEnvelopes],
      'key rotate',
    ),
  ],
  'client list',
)
  .version(version, '--version', 'print the version of the service')
  .addHelpText(
    'after',
    `
Commands use DATABASE_URL or, if it is not set, the service that start runs in this folder. Settings can also be in a file .env in
this folder; the environment wins.
Exit code: 0 done; 1 not done, or doctor, status or audit found a problem; 2 the command is wrong.`,
  );

prepare(inventory);
inventory.hook('preAction', readEnvFile);

/** Runs a command and returns its exit code. An error is one line on standard error. */
export async function runProgram(given: readonly string[]): Promise<number> {
  process.exitCode = 0;
  try {
    // Some package managers pass on the `--` that separates their own arguments from ours.
    await inventory.parseAsync(given[0] === '--' ? given.slice(1) : given, { from: 'user' });
    return process.exitCode;
  } catch (error) {
    // Commander has printed its own line.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    tell(`error: ${startError(error)}`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

function group(
  name: string,
  description: string,
  commands: readonly Command[],
  exampleCommand: string,
): Command {
  const parent = new Command(name)
    .description(description)
    .usage('<command>')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText('after', example(exampleCommand))
    .argument('[command]')
    .allowExcessArguments()
    .action((asked?: string) => {
      const names = commands.map((command) => command.name());
      const wrong =
        asked === undefined
          ? 'a command is missing'
          : `there is no command ${asked}${didYouMean(asked, names)}`;
      throw new CommandError(`${wrong}; ${name} has: ${names.join(', ')}`, 2);
    });
  for (const command of commands) parent.addCommand(command);
  return parent;
}

/** Makes Commander throw on wrong arguments, with one line on standard error, for all subcommands. */
function prepare(command: Command): void {
  command.exitOverride().showSuggestionAfterError(false);
  command.configureOutput({ outputError: (text) => tellText(withSuggestion(text, command)) });
  for (const child of command.commands) prepare(child);
}

/** Adds a similar option to Commander's line about an unknown one. */
function withSuggestion(text: string, command: Command): string {
  const asked = /unknown option '(--[^'=]+)/.exec(text)?.[1];
  if (asked === undefined) return text;
  const known = command.options.flatMap(({ long }) => long ?? []);
  return `${text.trimEnd()}${didYouMean(asked, [...known, '--help'])}\n`;
}
