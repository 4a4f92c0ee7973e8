import { hiddenMessage } from './describe-error.ts';
import { knownBeginning } from './known-texts.ts';

/**
 * Has something written down, an error or undefined beside it; `isFatal`: the process is about to end by it.
 */
export type Tell = (error: unknown, what: string, isFatal: boolean) => void;

const consoleMethods = ['log', 'info', 'debug', 'warn', 'error', 'trace', 'dir', 'table', 'dirxml'] as const;

/**
 * Leads every way by which Node and libraries write by themselves to `tell`: the console (ioredis prints an
 * error's stack when nobody listens, BullMQ and the driver of Postgres print what they did not expect),
 * warnings, rejections and exceptions that nobody handles. Each would print messages as they are, with
 * whatever values they hold. An exception that nobody handles ends the process, as before.
 */
export function takeOverOutlets(tell: Tell): void {
  for (const method of consoleMethods) {
    console[method] = (...said: unknown[]) => {
      const error = said.find((each) => each instanceof Error);
      const text = said.map((each) => (typeof each === 'string' ? knownBeginning(each) : null));
      const known = text.find((each) => each !== null) ?? (error === undefined ? hiddenMessage : '');
      tell(error, `a library writes to the console${known === '' ? '' : `: ${known}`}`, false);
    };
  }
  // Node's own listener prints them.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => tell(warning, 'a warning of Node', false));
  process.on('unhandledRejection', (reason) => tell(reason, 'unhandled rejection', false));
  process.on('uncaughtException', (error) => {
    tell(error, 'uncaught exception', true);
    process.exit(1);
  });
}
