import { hash } from 'node:crypto';
import { isKeyed, type SentRequest } from '@inventory/db/requests/idempotency-keys';
import type { SingleRequest } from '@inventory/domain/kinds/kinds';
import type {
  AtomicOperation,
  AtomicRequest,
  Evidence,
  Queued,
  QueuedRequest,
  RequestKey,
  StockRequest,
} from '@inventory/domain/request';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { createPacer } from '@inventory/process/pacer';
import type { Tracing } from '@inventory/process/telemetry/tracing';
import { within } from '@inventory/process/within';
import type { SubmitResult, Submitter } from '@inventory/queue/submit/submit';
import { waitLimits } from '@inventory/queue/submit/submit';
import { askAgain, whenUnanswered } from '@inventory/turns/ask-again';
import { createRequestId, type RequestName } from '../http/request-id.ts';
import { unknownAnswer } from './answer-texts.ts';

// A little longer than a request without a key waits: a request that the queue refuses is settled after that.
const keyedWithinMs = waitLimits.giveUpAfterMs + 200;
const refusedWithinMs = 1000;

/** Sends transactions through the queue, with or without a key. */
export type Sender = {
  /** The most requests that `sendAll` takes. */
  togetherMax: number;
  /** Makes the queued form of a request. Its deadline counts from `arrivedAt` (of `performance.now()`). */
  queued<Request extends StockRequest>(request: Request, from: Origin): Queued<Request>;
  /**
   * Joins the operations of an atomic batch into one request. Yields the event loop, however many there are.
   */
  atomic(operations: readonly OperationToSend[], from: Origin): Promise<Queued<AtomicRequest>>;
  /**
   * Sends requests for one item, which are decided in order. An outage does not throw; the answer is then
   * `unknown`.
   */
  sendAll(requests: readonly QueuedRequest[], arrivedAt: number): Promise<SubmitResult[]>;
  /**
   * For requests that will not be sent any more. Returns the outcome if their key was decided; otherwise
   * `busy`, or an answer that says they were not applied. `unknown` if Postgres does not answer within
   * `withinMs`.
   */
  settleAll(requests: readonly QueuedRequest[], withinMs: number): Promise<SubmitResult[]>;
};

/**
 * `arrivedAt`: when the request's time began. `cameAt`: when its call came, if it has waited for its turn
 * since. A key that was refused meanwhile stays refused.
 */
export type Origin = {
  clientId: string;
  arrivedAt: number;
  cameAt?: number;
  key?: string | undefined;
  evidence?: Evidence | undefined;
  /** The ids of the request, if the call asks for one transaction only. */
  name?: RequestName;
};

export type OperationToSend = { request: SingleRequest; key: string | null; evidence?: Evidence | undefined };

export type SenderOptions = {
  submitter: Pick<Submitter, 'submit' | 'togetherMax'>;
  /**
   * Makes sure that a request is never applied. Returns its outcome if it, or its key, was already decided.
   */
  settle: (request: SentRequest) => Promise<StoredOutcome>;
  /** The clock of Postgres, in milliseconds since 1970. */
  now: () => number;
  /** null: traces are off. */
  tracing: Tracing | null;
};

// Postgres could not look up or settle the key, so an earlier send of it may be applied.
const unknown = whenUnanswered(unknownAnswer);

export function createSender({ submitter, settle, now, tracing }: SenderOptions): Sender {
  function queued<Request extends StockRequest>(
    request: Request,
    { clientId, arrivedAt, cameAt = arrivedAt, key, evidence, name }: Origin,
  ): Queued<Request> {
    const timeOf = (moment: number) => now() - (performance.now() - moment);
    const queued: Queued<Request> = {
      ...request,
      requestId: name?.ours ?? createRequestId(),
      clientId,
      deadline: timeOf(arrivedAt) + waitLimits.verdictAfterMs,
    };
    if (name !== undefined && name.theirs !== null) queued.xRequestId = name.theirs;
    if (key !== undefined) queued.key = keyOf(key, request, timeOf(cameAt));
    if (evidence !== undefined) queued.evidence = evidence;
    return queued;
  }

  /**
   * Another send of the same key may be under way, in this or another process, even if its caller has gone.
   * So a send that the queue refuses is answered with "not applied" only once Postgres has ruled that out.
   */
  async function settled(
    request: QueuedRequest,
    answer: SubmitResult,
    untilMs: number,
  ): Promise<SubmitResult> {
    if (answer.status !== 'busy' || !isKeyed(request)) return answer;
    return askAgain(untilMs, () => settle(request));
  }

  function answered(
    request: QueuedRequest,
    submitted: Promise<SubmitResult>,
    arrivedAt: number,
  ): Promise<SubmitResult> {
    if (!isKeyed(request)) return submitted;
    // A request whose body came slowly is refused at once, but Postgres is still asked about its key.
    const startedAt = performance.now();
    const leftMs = Math.max(keyedWithinMs - (startedAt - arrivedAt), refusedWithinMs);
    const answer = submitted.then((result) => settled(request, result, startedAt + leftMs));
    return within(leftMs, answer).catch(unknown);
  }

  function sendAll(requests: readonly QueuedRequest[], arrivedAt: number): Promise<SubmitResult[]> {
    const submitted = submitter.submit(requests, arrivedAt);
    return Promise.all(submitted.map((answer, index) => answered(requests[index]!, answer, arrivedAt)));
  }

  return {
    togetherMax: submitter.togetherMax,
    queued,
    async atomic(operations, from) {
      return queued(await joined(operations, from, queued), from);
    },
    sendAll(requests, arrivedAt) {
      if (tracing === null) return sendAll(requests, arrivedAt);
      // One span from here to the answers. The spans of the batches link to it.
      const attributes = { 'messaging.system': 'bullmq', 'messaging.batch.message_count': requests.length };
      return tracing.span('queue', { kind: 'producer', attributes }, () => {
        const trace = tracing.current();
        const traced = trace === undefined ? requests : requests.map((request) => ({ ...request, trace }));
        return sendAll(traced, arrivedAt);
      });
    },
    settleAll(requests, withinMs) {
      const untilMs = performance.now() + withinMs;
      return Promise.all(
        requests.map((request) =>
          within(withinMs, settled(request, { status: 'busy', result: null }, untilMs)).catch(unknown),
        ),
      );
    },
  };
}

/** Joins operations into one request that is applied completely or not at all. */
async function joined(
  operations: readonly OperationToSend[],
  { clientId, arrivedAt, cameAt = arrivedAt }: Origin,
  queued: Sender['queued'],
): Promise<AtomicRequest> {
  const pace = createPacer();
  const asked: string[] = [];
  const sent: AtomicOperation[] = [];
  for (const { request, key, evidence } of operations) {
    await pace();
    asked.push(JSON.stringify([request.kind, request.body, key]));
    const own = queued(request, { clientId, arrivedAt, cameAt, key: key ?? undefined, evidence });
    const { clientId: _, deadline, ...rest } = own;
    sent.push({ ...rest, ownKey: key } as AtomicOperation);
  }
  // The digest is made of this text, so every version of the api must write it the same way.
  const list = `[${asked.join(',')}]`;
  const body = { mode: 'atomic' as const, count: operations.length, digest: digest(list) };
  return { kind: 'batch', body, operations: sent };
}

function keyOf(key: string, { kind, body }: StockRequest, askedAt: number): RequestKey {
  return {
    digest: digest(key),
    fingerprint: digest(JSON.stringify([kind, body])),
    askedAt: Math.floor(askedAt),
  };
}

function digest(text: string): string {
  return hash('sha256', text, 'base64');
}
