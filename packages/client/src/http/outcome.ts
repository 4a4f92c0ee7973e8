import type { Answer } from './attempt.ts';
import { InventoryError, type Outcome } from './inventory-error.ts';
import { parseJson } from './quantities.ts';

/**
 * What a call does. `read`: nothing that lasts. `keyed`: a write whose resend is recognized. `unkeyed`: a
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

/** The error of an answer that is no success. */
export function refusedBy({ status, headers, text }: Answer, isExact: boolean): InventoryError {
  const body = readBody(text, isExact);
  const isOurs = body.error !== undefined;
  // A proxy that lost the service cannot tell what became of the request.
  const isUnknown = body.outcome !== undefined || (status >= 500 && !isOurs) || [502, 504].includes(status);
  return new InventoryError({
    status,
    code: body.error ?? (status === 429 ? 'rate_limited' : 'unexpected_answer'),
    message: messageOf(body) ?? `The answer is ${status}, and no error object of the service.`,
    outcome: isUnknown ? 'unknown' : 'notApplied',
    reason: body.reason ?? null,
    figures: body.figures ?? null,
    details: body.details ?? null,
    results: body.results ?? null,
    requestId: headers.get('X-Request-Id'),
  });
}

/** For people; it names the fields, too. */
function messageOf({ message, details }: ErrorBody): string | undefined {
  if (!details) return message;
  return [message, ...Object.values(details).flat()].join(' ');
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
