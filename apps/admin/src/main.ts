import { takeOverOutlets } from '@inventory/process/outlets';
import { startError } from '@inventory/process/run';
import { CommanderError } from 'commander';
import { CommandError } from './cli/command-error.ts';
import { inventory } from './program.ts';

// The reader of our output is gone (a pipe, a terminal): no reason not to finish in order.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

// Errors that no command handles, and those that libraries print by themselves, become one line as well,
// without a value in it.
takeOverOutlets((error, what, isFatal) => {
  const about = error === undefined ? '' : `: ${startError(error)}`;
  process.stderr.write(`${isFatal ? 'error' : 'warning'}: ${what}${about}\n`);
});

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
