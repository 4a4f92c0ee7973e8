import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { endChild, keepUp, type Launched, openLog } from '@inventory/local/processes/keep-up';
import type { UpMessage } from '@inventory/process/run';
import { nodeOptions } from '@inventory/process/settings/node-options';
import { checkoutFolder } from '../checkout.ts';
import { CommandError } from '../cli/command-error.ts';
import { tellText } from '../cli/print.ts';

// Lets Node 20 run TypeScript, too.
const types = new URL('../../types.mjs', import.meta.url).href;
const upWithinMs = 60_000;
// A little longer than the time that a process gives itself to stop.
const stopWithinMs = 25_000;
// Killing a process loses nothing, and a developer waits for the new one.
const restartWithinMs = 500;

export type SupervisedOptions = {
  /** For lines and errors: 'api'. */
  name: string;
  /** The source file that it runs, below the checkout. */
  script: string;
  env: NodeJS.ProcessEnv;
  /** Its standard output is appended to this file. A long file is replaced. */
  logFile: string;
  report: (line: string) => void;
  /** Whether its code is being worked on: then it starts again at once, however often it ends. */
  isWatched: boolean;
};

/** The ports of a process, for callers and for operators. */
export type Ports = Pick<UpMessage, 'port' | 'internalPort'>;

export type Supervised = {
  /** Resolves to its ports when it is up for the first time. Rejects with CommandError if it never is. */
  up: Promise<Ports>;
  /** Stops it; it then starts again with the current code. */
  restart(): Promise<void>;
  /** Stops it, in order if possible, and waits until it is gone. */
  stop(): Promise<void>;
};

/** Runs a process of the service. Once it was up, it is restarted on its port whenever it ends. */
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
    // The port that clients know. 0 would choose a new one.
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
  // A caller that stops it before it is up need not handle this rejection as well.
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
  /** Resolves to its ports. */
  up: Promise<Ports>;
  /** Returns the errors written so far, which are then not shown. */
  takeErrors(): string;
  /** Shows all errors, those written so far and later ones. */
  showErrors(): void;
};

function launch(options: SupervisedOptions, env: NodeJS.ProcessEnv): Running {
  const log = openLog(options.logFile);
  const child = spawn(process.execPath, [...nodeOptions, '--import', types, options.script], {
    cwd: checkoutFolder,
    env,
    // Through this channel, the process reports that it is up, and notices when this process is gone for any
    // reason.
    stdio: ['ignore', log, 'pipe', 'ipc'],
    // A separate group: Ctrl-C in the terminal reaches only this process, which ends the others in order.
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
      // Not 'exit', because its last output may not have arrived then.
      child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    }),
    takeErrors: () => errors,
    showErrors() {
      shown = true;
      tellText(errors);
    },
  };
}
