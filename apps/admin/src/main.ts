import { takeOverOutlets } from '@inventory/process/log/outlets';
import { startError } from '@inventory/process/run';
import { tell } from './cli/print.ts';
import { runProgram } from './program.ts';

let isOutputLost = false;
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // The reader of the output (a pipe, a terminal) is gone. The command still finishes in order.
  if (code === 'EPIPE' || isOutputLost) return;
  // For example, the disk is full. A secret in this output is shown nowhere else.
  isOutputLost = true;
  tell(`error: not all could be written to standard output (${code})`);
  process.exitCode = 1;
});
process.stderr.on('error', () => {});

// Unhandled errors, and output that libraries print themselves, become one line as well, without values.
takeOverOutlets((error, what, isFatal) => {
  const about = error === undefined ? '' : `: ${startError(error)}`;
  tell(`${isFatal ? 'error' : 'warning'}: ${what}${about}`);
});

const exitCode = await runProgram(process.argv.slice(2));
process.exitCode = exitCode === 0 && isOutputLost ? 1 : exitCode;
