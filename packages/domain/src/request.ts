import type { SingleRequest } from './kinds/kinds.ts';

/**
 * Several transactions that are applied together or not at all. `body`: represents them in the ledger, with a
 * digest of everything they ask for.
 */
export type AtomicRequest = {
  kind: 'batch';
  body: { mode: 'atomic'; count: number; digest: string };
  operations: AtomicOperation[];
};

/** `ownKey`: its key as sent, for the answer. */
export type AtomicOperation = {
  requestId: string;
  ownKey: string | null;
  key?: RequestKey;
  evidence?: Evidence;
} & SingleRequest;

/** A single transaction or an atomic batch, as requested. */
export type StockRequest = SingleRequest | AtomicRequest;

export type StockKind = StockRequest['kind'];

/** The transactions of a request. */
export function operationsOf(request: StockRequest): readonly SingleRequest[] {
  return request.kind === 'batch' ? request.operations : [request];
}

/**
 * The Idempotency-Key of a request. `digest`: SHA-256 of the key, in base64. `fingerprint`: of the request,
 * to detect another request under the same key. `askedAt`: when this send came, by the clock of Postgres, in
 * milliseconds since 1970.
 */
export type RequestKey = { digest: string; fingerprint: string; askedAt: number };

/**
 * The device's notes about its work, by its own clock; never the time of the ledger. Milliseconds since 1970.
 * `correctedAt`: without the clock's error, if that is known.
 */
export type Evidence = {
  capturedAt: number | null;
  correctedAt: number | null;
  deviceId: string | null;
  deviceSeq: number | null;
};

/**
 * A stock transaction on its way. `deadline`: milliseconds since 1970; its caller waits no longer.
 * `xRequestId`: the caller's X-Request-Id; without one, the answer is named by `requestId`. `trace`: the
 * waiting span as a W3C `traceparent`; only if traces are exported. `after`: the operation before it in its
 * list, at the same gate and in the same envelope. Unless that one is applied or refused, this one is not
 * applied.
 */
export type Queued<Request extends StockRequest> = {
  requestId: string;
  xRequestId?: string;
  trace?: string;
  clientId: string;
  deadline: number;
  key?: RequestKey;
  after?: { requestId: string; key?: RequestKey };
  evidence?: Evidence;
} & Request;

export type QueuedRequest = Queued<StockRequest>;
