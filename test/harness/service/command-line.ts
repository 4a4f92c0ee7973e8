import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { join } from 'node:path';
import { runProgram } from '@inventory/admin/program';
import { onTestFinished } from 'vitest';
import { programOf } from '../compiled.ts';

const root = join(import.meta.dirname, '../../..');

/** The end of a command; null when a signal ended it. */
export type Ended = { code: number | null; stdout: string; stderr: string };

export type RunningCommand = { child: ChildProcess; ended: Promise<Ended> };

type Options = {
  /** Modules to load first, by their path in the repository. */
  imports?: readonly string[];
  stdio?: StdioOptions;
  /** The folder to call it in; the repository's by default. */
  cwd?: string;
  /** Its main file; that of this checkout by default. */
  program?: string;
};

/**
 * Starts the command line as its own process, with `env` added to the environment of the tests; it ends with
 * the test.
 */
export function startCommand(
  args: readonly string[],
  env: Record<string, string>,
  options: Options = {},
): RunningCommand {
  const running = launch(args, env, options);
  onTestFinished(async () => {
    running.child.kill('SIGKILL');
    await running.ended;
  });
  return running;
}

function launch(
  args: readonly string[],
  env: Record<string, string>,
  { imports = [], stdio = 'pipe', cwd = root, program = join(root, 'apps/admin/src/main.ts') }: Options,
): RunningCommand {
  const file = programOf(
    program,
    imports.map((each) => join(root, each)),
  );
  const child = spawn(process.execPath, [...file, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio,
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  // Input for a command that has ended is lost.
  child.stdin?.on('error', () => {});
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => resolve({ code, ...written }));
  });
  return { child, ended };
}

/** Runs the command line to its end. `input` is the text on its standard input. */
export function runCommand(
  args: readonly string[],
  env: Record<string, string>,
  { input = '', ...options }: Omit<Options, 'stdio'> & { input?: string } = {},
): Promise<Ended> {
  const { child, ended } = launch(args, env, options);
  child.stdin!.end(input);
  return ended;
}

/**
 * Runs a command in this process, with `env` added to its environment: a process of its own takes seconds on
 * a busy machine. One at a time.
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
