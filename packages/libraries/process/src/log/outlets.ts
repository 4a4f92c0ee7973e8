import { hiddenMessage } from './describe-error.ts';
import { knownBeginning } from './known-texts.ts';

/** Logs a text with an error or undefined. `isFatal`: the process is about to end because of it. */
export type Tell = (error: unknown, what: string, isFatal: boolean) => void;

const consoleMethods = ['log', 'info', 'debug', 'warn', 'error', 'trace', 'dir', 'table', 'dirxml'] as const;

/**
 * Redirects all output that Node and libraries produce themselves to `tell`: the console (ioredis prints an
 * error's stack if there is no listener; BullMQ and the Postgres driver print unexpected events), warnings,
 * and unhandled rejections and exceptions. They would print messages with all values in them. An unhandled
 * exception still ends the process.
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
