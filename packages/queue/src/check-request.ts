import { IssueRequest } from '@inventory/domain/contract/issue';
import { MoveRequest } from '@inventory/domain/contract/move';
import { ReceiveRequest } from '@inventory/domain/contract/receive';
import type { QueuedRequest } from '@inventory/domain/stock/request';

const bodies = { receive: ReceiveRequest, move: MoveRequest, issue: IssueRequest };
/** What the api takes for an X-Request-Id. */
const xRequestIdPattern = /^[\x21-\x7e]{1,128}$/;
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Whether a request that was taken from the queue is one that the api would have sent: its body by the same schemas. The types
 * promise it; this is for a fault of ours, or an api of another version.
 */
export function isSound(request: QueuedRequest): boolean {
  const { requestId, xRequestId, clientId, deadline, kind, body } = (request ?? {}) as Partial<QueuedRequest>;
  return (
    typeof requestId === 'string' &&
    uuid.test(requestId) &&
    (xRequestId === undefined || (typeof xRequestId === 'string' && xRequestIdPattern.test(xRequestId))) &&
    typeof clientId === 'string' &&
    Number.isFinite(deadline) &&
    kind !== undefined &&
    Object.hasOwn(bodies, kind) &&
    bodies[kind].safeParse(body).success
  );
}
