import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { endChild, keepUp, type Launched, openLog } from '@inventory/local/keep-up';
import { nodeOptions } from '@inventory/process/node-options';
import type { UpMessage } from '@inventory/process/run';
import { checkoutFolder } from '../checkout.ts';
import { CommandError } from '../cli/command-error.ts';
import { tellText } from '../cli/print.ts';

const upWithinMs = 60_000;
// A little longer than a process gives itself to stop in order.
const stopWithinMs = 25_000;
// Nothing is lost with a process that is killed, and a developer waits for the new one.
const restartWithinMs = 500;

export type SupervisedOptions = {
  /** For lines and errors: 'api'. */
  name: string;
  /** The source file that it runs, below the checkout. */
  script: string;
  env: NodeJS.ProcessEnv;
  /** Gets its standard output, after what is there; a long one makes way. */
  logFile: string;
  report: (line: string) => void;
  /** Whether it is started again at once, however often it ends: somebody is working on its code. */
  isWatched: boolean;
};

/** Where a process answers: its callers, and those who run it. */
export type Ports = Pick<UpMessage, 'port' | 'internalPort'>;

export type Supervised = {
  /**
   * When it is up for the first time: the ports it answers on, if it does. Rejects with CommandError when it
   * never is.
   */
  up: Promise<Ports>;
  /** Ends it, so that it starts again with the code as it is now. */
  restart(): Promise<void>;
  /** Ends it, in order if it can, and waits until it is gone. */
  stop(): Promise<void>;
};

/** Runs a process of the service; once it was up it is started again, on its port, whenever it ends. */
export function supervise(options: SupervisedOptions): Supervised {
  const stopping = new AbortController();
  let env = options.env;
  let current = launch(options, env);

  const waitForUp = async (): Promise<Ports> => {
    const first = current;
    const ports = await Promise.race([
      first.up,
      first.ended.then((ending) => {
        throw new CommandError(first.takeErrors().split('\n')[0] || `${options.name} ended (${ending})`);
      }),
      wait(upWithinMs, undefined, { signal: stopping.signal }).then(() => {
        throw new CommandError(
          `${options.name} has not started after ${upWithinMs / 1000} s; see ${options.logFile}`,
        );
      }),
    ]);
    // Where clients know it; 0 would choose another one.
    const { port, internalPort } = ports;
    if (port !== null) env = { ...env, PORT: String(port) };
    if (internalPort !== null) env = { ...env, INTERNAL_PORT: String(internalPort) };
    first.showErrors();
    void keepUp({
      name: options.name,
      first,
      launch: () => launch(options, env),
      onLaunched: (launched) => {
        current = launched;
        launched.showErrors();
      },
      report: options.report,
      stopping: stopping.signal,
      ...(options.isWatched && { pauseMaxMs: 500 }),
    });
    return ports;
  };

  const up = waitForUp();
  // A caller that stops it before it is up need not wait for this as well.
  up.catch(() => {});
  return {
    up,
    restart: () => endChild(current, [{ signal: 'SIGTERM', waitMs: restartWithinMs }]),
    async stop() {
      stopping.abort();
      await endChild(current, [{ signal: 'SIGTERM', waitMs: stopWithinMs }]);
    },
  };
}

type Running = Launched & {
  /** Resolves to the ports it answers on, if it does. */
  up: Promise<Ports>;
  /** The errors it has written so far; none of them is shown then. */
  takeErrors(): string;
  /** Shows what it has written as errors and will write. */
  showErrors(): void;
};

function launch(options: SupervisedOptions, env: NodeJS.ProcessEnv): Running {
  const log = openLog(options.logFile);
  const child = spawn(process.execPath, [...nodeOptions, '--import', 'tsx', options.script], {
    cwd: checkoutFolder,
    env,
    // By the channel it tells us that it is up, and learns that we are gone, however we went.
    stdio: ['ignore', log, 'pipe', 'ipc'],
    // A group of its own: Ctrl-C in the terminal reaches only us, and we end the processes in order.
    detached: true,
  });
  closeSync(log);
  let errors = '';
  let shown = false;
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    if (shown) tellText(text);
    else errors += text;
  });
  return {
    child,
    up: new Promise((resolve) => child.once('message', (message: UpMessage) => resolve(message))),
    ended: new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      // Not 'exit': its last output is still under way then.
      child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    }),
    takeErrors: () => errors,
    showErrors() {
      shown = true;
      tellText(errors);
    },
  };
}
