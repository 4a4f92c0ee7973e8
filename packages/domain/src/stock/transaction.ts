import type { Batch } from './batch.ts';
import type { Decision } from './decision.ts';
import { type IssueRequest, issue } from './issue.ts';
import { type MoveRequest, move } from './move.ts';
import { type ReceiveRequest, receive } from './receive.ts';

/** What is asked of stock: the kind and the validated body. */
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

/** Decides one transaction and, when it is applied, changes the batch. */
export function decide(batch: Batch, request: StockRequest): Decision {
  switch (request.kind) {
    case 'receive':
      return receive(batch, request.body);
    case 'move':
      return move(batch, request.body);
    case 'issue':
      return issue(batch, request.body);
  }
}

/** Every warehouse a transaction touches; each must be in the client's scope. */
export function warehousesOf(request: StockRequest): number[] {
  const { body } = request;
  return 'shipToWid' in body && body.shipToWid !== undefined ? [body.wid, body.shipToWid] : [body.wid];
}
