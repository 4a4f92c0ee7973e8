import { messageOf } from './describe-error.ts';
import type { Log } from './log.ts';
import { takeOverOutlets } from './outlets.ts';
import { unknownSettingsLine } from './unknown-settings.ts';

/** A started process: how it stops, and where it answers if it does: its callers, and those who run it. */
export type Running = { stop(): Promise<void>; port?: number; internalPort?: number | undefined };

/** The message of a process to the one that supervises it, once: it is up, and where it answers. */
export type UpMessage = { up: true; port: number | null; internalPort: number | null };

const stopWithinMs = 20_000;

/**
 * Starts a process and stops it in order on SIGTERM or SIGINT, or when the process that supervises it is
 * gone. A start that fails is one line on standard error and exit code 1.
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
  let running: Running;
  try {
    running = await start();
  } catch (error) {
    process.stderr.write(`${startError(error)}\n`);
    process.exit(1);
  }
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    // Something hangs: better an end than a process that nobody can deploy over.
    setTimeout(() => {
      log.error(`not stopped within ${stopWithinMs / 1000} s; what was open is cut off`);
      process.exit(1);
    }, stopWithinMs).unref();
    running.stop().then(
      () => process.exit(0),
      (error) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (supervised) {
    const { port = null, internalPort = null } = running;
    const message: UpMessage = { up: true, port, internalPort };
    // The callback takes the error: a supervisor that went meanwhile is no reason to crash.
    process.send?.(message, undefined, undefined, () => {});
    process.on('disconnect', () => stop('disconnect'));
    if (!process.connected) stop('disconnect');
  }
}

/**
 * One line about the failure of a start: all that the operator needs to know of it, and no value or password.
 */
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
