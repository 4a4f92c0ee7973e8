import { type ChildProcess, spawn } from 'node:child_process';
import { isAbsolute, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export type Started = {
  child: ChildProcess;
  port: number;
  exited: Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts a TypeScript file of the repository as a process of its own and waits until it logs that it is up. `preload`: modules of the
 * repository that it loads first.
 */
export async function startProcess(
  file: string,
  env: Record<string, string>,
  { quiet = false, preload = [] as string[] } = {},
): Promise<Started> {
  const path = isAbsolute(file) ? file : join(root, file);
  const modules = ['tsx', ...preload.map((each) => join(root, each))].flatMap((each) => ['--import', each]);
  const child = spawn(process.execPath, [...modules, path], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', quiet ? 'ignore' : 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    let text: string | null = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      if (text === null) return;
      text += chunk;
      const line = text.split('\n').find((each) => / is up"/.test(each) && each.endsWith('}'));
      if (line === undefined) return;
      text = null;
      resolve(JSON.parse(line).port ?? 0);
    });
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
  });
  return {
    child,
    port,
    exited,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
