import { takeOverOutlets } from '@inventory/process/outlets';
import { startError } from '@inventory/process/run';
import { tell } from './cli/print.ts';
import { runProgram } from './program.ts';

let isOutputLost = false;
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // The reader of our output is gone (a pipe, a terminal): no reason not to finish in order.
  if (code === 'EPIPE' || isOutputLost) return;
  // A full disk, say; a secret that was to stand there is shown nowhere else.
  isOutputLost = true;
  tell(`error: not all could be written to standard output (${code})`);
  process.exitCode = 1;
});
process.stderr.on('error', () => {});

// Errors that no command handles, and those that libraries print by themselves, become one line as well,
// without a value in it.
takeOverOutlets((error, what, isFatal) => {
  const about = error === undefined ? '' : `: ${startError(error)}`;
  tell(`${isFatal ? 'error' : 'warning'}: ${what}${about}`);
});

const exitCode = await runProgram(process.argv.slice(2));
process.exitCode = exitCode === 0 && isOutputLost ? 1 : exitCode;
