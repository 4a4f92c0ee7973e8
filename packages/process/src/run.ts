import { ConfigError } from './config.ts';
import type { Log } from './log.ts';

/** A started process: how it stops. */
export type Running = { stop(): Promise<void> };

const stopWithinMs = 20_000;

/**
 * Starts a process and stops it in order on SIGTERM or SIGINT. What hinders the start is one line on standard error and
 * exit code 1.
 */
export async function run(log: Log, start: () => Promise<Running>): Promise<void> {
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
    setTimeout(() => process.exit(1), stopWithinMs).unref();
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
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));
}

/** One line about what hinders a start; addresses without their passwords. */
export function startError(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const { code, message, address, port } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  if (code === 'EADDRINUSE') return `port ${port} on ${address} is in use`;
  if (code === 'EADDRNOTAVAIL') return `${address} is not an address of this machine`;
  if (code === 'EACCES') return `port ${port} may not be used by this user`;
  return String(message ?? error).split('\n')[0] ?? '';
}
