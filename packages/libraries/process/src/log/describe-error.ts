import { isIP } from 'node:net';
import { types } from 'node:util';
import { PlainError } from '../plain-error.ts';
import { knownBeginning, postgresText, redisText } from './known-texts.ts';

/**
 * The fields of an error that a log may contain. Other fields stay out: the Postgres driver adds statement,
 * parameters and the failed row; ioredis adds the arguments of a command, including AUTH's password; Node
 * adds the text that is not a URL.
 */
export type ErrorDescription = {
  /** The class or name of the error; the JavaScript type of any other value. */
  type: string;
  /** Without values; see `messageOf`. */
  message: string;
  code?: string | number;
  /** Postgres: names from its catalog. */
  severity?: string;
  schema?: string;
  table?: string;
  column?: string;
  constraint?: string;
  routine?: string;
  /** Redis: the command, never its arguments. */
  command?: string;
  /** The system: the failed call and the address. */
  syscall?: string;
  address?: string;
  port?: number;
  /** Only the frames. */
  stack?: string;
  cause?: ErrorDescription;
  errors?: ErrorDescription[];
};

const depthMax = 4;
const errorsMax = 5;
const messageCharactersMax = 500;
const framesMax = 20;
const frameCharactersMax = 300;

/** Replaces a message that may contain values. The stack shows where it was thrown. */
export const hiddenMessage = 'the message may hold values and is not shown';

/** Describes any thrown value. Never throws, and returns at most some thousand characters. */
export function describeError(error: unknown): ErrorDescription {
  try {
    return describe(error, depthMax);
  } catch {
    // A getter that throws, or a proxy.
    return { type: 'unknown', message: hiddenMessage };
  }
}

/**
 * The part of an error's message that may be shown. PlainError: all of it. Postgres: depends on the code, see
 * `postgresText`. Redis: the first word, see `redisText`. System errors: the call and the code. Other errors:
 * a known fixed beginning, otherwise the code, otherwise nothing.
 */
export function messageOf(error: unknown): string {
  return describeError(error).message;
}

// An error with any other fields.
type Fields = Error & Record<string, unknown>;

function describe(error: unknown, depth: number): ErrorDescription {
  if (!isError(error)) return { type: typeOf(error), message: hiddenMessage };
  const fields = error as Fields;
  const cause = fields.cause;
  const errors = fields.errors;
  const described: { [Name in keyof ErrorDescription]: ErrorDescription[Name] | undefined } = {
    type: nameOf(fields),
    message: textOf(fields).slice(0, messageCharactersMax),
    code: codeOf(fields),
    ...namesOf(fields),
    stack: framesOf(fields),
    cause: cause === undefined || depth === 0 ? undefined : describe(cause, depth - 1),
    errors:
      !Array.isArray(errors) || errors.length === 0 || depth === 0
        ? undefined
        : errors.slice(0, errorsMax).map((each) => describe(each, depth - 1)),
  };
  const given = Object.entries(described).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as ErrorDescription;
}

function isError(value: unknown): value is Error {
  return types.isNativeError(value) || value instanceof Error;
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : typeof value;
}

function nameOf(error: Error): string {
  const own = error.name === 'Error' ? error.constructor?.name : error.name;
  return matching(own, /^[A-Za-z_$][\w$]{0,63}$/) ?? 'Error';
}

function textOf(error: Fields): string {
  const message = String(error.message);
  if (error instanceof PlainError) return message;
  const code = codeOf(error);
  if (isPostgres(error)) return postgresText(error.code, message);
  if (error.name === 'ReplyError') return redisText(message);
  const syscall = syscallOf(error);
  if (syscall !== undefined && code !== undefined) return `${syscall} ${code}`;
  return knownBeginning(message) ?? (code === undefined ? hiddenMessage : String(code));
}

function isPostgres(error: Fields): error is Fields & { code: string } {
  return error.name === 'PostgresError' && matching(error.code, /^[0-9A-Z]{5}$/) !== undefined;
}

function codeOf({ code }: Record<string, unknown>): string | number | undefined {
  return Number.isSafeInteger(code) ? (code as number) : matching(code, /^[0-9A-Z][0-9A-Z_]{2,63}$/);
}

function syscallOf({ syscall }: Record<string, unknown>): string | undefined {
  return matching(syscall, /^[a-z_0-9]{1,32}$/);
}

/** Names and addresses from an error, each only if it has the expected form. */
function namesOf(error: Fields): Partial<ErrorDescription> {
  const name = (value: unknown) => matching(value, /^[A-Za-z_][\w$]{0,63}$/);
  const named: Record<string, unknown> = isPostgres(error)
    ? {
        severity: matching(error.severity, /^[A-Z]{1,10}$/),
        schema: name(error.schema_name),
        table: name(error.table_name),
        column: name(error.column_name),
        constraint: name(error.constraint_name),
        routine: name(error.routine),
      }
    : {
        command: matching((error.command as { name?: unknown } | undefined)?.name, /^[A-Za-z]{1,32}$/),
        syscall: syscallOf(error),
        address: addressOf(error.address ?? error.hostname),
        port: Number.isSafeInteger(error.port) ? error.port : undefined,
      };
  return named;
}

function addressOf(value: unknown): string | undefined {
  if (typeof value === 'string' && isIP(value) > 0) return value;
  return matching(value, /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/);
}

function matching(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined;
}

// A function and a place in a file. Frames of evaluated code do not match, because they could contain any
// name.
const frame =
  /^ {4}at (?:async )?(?:(?:new )?[\w$.<>#]+(?: \[as [\w$.]+\])? )?\(?(?:file:\/\/|node:|[A-Z]:\\)?[\w/\\.@+~ -]+:\d+:\d+\)?$/;

/**
 * The frames of a stack. They follow the message, which may have several lines that look like frames. So no
 * frames are shown unless the stack begins as the error requires.
 */
function framesOf(error: Error): string | undefined {
  const { stack } = error;
  if (typeof stack !== 'string') return undefined;
  const message = String(error.message);
  const end = message === '' ? stack.search(/\n|$/) : stack.indexOf(message) + message.length;
  if (message !== '' && !stack.includes(message)) return undefined;
  const head = stack.slice(0, end - message.length);
  if (!/^(?:[\w$ .[\]]*(?:: )?)$/.test(head) || !/^(?:\n {4}at |$)/.test(stack.slice(end))) return undefined;
  const lines = stack.slice(end).split('\n');
  const frames = lines.filter((line) => line.length <= frameCharactersMax && frame.test(line));
  return frames.length === 0 ? undefined : frames.slice(0, framesMax).join('\n');
}
