import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { runProgram } from '@inventory/admin/program';

/** How a command ended. */
export type Ended = { code: number; stdout: string; stderr: string };

const root = join(import.meta.dirname, '../..');

/**
 * Runs the command line as a process of its own, with this beside the environment of the tests. `imports`:
 * modules loaded before it, by their path in the repository; `input`: what it reads from standard input.
 */
export function runCommand(
  args: readonly string[],
  env: Record<string, string>,
  { imports = [], input = '' }: { imports?: readonly string[]; input?: string } = {},
): Promise<Ended> {
  const preloads = ['tsx', ...imports.map((each) => join(root, each))].flatMap((each) => ['--import', each]);
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...preloads, join(root, 'apps/admin/src/main.ts'), ...args],
      { cwd: root, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin!.on('error', () => {});
    child.stdin!.end(input);
  });
}

/**
 * Runs a command in this process, with this beside its environment: a process of its own takes seconds on a
 * busy machine. One at a time.
 */
export async function runHere(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  const before = { ...process.env };
  const writes = { stdout: process.stdout.write, stderr: process.stderr.write };
  const codeBefore = process.exitCode;
  Object.assign(process.env, env);
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = ((text: string | Uint8Array) => {
      written[name] += text;
      return true;
    }) as typeof process.stdout.write;
  }
  try {
    const code = await runProgram(args);
    return { code, ...written };
  } finally {
    process.stdout.write = writes.stdout;
    process.stderr.write = writes.stderr;
    process.exitCode = codeBefore;
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}
