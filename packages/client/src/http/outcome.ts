import type { Answer } from './attempt.ts';
import { InventoryError, type Outcome } from './inventory-error.ts';
import { askedMs } from './pauses.ts';

/**
 * The effect of a call. `read`: none that lasts. `keyed`: a write whose resend is recognized. `unkeyed`: a
 * write whose resend is not, but changes nothing or is refused. `once`: a resend would be applied again.
 */
export type CallKind = 'read' | 'keyed' | 'unkeyed' | 'once';

// Errors of a connection that never was: nothing was sent.
const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** Whether a request whose answer was lost may have reached the service. */
export function mayHaveArrived(lost: unknown): boolean {
  const { cause } = lost as { cause?: { code?: unknown } };
  return !neverConnected.has(String(cause?.code));
}

type ErrorBody = {
  statusCode?: number;
  error?: string;
  message?: string;
  outcome?: string;
} & Pick<ConstructorParameters<typeof InventoryError>[0], 'reason' | 'figures' | 'details' | 'results'>;

// The service's words for errors; the last three are those of `POST /Token`.
const codes = new Set<unknown>([
  ...['bad_request', 'validation_error', 'unauthorized', 'forbidden', 'not_found', 'conflict'],
  ...['internal_error', 'not_implemented'],
  ...['invalid_request', 'invalid_client', 'unsupported_grant_type'],
]);

/** The code of an error of the service; null if the answer has not the form of one. */
export function codeOf({ status, body }: Answer): string | null {
  const { statusCode, error, message } = (body ?? {}) as ErrorBody;
  // Only a proxy sends these, in whatever form: it has lost the service.
  if (status === 502 || status === 504) return null;
  if (status === 429) {
    const isLimit = typeof message === 'string' && Object.keys(body!).length === 1;
    return isLimit ? 'rate_limited' : null;
  }
  return statusCode === status && codes.has(error) ? error! : null;
}

/** The error of an answer that is no success. What is between us and the service settles nothing. */
export function refusedBy(answer: Answer): InventoryError {
  const { status, headers } = answer;
  const code = codeOf(answer);
  const body: ErrorBody = code === null ? {} : answer.body!;
  return new InventoryError({
    status,
    code: code ?? 'unexpected_answer',
    message: messageOf(body) ?? `The answer ${status} is not of the service.`,
    outcome: code === null || body.outcome !== undefined ? 'unknown' : 'notApplied',
    reason: body.reason ?? null,
    figures: body.figures ?? null,
    details: body.details ?? null,
    results: body.results ?? null,
    requestId: headers.get('X-Request-Id'),
    retryAfterMs: askedMs(headers.get('Retry-After')),
  });
}

/** For people; it names the fields, too. */
function messageOf({ message, details }: ErrorBody): string | undefined {
  if (!details) return message;
  const told = Object.entries(details).flatMap(([field, texts]) =>
    texts.map((text) => (text.startsWith(field) ? text : `${field} ${text}`)),
  );
  return [message, ...told].join(' ');
}

/**
 * The outcome of a call from its last answer and from whether an earlier send of it may have been applied. A
 * refusal that the key was looked up for speaks for all sends; one made before that does not.
 */
export function outcomeOf(kind: CallKind, last: InventoryError, isUnsure: boolean): Outcome {
  if (kind === 'read') return 'notApplied';
  const isOpen = isUnsure && !(kind === 'keyed' && speaksForAll(last));
  return isOpen ? 'unknown' : last.outcome;
}

function speaksForAll({ status, code, reason, results }: InventoryError): boolean {
  // Only the service itself has looked the key up.
  if (code === 'unexpected_answer') return false;
  // Of an atomic list, some operations may have been refused for rights or scope. If it had been applied
  // before, there are no results.
  if (reason === 'operationRefused') return results?.every((each) => !isBeforeKey(each as Result)) ?? false;
  return [400, 409].includes(status);
}

type Result = { statusCode: number; error?: { outcome?: Outcome } };

/** Whether an operation was refused before its key was looked up: for its rights, or as out of scope. */
export const isBeforeKey = ({ statusCode }: Pick<Result, 'statusCode'>) =>
  statusCode === 403 || statusCode === 404;

/** Marks the operations of a list that an earlier send of it may have applied, though they are refused. */
export function markOpen({ results }: { results?: readonly Result[] }): void {
  for (const each of results ?? []) if (isBeforeKey(each)) Object.assign(each.error!, { outcome: 'unknown' });
}
