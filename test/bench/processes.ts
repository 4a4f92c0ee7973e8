import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export type Started = { child: ChildProcess; port: number; stop(): Promise<void> };

/** Starts a TypeScript file of the repository as a process of its own and waits until it logs that it is up. */
export async function startProcess(file: string, env: Record<string, string>): Promise<Started> {
  const child = spawn(
    process.execPath,
    [
      ...(process.env.PROF ? ['--cpu-prof', '--cpu-prof-dir=' + process.env.PROF] : []),
      '--import',
      'tsx',
      join(root, file),
    ],
    {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    let text = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      if (text === 'up') return;
      text += chunk;
      const line = text.split('\n').find((each) => / is up"/.test(each));
      if (line === undefined) return;
      text = 'up';
      resolve(JSON.parse(line).port ?? 0);
    });
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
  });
  return {
    child,
    port,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
