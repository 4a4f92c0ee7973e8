import { type OperationKind, operationBodies, operationsMax } from '@inventory/domain/contract/batch';
import { parseQuantity } from '@inventory/domain/quantity';
import type { AtomicRequest, Original, QueuedRequest, RequestKey } from '@inventory/domain/stock/request';

/** The form of an X-Request-Id that the api accepts. */
const xRequestIdPattern = /^[\x21-\x7e]{1,128}$/;
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Whether a request that was taken from the queue is one that the api would have sent: its body by the same
 * schemas. The types promise it; this is for a fault of ours, or an api of another version.
 */
export function isSound(request: QueuedRequest): boolean {
  const { clientId, deadline, xRequestId, after } = (request ?? {}) as Partial<QueuedRequest>;
  if (typeof clientId !== 'string' || !Number.isFinite(deadline)) return false;
  if (xRequestId !== undefined && !(typeof xRequestId === 'string' && xRequestIdPattern.test(xRequestId)))
    return false;
  if (after !== undefined && !isBefore(after)) return false;
  if (request.kind !== 'batch') return isOperation(request);
  const { requestId, body, operations } = request as Partial<AtomicRequest> & { requestId: unknown };
  return (
    isId(requestId) &&
    typeof body?.digest === 'string' &&
    Array.isArray(operations) &&
    operations.length > 0 &&
    operations.length <= operationsMax &&
    operations.every(isOperation)
  );
}

const isId = (value: unknown) => typeof value === 'string' && uuid.test(value);

/** Whether a value names the request that must come first. */
function isBefore(before: unknown): boolean {
  const { requestId, key } = (before ?? {}) as Partial<Record<'requestId' | 'key', unknown>>;
  const { digest, askedAt } = (key ?? {}) as Partial<RequestKey>;
  return isId(requestId) && (key === undefined || (typeof digest === 'string' && Number.isFinite(askedAt)));
}

function isOperation(request: unknown): boolean {
  const { requestId, kind, body, of } = (request ?? {}) as Record<
    'requestId' | 'kind' | 'body' | 'of',
    unknown
  >;
  return (
    isId(requestId) &&
    typeof kind === 'string' &&
    Object.hasOwn(operationBodies, kind) &&
    isBody(kind as OperationKind, body) &&
    (kind !== 'reverse' || isOriginal(of))
  );
}

function isBody(kind: OperationKind, body: unknown): boolean {
  const schema = operationBodies[kind];
  return schema.safeParse(body).success || schema.safeParse(asRead(kind, body)).success;
}

/** The body as the api has read it: a decimal with more digits than a double travels as text. */
function asRead(kind: OperationKind, body: unknown): Record<string, unknown> {
  const fields: Record<string, { safeParse(value: unknown): { success: boolean } }> =
    operationBodies[kind].shape;
  return Object.fromEntries(
    Object.entries(body ?? {}).map(([name, value]) => {
      const isDecimal = typeof value === 'string' && /^\d{1,15}\.\d{1,6}$/.test(value);
      const isTaken = !isDecimal || fields[name]?.safeParse(value).success !== false;
      return [name, isTaken ? value : parseQuantity(value)];
    }),
  );
}

function isOriginal(of: unknown): boolean {
  const { kind, itemID, wids, lines } = (of ?? {}) as Partial<Original>;
  return (
    kind !== undefined &&
    Object.hasOwn(operationBodies, kind) &&
    typeof itemID === 'string' &&
    Array.isArray(wids) &&
    wids.every(Number.isSafeInteger) &&
    Number.isSafeInteger(lines)
  );
}
