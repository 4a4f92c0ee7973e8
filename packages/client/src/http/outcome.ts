import type { Answer } from './attempt.ts';
import { InventoryError, type Outcome } from './inventory-error.ts';
import { askedMs } from './pauses.ts';
import { parseJson } from './quantities.ts';

/**
 * The effect of a call. `read`: none that lasts. `keyed`: a write whose resend is recognized. `unkeyed`: a
 * write whose resend is not.
 */
export type CallKind = 'read' | 'keyed' | 'unkeyed';

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

/** The code of an error of the service; null if it has not the form of one. */
function codeOf(status: number, body: ErrorBody): string | null {
  // Only a proxy sends these, in whatever form: it has lost the service.
  if (status === 502 || status === 504) return null;
  if (status === 429) {
    const isLimit = typeof body.message === 'string' && Object.keys(body).length === 1;
    return isLimit ? 'rate_limited' : null;
  }
  return body.statusCode === status && codes.has(body.error) ? body.error! : null;
}

/**
 * Whether an answer of success can be of the service, which always sends JSON. What is between us may cut it
 * off.
 */
export function isWhole({ text }: Answer): boolean {
  try {
    return JSON.parse(text) instanceof Object;
  } catch {
    return false;
  }
}

/** The error of an answer that is no success. What is between us and the service settles nothing. */
export function refusedBy({ status, headers, text }: Answer, isExact: boolean): InventoryError {
  const told = readBody(text, isExact);
  const code = codeOf(status, told);
  const body = code === null ? {} : told;
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

function readBody(text: string, isExact: boolean): ErrorBody {
  try {
    const body: unknown = parseJson(text, isExact);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

/**
 * The outcome of a call from its last answer and from whether an earlier send of it may have been applied. A
 * refusal that the key was looked up for speaks for all sends; one made before that does not.
 */
export function outcomeOf(kind: CallKind, last: InventoryError, isUnsure: boolean): Outcome {
  if (kind === 'read') return 'notApplied';
  if (last.outcome === 'unknown') return 'unknown';
  // Only the service itself has looked the key up.
  const settles = kind === 'keyed' && last.code !== 'unexpected_answer' && [400, 409].includes(last.status);
  return isUnsure && !settles ? 'unknown' : 'notApplied';
}
