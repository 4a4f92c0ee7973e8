import { CommandError } from './command-error.ts';

/**
 * Does work that can be broken off with Ctrl-C or by a signal; its error then is one line that says
 * `outcome`, what became of it. A second signal ends the process at once.
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
