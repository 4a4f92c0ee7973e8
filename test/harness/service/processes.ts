import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { nodeOptions as ours } from '@inventory/process/settings/node-options';
import { programOf } from '../compiled.ts';

const root = join(import.meta.dirname, '../../..');

/** The end of a process; `lastWords`: the end of its standard error, and the last errors it logged. */
export type Exit = { code: number | null; signal: NodeJS.Signals | null; lastWords: string };

export type Started = {
  child: ChildProcess;
  port: number;
  /** When INTERNAL_PORT was given, preferably as 0: another process may have taken a port chosen earlier. */
  internalPort: number;
  exited: Promise<Exit>;
  stop(): Promise<void>;
  /** All its output so far, on both streams, if it was started to keep that. */
  written(): string;
};

// The last output of a process may come after the news of its end; a child process that holds the pipe must
// not hold us up.
const lastWordsWithinMs = 300;

// They end with the process that started them, however that ends.
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Kills a process if it still runs when this process ends. */
export function endWithThis<T extends ChildProcess>(child: T): T {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/**
 * Starts a TypeScript file of the repository as a separate process and waits until it logs that it is up.
 * `imports`: modules to load first, by their path in the repository; `nodeOptions`: options of Node instead
 * of those of the service; `keep`: keeps all output; `logTo`: a file to add its log to;
 * `command`: what runs the file as it is, if not this Node.
 */
export async function startProcess(
  file: string,
  env: Record<string, string>,
  {
    quiet = false,
    imports = [],
    nodeOptions = ours,
    keep = false,
    logTo,
    command,
  }: {
    quiet?: boolean;
    imports?: readonly string[];
    nodeOptions?: readonly string[];
    keep?: boolean;
    logTo?: string;
    command?: readonly string[];
  } = {},
): Promise<Started> {
  const pathOf = (each: string) => (isAbsolute(each) ? each : join(root, each));
  const [program, ...args] = command
    ? [...command, ...nodeOptions, pathOf(file)]
    : [process.execPath, ...nodeOptions, ...programOf(pathOf(file), imports.map(pathOf))];
  const child = endWithThis(
    spawn(program!, args, {
      cwd: root,
      // It must say that it is up, whatever level an earlier test has set.
      env: { ...process.env, LOG_LEVEL: 'info', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  if (!quiet) child.stderr!.pipe(process.stderr, { end: false });
  if (logTo !== undefined) child.stdout!.pipe(createWriteStream(logTo, { flags: 'a' }));
  const tails = { stdout: '', stderr: '' };
  const kept: Buffer[] = [];
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.on('data', (chunk: Buffer) => {
      tails[name] = (tails[name] + chunk).slice(-16_000);
      if (keep) kept.push(chunk);
    });
  }
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      const tell = () => resolve({ code, signal, lastWords: lastWordsOf(tails) });
      child.once('close', tell);
      setTimeout(tell, lastWordsWithinMs);
    });
  });
  const ports = await new Promise<Pick<Started, 'port' | 'internalPort'>>((resolve, reject) => {
    let text: string | null = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      if (text === null) return;
      text += chunk;
      const line = text.split('\n').find((each) => / is up"/.test(each) && each.endsWith('}'));
      if (line === undefined) return;
      text = null;
      const { port, internalPort } = JSON.parse(line) as Record<string, number | null>;
      resolve({ port: port ?? 0, internalPort: internalPort ?? 0 });
    });
    exited.then(({ code, signal, lastWords }) =>
      reject(new Error(`${file} ended with ${signal ?? code} before it was up: ${lastWords}`)),
    );
  });
  return {
    child,
    ...ports,
    exited,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
    written: () => Buffer.concat(kept).toString('utf8'),
  };
}

function lastWordsOf({ stdout, stderr }: { stdout: string; stderr: string }): string {
  // 50 and 60 are pino's error and fatal.
  const logged = stdout.split('\n').filter((line) => /^\{"level":[56]0,/.test(line));
  const lines = [...logged.slice(-2), ...stderr.trim().split('\n').slice(-12)];
  return lines
    .map((line) => line.slice(0, 400))
    .join('\n')
    .trim();
}
