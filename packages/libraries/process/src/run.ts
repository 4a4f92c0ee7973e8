import { messageOf } from './log/describe-error.ts';
import type { Log } from './log/log.ts';
import { takeOverOutlets } from './log/outlets.ts';
import { unknownSettingsLine } from './settings/unknown-settings.ts';

/** A started process: how to stop it, and its port for callers and its internal port, if it has them. */
export type Running = { stop(): Promise<void>; port?: number; internalPort?: number | undefined };

/** The message of a process to its supervisor, sent once: it is up, and on which ports. */
export type UpMessage = { up: true; port: number | null; internalPort: number | null };

const stopWithinMs = 20_000;

/**
 * Starts a process, and stops it in order on SIGTERM or SIGINT, or when its supervisor is gone. If the start
 * fails, prints one line on standard error and exits with code 1.
 */
export async function run(log: Log, start: () => Promise<Running>): Promise<void> {
  takeOverOutlets((error, what, isFatal) => {
    const facts = error === undefined ? {} : { err: error };
    if (isFatal) log.fatal(facts, what);
    else log.error(facts, what);
  });
  const unknown = unknownSettingsLine(process.env);
  if (unknown !== null) log.warn(unknown);
  const supervised = process.send !== undefined;
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    // Something hangs. The process must end, or it would block deploys.
    setTimeout(() => {
      log.error(`not stopped within ${stopWithinMs / 1000} s; open connections are cut off`);
      process.exit(1);
    }, stopWithinMs).unref();
    starting
      .then((running) => running.stop())
      .then(
        () => process.exit(0),
        (error) => {
          log.error({ err: error }, 'stopping failed');
          process.exit(1);
        },
      );
  };
  // Before the start: a process that has just said that it is up must stop in order, too.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const starting = start();
  let running: Running;
  try {
    running = await starting;
  } catch (error) {
    process.stderr.write(`${startError(error)}\n`);
    process.exit(1);
  }
  if (supervised) {
    const { port = null, internalPort = null } = running;
    const message: UpMessage = { up: true, port, internalPort };
    // The callback takes the error: a supervisor that is gone must not crash the process.
    process.send?.(message, undefined, undefined, () => {});
    process.on('disconnect', () => stop('disconnect'));
    if (!process.connected) stop('disconnect');
  }
}

/** One line about a failed start, without values and passwords. */
export function startError(error: unknown): string {
  const { code, address, port } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  if (code === 'EADDRINUSE') return `port ${port} on ${address} is in use`;
  if (code === 'EADDRNOTAVAIL') return `${address} is not an address of this machine`;
  if (code === 'EACCES') return `port ${port} may not be used by this user`;
  return messageOf(error).split('\n')[0] ?? '';
}
