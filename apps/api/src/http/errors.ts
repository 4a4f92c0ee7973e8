import { jsonText } from '@inventory/domain/json-text';
import { parseQuantity } from '@inventory/domain/quantity';
import type { Refusal, RefusalCode } from '@inventory/domain/refusals/refused';

/** Every code of the error object with its status. */
export const statusOf = {
  bad_request: 400,
  validation_error: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  internal_error: 500,
  not_implemented: 501,
} as const satisfies Record<RefusalCode | 'internal_error', number>;

export type ErrorCode = keyof typeof statusOf;

/** Ends a request with a refusal. `status`: only where it is not the code's usual one: 405, 413, 415. */
export class Refused extends Error {
  readonly refusal: Refusal;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(refusal: Refusal, options: { status?: number; headers?: Record<string, string> } = {}) {
    super(refusal.message);
    this.refusal = refusal;
    this.status = options.status ?? statusOf[refusal.code];
    this.headers = options.headers ?? {};
  }
}

/** 405, with the methods that the path allows. */
export function methodRefused(allow: string): Refused {
  const refusal = { code: 'bad_request', message: `Method not allowed; allowed: ${allow}.` } as const;
  return new Refused(refusal, { status: 405, headers: { Allow: allow } });
}

/** The message of 404 for an unknown path. */
export const nothingAtPath = 'There is nothing at this path.';

/** 404 for an unknown path. */
export function unknownPath(): Refused {
  return new Refused({ code: 'not_found', message: nothingAtPath });
}

/**
 * Why a request ended with a 5xx, for the log and the metrics. `unwritable`: Postgres answers, but refuses to
 * write. `busy`: everything works, but there is more work than time.
 */
export const failureCauses = ['noWorker', 'redis', 'postgres', 'unwritable', 'busy', 'internal'] as const;
export type FailureCause = (typeof failureCauses)[number];

/**
 * Ends a request with a failure of ours. `message` is for the caller and reveals nothing internal. `because`:
 * the cause, if it is known here; null: derived from what is down. `results`: the JSON text of what is known
 * about each operation of a batch.
 */
export class Failed extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly because: FailureCause | null;
  readonly results: string | null;

  constructor(
    status: 500 | 503,
    message: string,
    headers: Record<string, string> = {},
    because: FailureCause | null = null,
    results: string | null = null,
  ) {
    super(message);
    this.because = because;
    this.results = results;
    this.status = status;
    this.headers = headers;
  }
}

/** For a failure that passes within a moment. */
export const soonAgain = { 'Retry-After': '1' };

/** 503 with an unknown outcome, the only such answer: Postgres could not say whether this was applied. */
export function unknownOutcome(): Failed {
  return new Failed(503, messages.unknown, soonAgain, 'postgres');
}

/** The JSON text of the contract's error object, with what is known about each operation of a batch. */
export function batchErrorText(status: number, error: ErrorObject, results: string): string {
  return `${errorText(status, error).slice(0, -1)},"results":${results}}`;
}

/** The JSON text of the contract's error object. */
export function errorText(status: number, error: ErrorObject): string {
  const object = { statusCode: status, error: error.code, message: error.message };
  if ('reason' in error) {
    const { reason, figures } = error;
    const exact = Object.entries(figures).map(([name, text]) => [name, parseQuantity(text)] as const);
    return jsonText({ ...object, reason, figures: Object.fromEntries(exact) });
  }
  if ('details' in error) return JSON.stringify({ ...object, details: error.details });
  const outcome = outcomes[error.message];
  return JSON.stringify(outcome === undefined ? object : { ...object, outcome });
}

type ErrorObject = Refusal | { code: 'internal_error'; message: string };

export const messages = {
  internal: 'Something went wrong on our side.',
  unavailable: 'The service is busy or partly out of order; nothing was applied. Try again in a moment.',
  besideRefused: 'Nothing of the batch was applied, because another operation of it was refused.',
  partly:
    'The service is busy or partly out of order; nothing was applied but what earlier sends had applied, see `results`. ' +
    'Try again in a moment.',
  answersFull:
    'There is no room for more large answers in the answer of this batch; this operation was not applied. Send it in another ' +
    'batch, or the whole list again with its keys.',
  answerWaits:
    'The batch was applied, but there is no room for its large answer now: this client, or others, have not read ' +
    'their earlier answers yet. To get the answer, send the batch again in a moment with its Idempotency-Key.',
  noRoom:
    'The service has no room for this batch now: it was not read, and nothing was applied but what earlier sends of it ' +
    'had applied. Try again in a moment.',
  unread:
    'There is no room for this answer now: others, to this client or to all, were not read yet. This call was not begun, and ' +
    'nothing was applied but what earlier sends of it had applied. Try again in a moment.',
  unreachable: 'The service cannot reach its database; try again in a moment.',
  unknown:
    'The database could not be reached in time, so it is not known whether this was applied. ' +
    'To settle a stock transaction that was sent with an Idempotency-Key, send it again with the same key. ' +
    'For anything else, check whether it was applied before you send it again.',
} as const;

/** The failures that do not mean "not applied", so that no program has to read `message`. */
const outcomes: Readonly<Record<string, 'unknown' | 'applied'>> = {
  [messages.unknown]: 'unknown',
  [messages.answerWaits]: 'applied',
};
