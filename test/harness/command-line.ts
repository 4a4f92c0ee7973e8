import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '../..');

export type Ended = { code: number | null; stdout: string; stderr: string };

export type RunningCommand = { child: ChildProcess; ended: Promise<Ended> };

/** Starts a command of the command line as a process of its own; it ends with the test. `stdio`: pipes unless told otherwise. */
export function startCommand(
  args: string[],
  databaseUrl: string,
  stdio: StdioOptions = 'pipe',
): RunningCommand {
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, 'apps/admin/src/main.ts'), ...args], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio,
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  // What is fed to a command that has ended is for nobody.
  child.stdin?.on('error', () => {});
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => resolve({ code, ...written }));
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, ended };
}

/** Runs a command of the command line to its end. */
export function runCommand(args: string[], databaseUrl: string): Promise<Ended> {
  return startCommand(args, databaseUrl).ended;
}
