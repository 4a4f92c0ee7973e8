import type { CountRequest } from '../contract/count.ts';
import type { IssueRequest } from '../contract/issue.ts';
import type { MoveRequest } from '../contract/move.ts';
import type { ReceiveRequest } from '../contract/receive.ts';
import type { ReverseRequest } from '../contract/reverse.ts';

/** One transaction as it was asked for: the kind and the validated body. */
export type SingleRequest =
  | { kind: 'receive'; body: ReceiveRequest }
  | { kind: 'move'; body: MoveRequest }
  | { kind: 'issue'; body: IssueRequest }
  | { kind: 'count'; body: CountRequest }
  | { kind: 'reverse'; body: ReverseRequest; of: Original };

/**
 * What the ledger says of a transaction that is to be undone, and will say for ever: its kind, its item,
 * every warehouse that it touched, and how many lines it has. So it can be looked up before the gates are
 * locked.
 */
export type Original = {
  kind: 'receive' | 'move' | 'issue' | 'count' | 'reverse';
  itemID: string;
  wids: number[];
  lines: number;
};

/**
 * Many transactions that are applied together or not at all. `body`: what stands for them in the ledger, with
 * a digest of all that they ask.
 */
export type AtomicRequest = {
  kind: 'batch';
  body: { mode: 'atomic'; count: number; digest: string };
  operations: AtomicOperation[];
};

/** `ownKey`: its key as it was sent, for the answer. */
export type AtomicOperation = {
  requestId: string;
  ownKey: string | null;
  key?: RequestKey;
  evidence?: Evidence;
} & SingleRequest;

/** A single transaction or an atomic batch, as it was asked for. */
export type StockRequest = SingleRequest | AtomicRequest;

export type StockKind = StockRequest['kind'];

/** The transactions that a request asks for. */
export function operationsOf(request: StockRequest): readonly SingleRequest[] {
  return request.kind === 'batch' ? request.operations : [request];
}

/**
 * The Idempotency-Key that a request was sent with. `digest`: SHA-256 of the key, base64; `fingerprint`: of
 * the request, so that another request under the same key is told; `askedAt`: when this send came, by the
 * clock of Postgres, milliseconds since 1970.
 */
export type RequestKey = { digest: string; fingerprint: string; askedAt: number };

/**
 * What a device noted about its work, by its own clock; never the ledger's time. Milliseconds since 1970;
 * `correctedAt`: without the clock's error, where it is known.
 */
export type Evidence = {
  capturedAt: number | null;
  correctedAt: number | null;
  deviceId: string | null;
  deviceSeq: number | null;
};

/**
 * One stock transaction on its way. `deadline`: milliseconds since 1970; nobody waits for it after that.
 * `xRequestId`: the caller's X-Request-Id, when it sent one; without one the answer was named by `requestId`.
 * `trace`: the span that waits for it, as `traceparent` of W3C; only where traces are sent somewhere.
 * `after`: the operation before it in its list, at the same gate and in the same envelope. Unless that one is
 * applied or refused, this one is not applied.
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

/** The item of a transaction. */
export function itemIdOf(request: SingleRequest): string {
  return request.kind === 'reverse' ? request.of.itemID : request.body.itemID;
}

/** Every warehouse a transaction touches; each must be in the client's scope. */
export function warehousesOf(request: SingleRequest): number[] {
  if (request.kind === 'reverse') return request.of.wids;
  const { body } = request;
  return 'shipToWid' in body && body.shipToWid !== undefined ? [body.wid, body.shipToWid] : [body.wid];
}
