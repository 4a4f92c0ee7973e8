import { type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import { describeError } from './describe-error.ts';

/** Facts beside a message: an error, and named facts. */
export type Facts = { err?: unknown; [name: string]: unknown };
type Note = { (facts: Facts, message: string): void; (message: string): void };

/**
 * The log of a process. An error is passed as a fact, never alone, because its message would become the
 * line's.
 */
export type Log = Record<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace', Note>;

const factCharactersMax = 500;

/** The values of LOG_LEVEL. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * Creates the log of a process: one JSON object a line, on standard output or on `output`. It never contains
 * bodies, headers, tokens or passwords: callers pass an error and a few named facts, nothing from a client,
 * and only the parts of an error that describe-error.ts allows are written.
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
      // Without this, an error without a message would set the line's message, and further arguments would be
      // inserted into it.
      logMethod([first, second], method) {
        if (typeof first === 'string') return method.call(this, first);
        const facts = first instanceof Error ? { err: first } : (first ?? {});
        return method.call(this, facts, typeof second === 'string' ? second : 'an error');
      },
    },
  };
  return (output === undefined ? pino(options) : pino(options, output)) as unknown as Log;
}

/** A wrong level is refused later, together with the other settings, when the process can report it. */
function levelOf(text: string | undefined): string {
  return logLevels.find((level) => level === text) ?? 'info';
}

/** Describes errors at any depth. Other values are kept only if they are short and plain. */
function describeFacts(facts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, describeFact(name, fact)]));
}

function describeFact(name: string, fact: unknown): unknown {
  if (name === 'err' || fact instanceof Error) return describeError(fact);
  if (typeof fact === 'string') return fact.slice(0, factCharactersMax);
  return typeof fact === 'number' || typeof fact === 'boolean' || fact === null ? fact : `[${typeof fact}]`;
}
