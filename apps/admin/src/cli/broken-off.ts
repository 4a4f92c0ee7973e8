import { CommandError } from './command-error.ts';

/**
 * Runs work that Ctrl-C or a signal can interrupt. The error is then one line with `outcome`. A second signal
 * ends the process at once.
 */
export async function untilBrokenOff<T>(
  outcome: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const broken = new AbortController();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stop = () => {
    for (const name of signals) process.off(name, stop);
    broken.abort(new CommandError(`interrupted: ${outcome}`));
  };
  for (const name of signals) process.on(name, stop);
  try {
    return await work(broken.signal);
  } finally {
    for (const name of signals) process.off(name, stop);
  }
}
