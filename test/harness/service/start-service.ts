import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { programOf } from '../compiled.ts';

const root = join(import.meta.dirname, '../../..');

/** The output of `start`: until it was up, and so far. `stop` ends it; it ends with the test anyway. */
export type StartedService = { banner: string; printed(): string; stop(): Promise<void> };

/**
 * Runs `start` with these arguments until its banner appears. `env`: in addition to the tests', with a free
 * port and a chosen internal one. Fails with its output when it ends before.
 */
export async function startService(
  args: readonly string[],
  env: Record<string, string>,
): Promise<StartedService> {
  const file = join(root, 'apps/admin/src/main.ts');
  const child = spawn(process.execPath, [...programOf(file), 'start', ...args], {
    cwd: root,
    env: { ...process.env, PORT: '0', INTERNAL_PORT: '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  onTestFinished(stop);
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk;
      if (printed.includes('Ctrl-C')) resolve();
    });
    ended.then(() => reject(new Error(`start ended: ${printed}`)));
  });
  return { banner: printed, printed: () => printed, stop };
}
