import { takeOverOutlets } from '@inventory/process/outlets';
import { startError } from '@inventory/process/run';
import { Command, CommanderError } from 'commander';
import { CommandError } from './cli/command-error.ts';
import { example } from './cli/print.ts';
import { version } from './cli/version.ts';
import { aliasAdd } from './commands/alias-add.ts';
import { audit } from './commands/audit.ts';
import { clientAdd } from './commands/client-add.ts';
import { clientDisable } from './commands/client-disable.ts';
import { clientEnable } from './commands/client-enable.ts';
import { clientSecret } from './commands/client-secret.ts';
import { clientSet } from './commands/client-set.ts';
import { doctor } from './commands/doctor.ts';
import { keyList } from './commands/key-list.ts';
import { keyRotate } from './commands/key-rotate.ts';
import { keyRotateEnvelopes } from './commands/key-rotate-envelopes.ts';
import { keyWithdraw } from './commands/key-withdraw.ts';
import { levelSet } from './commands/level-set.ts';
import { lotHold } from './commands/lot-hold.ts';
import { lotRelease } from './commands/lot-release.ts';
import { migrateCommand } from './commands/migrate.ts';
import { secretsCommand } from './commands/secrets.ts';
import { seedCommand } from './commands/seed.ts';
import { start } from './commands/start.ts';
import { status } from './commands/status.ts';
import { warehouseAdd } from './commands/warehouse-add.ts';

const inventory = group(
  'inventory',
  "The operator's command line of the inventory management service",
  [
    start,
    status,
    doctor,
    migrateCommand,
    secretsCommand,
    seedCommand,
    audit,
    group('warehouse', 'Warehouses', [warehouseAdd], 'warehouse add --id 3 --name North'),
    group(
      'client',
      'Clients of the API, their secrets and what they may do',
      [clientAdd, clientSet, clientSecret, clientDisable, clientEnable],
      'client disable --id scanner-7',
    ),
    group('alias', 'Other names of items', [aliasAdd], 'alias add --alias 4006381333931 --item WIDGET-100'),
    group('lot', 'Lots', [lotHold, lotRelease], 'lot release --rec-no 17'),
    group('level', 'Stock levels', [levelSet], 'level set --item WIDGET-100 --warehouse 1 --on-order 250'),
    group(
      'key',
      'The keys that sign tokens and envelopes',
      [keyList, keyRotate, keyWithdraw, keyRotateEnvelopes],
      'key rotate',
    ),
  ],
  'client add --id scanner-7 --permissions 11,95 --warehouses 1,2',
)
  .version(version, '--version', 'print the version')
  .addHelpText(
    'after',
    '\nAll but start and secrets work on DATABASE_URL or, without it, on what start runs in this folder.',
  );

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
      const names = commands.map((command) => command.name()).join(', ');
      const wrong = asked === undefined ? 'a command is missing' : `there is no command ${asked}`;
      throw new CommandError(`${wrong}; ${name} has: ${names}`, 2);
    });
  for (const command of commands) parent.addCommand(command);
  return parent;
}

/** Makes what is wrong with the arguments an exception with one line on standard error, all the way down. */
function prepare(command: Command): void {
  command.exitOverride().showSuggestionAfterError(false);
  for (const child of command.commands) prepare(child);
}

// The reader of our output is gone (a pipe, a terminal): no reason not to finish in order.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

// Errors that no command handles, and those that libraries print by themselves, become one line as well,
// without a value in it.
takeOverOutlets((error, what, isFatal) => {
  const about = error === undefined ? '' : `: ${startError(error)}`;
  process.stderr.write(`${isFatal ? 'error' : 'warning'}: ${what}${about}\n`);
});

prepare(inventory);
const given = process.argv.slice(2);
try {
  // Some hand the `--` on that separates their own arguments from ours.
  await inventory.parseAsync(given[0] === '--' ? given.slice(1) : given, { from: 'user' });
} catch (error) {
  process.exitCode = fail(error);
}

function fail(error: unknown): number {
  // Commander has written its own line.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  process.stderr.write(`error: ${startError(error)}\n`);
  return error instanceof CommandError ? error.exitCode : 1;
}
