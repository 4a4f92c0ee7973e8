import { onTestFinished } from 'vitest';
import { startCommand } from './command-line.ts';

/** The output of `start`: until it was up, and so far. `stop` ends it; it ends with the test anyway. */
type StartedService = { banner: string; printed(): string; stop(): Promise<void> };

/**
 * Runs `start` with these arguments until its banner appears. `env`: in addition to the tests', with a free
 * port and a chosen internal one. Fails with its output when it ends before.
 */
export async function startService(
  args: readonly string[],
  env: Record<string, string>,
): Promise<StartedService> {
  const all = { PORT: '0', INTERNAL_PORT: '', ...env };
  const { child, ended } = startCommand(['start', ...args], all, { stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  // In order, before it is killed: its servers end with it.
  onTestFinished(stop);
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', (text: string) => {
      printed += text;
      if (printed.includes('Ctrl-C')) resolve();
    });
    ended.then(() => reject(new Error(`start ended: ${printed}`)));
  });
  return { banner: printed, printed: () => printed, stop };
}
