import { takeOverOutlets } from '@inventory/process/outlets';
import { startError } from '@inventory/process/run';
import { runProgram } from './program.ts';

// The reader of our output is gone (a pipe, a terminal): no reason not to finish in order.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

// Errors that no command handles, and those that libraries print by themselves, become one line as well,
// without a value in it.
takeOverOutlets((error, what, isFatal) => {
  const about = error === undefined ? '' : `: ${startError(error)}`;
  process.stderr.write(`${isFatal ? 'error' : 'warning'}: ${what}${about}\n`);
});

process.exitCode = await runProgram(process.argv.slice(2));
