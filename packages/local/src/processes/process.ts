import { spawn } from 'node:child_process';

export type RunOptions = {
  cwd?: string | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  uid?: number | undefined;
  gid?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Its standard input; default: none. */
  input?: string;
  /** After this time, the command and its children are ended, and the promise rejects. */
  waitMs?: number;
};

/** The line of an output that says why a program ended; the last one often only says that it cleans up. */
export function tellingLine(output: string): string {
  const lines = output.trim().split('\n');
  return lines.findLast((line) => /\b(?:FATAL|PANIC|error):/.test(line)) ?? lines.at(-1) ?? '';
}

/**
 * Runs a command and returns its standard output. Rejects if it cannot be started, exits with a code other
 * than 0, takes too long or is aborted. The message ends with the line of its standard error that says why.
 */
export function run(command: string, commandArguments: string[], options: RunOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    options.signal?.throwIfAborted();
    const child = spawn(command, commandArguments, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.gid ?? options.uid }),
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      // A separate group: Ctrl-C reaches only this process, and ending the group also ends the command's
      // children.
      detached: true,
    });
    let output = '';
    let errors = '';
    let reason = '';
    const end = (why: string) => {
      reason = why;
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGTERM');
      } catch {
        // It has ended by itself meanwhile.
      }
    };
    const abort = () => end('stopped');
    const timer = setTimeout(() => end('took too long'), options.waitMs ?? 120_000);
    options.signal?.addEventListener('abort', abort, { once: true });
    const settle = () => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', abort);
    };
    // It may end before it has read everything. Its exit code is decisive.
    child.stdin?.on('error', () => {}).end(options.input);
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-8000);
    });
    child.on('error', (error) => {
      settle();
      reject(error);
    });
    child.on('close', (code, signalName) => {
      settle();
      if (code === 0 && reason === '') return resolve(output);
      const why = tellingLine(errors);
      const ending = reason !== '' ? reason : `ended with ${code ?? signalName}`;
      reject(new Error(`${command} ${ending}${why === '' ? '' : `: ${why}`}`));
    });
  });
}
