import { spawn } from 'node:child_process';
import { closeSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { type Ending, endChild, keepUp, type Launched, openLog, stepsOf } from './keep-up.ts';
import { tellingLine } from './process.ts';
import { identifyProcess, isRunning, type ProcessIdentity, worksIn } from './process-identity.ts';

const READY_WAIT_MS = 120_000;

export type ServerOptions = {
  /** For report lines: 'Postgres'. */
  name: string;
  command: string;
  arguments: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  uid?: number | undefined;
  gid?: number | undefined;
  /** Gets the server's output. */
  logFile: string;
  /** Identifies the process, so that the next start finds it if this process is killed. */
  pidFile: string;
  ending: Ending;
  /** Whether the server with this pid is ready. Asked every few milliseconds. */
  isReady(pid: number): Promise<boolean>;
  report: (line: string) => void;
  signal: AbortSignal;
};

/** The server ended before it was ready. `log`: its output. */
export class ServerEndedError extends Error {
  readonly log: string;
  constructor(name: string, log: string) {
    super(`${name} did not start: ${tellingLine(log) || 'it printed nothing'}`);
    this.log = log;
  }
}

/**
 * Starts a server and returns once it is ready. From then on it is restarted whenever it ends, until the
 * returned stop is called, which waits until it is gone. Fails with ServerEndedError. Aborting stops the
 * server and rejects.
 */
export async function startServer(options: ServerOptions): Promise<() => Promise<void>> {
  let current = await launch(options, options.signal);
  const stopped = new AbortController();
  const supervision = keepUp({
    name: options.name,
    first: current,
    launch: () => launch(options, stopped.signal),
    onLaunched: (launched) => {
      current = launched;
    },
    report: options.report,
    stopping: stopped.signal,
  });

  // If the process exits without stopping the stack, its servers end with it. A signal cannot be handled
  // here.
  const endOnExit = () => void current.child.kill(options.ending[0]?.signal);
  process.on('exit', endOnExit);

  return async () => {
    stopped.abort();
    process.off('exit', endOnExit);
    await endChild(current, options.ending);
    await supervision;
    await endChild(current, options.ending);
    rmSync(options.pidFile, { force: true });
  };
}

/**
 * Ends the server that a killed process left behind, if the pid file names a process that still runs in one
 * of the work folders. In a copied folder, the pid file names the original folder's server.
 */
export async function endOrphan(pidFile: string, workFolders: string[], ending: Ending): Promise<void> {
  let identity: ProcessIdentity;
  try {
    identity = JSON.parse(readFileSync(pidFile, 'utf8')) as ProcessIdentity;
  } catch {
    return;
  }
  const { pid } = identity;
  if (isRunning(identity) && workFolders.some((folder) => worksIn(pid, folder)))
    await endProcess(identity, ending);
  rmSync(pidFile, { force: true });
}

/** Ends a process that is not a child. */
export async function endProcess(identity: ProcessIdentity, ending: Ending): Promise<void> {
  for (const { signal, waitMs } of stepsOf(ending)) {
    if (!isRunning(identity)) return;
    process.kill(identity.pid, signal);
    for (const end = Date.now() + waitMs; Date.now() < end && isRunning(identity); ) await wait(20);
  }
}

const setpriv = '/usr/bin/setpriv';

/**
 * On Linux the kernel ends the server when this process is killed. Elsewhere, and without util-linux, the
 * server runs until the next start finds it.
 */
function endingWithUs(command: string[], ending: Ending): string[] {
  const signal = ending[0]?.signal;
  if (process.platform !== 'linux' || signal === undefined || !existsSync(setpriv)) return command;
  return [setpriv, '--pdeathsig', signal.slice(3), ...command];
}

async function launch(options: ServerOptions, signal: AbortSignal): Promise<Launched> {
  signal.throwIfAborted();
  const log = openLog(options.logFile);
  const logStart = statSync(options.logFile).size;
  const [command, ...args] = endingWithUs([options.command, ...options.arguments], options.ending);
  const child = spawn(command!, args, {
    cwd: options.cwd,
    env: options.env,
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.gid ?? options.uid }),
    stdio: ['ignore', log, log],
    // A separate group: Ctrl-C in the terminal reaches only this process, which ends the servers in order.
    detached: true,
  });
  closeSync(log);
  let gone = false;
  const ended = new Promise<string>((resolve) => {
    const end = (how: string) => {
      gone = true;
      resolve(how);
    };
    child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
    child.once('error', (error) => end(error.message));
  });
  const { pid } = child;
  if (pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once('error', resolve));
    throw new ServerEndedError(options.name, error.message);
  }
  // Synchronously and at once: if this process were killed between the start and this line, nothing would
  // know the server.
  writeFileSync(options.pidFile, JSON.stringify(identifyProcess(pid) ?? { pid, started: '' }), {
    mode: 0o600,
  });
  const running = { child, up: Promise.resolve(), ended };
  try {
    for (const end = Date.now() + READY_WAIT_MS; ; ) {
      signal.throwIfAborted();
      if (gone) {
        const text = readFileSync(options.logFile).subarray(logStart).toString('utf8');
        throw new ServerEndedError(options.name, text);
      }
      if (await options.isReady(pid)) return running;
      if (Date.now() > end) throw new ServerEndedError(options.name, `not ready after ${READY_WAIT_MS} ms`);
      await Promise.race([ended, wait(20)]);
    }
  } catch (error) {
    await endChild(running, options.ending);
    rmSync(options.pidFile, { force: true });
    throw error;
  }
}
