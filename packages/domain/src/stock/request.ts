import type { IssueRequest } from '../contract/issue.ts';
import type { MoveRequest } from '../contract/move.ts';
import type { ReceiveRequest } from '../contract/receive.ts';

/** A stock transaction that is asked for: the kind and the validated body. */
export type StockRequest =
  | { kind: 'receive'; body: ReceiveRequest }
  | { kind: 'move'; body: MoveRequest }
  | { kind: 'issue'; body: IssueRequest };

export type StockKind = StockRequest['kind'];

/**
 * The Idempotency-Key that a request was sent with. `digest`: SHA-256 of the key, base64; `fingerprint`: of the request, so that
 * another request under the same key is told; `askedAt`: when this send came, by the clock of Postgres, milliseconds since 1970.
 */
export type RequestKey = { digest: string; fingerprint: string; askedAt: number };

/**
 * One stock transaction on its way. `deadline`: milliseconds since 1970; nobody waits for it after that. `xRequestId`: the caller's
 * X-Request-Id, when it sent one; without one the answer was named by `requestId`.
 */
export type QueuedRequest = {
  requestId: string;
  xRequestId?: string;
  clientId: string;
  deadline: number;
  key?: RequestKey;
} & StockRequest;

/** Every warehouse a transaction touches; each must be in the client's scope. */
export function warehousesOf(request: StockRequest): number[] {
  const { body } = request;
  return 'shipToWid' in body && body.shipToWid !== undefined ? [body.wid, body.shipToWid] : [body.wid];
}
