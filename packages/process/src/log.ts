import { type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import { describeError } from './describe-error.ts';

/** The facts beside a message: an error, and named facts of ours. */
export type Facts = { err?: unknown; [name: string]: unknown };
type Note = { (facts: Facts, message: string): void; (message: string): void };

/** The log of a process. An error goes in as a fact, never alone: its message would be the line's. */
export type Log = Record<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace', Note>;

const factCharactersMax = 500;

/** The values of LOG_LEVEL. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * The log of a process: one JSON object a line on standard output, or the output given. Bodies, headers,
 * tokens and passwords never go in: callers pass an error and a few named facts, nothing that came from a
 * client, and of an error only what describe-error.ts allows is written.
 */
export function createLog(name: string, output?: NodeJS.WritableStream): Log {
  const options: LoggerOptions = {
    name,
    level: levelOf(process.env.LOG_LEVEL),
    timestamp: stdTimeFunctions.isoTime,
    base: { pid: process.pid },
    serializers: { err: (described: unknown) => described },
    formatters: { log: describeFacts },
    hooks: {
      // Without this an error given alone, or without a message, lends the line its own; and what comes after
      // the message would be written into it.
      logMethod([first, second], method) {
        if (typeof first === 'string') return method.call(this, first);
        const facts = first instanceof Error ? { err: first } : (first ?? {});
        return method.call(this, facts, typeof second === 'string' ? second : 'an error');
      },
    },
  };
  return (output === undefined ? pino(options) : pino(options, output)) as unknown as Log;
}

/** A wrong one is refused with the other settings, by a process that can say so. */
function levelOf(text: string | undefined): string {
  return logLevels.find((level) => level === text) ?? 'info';
}

/** Errors described, wherever they stand; of anything else only what is short and plain. */
function describeFacts(facts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, describeFact(name, fact)]));
}

function describeFact(name: string, fact: unknown): unknown {
  if (name === 'err' || fact instanceof Error) return describeError(fact);
  if (typeof fact === 'string') return fact.slice(0, factCharactersMax);
  return typeof fact === 'number' || typeof fact === 'boolean' || fact === null ? fact : `[${typeof fact}]`;
}
