import { hash } from 'node:crypto';
import type { DatabaseClock } from '@inventory/db/database-clock';
import { isKeyed, type SentRequest } from '@inventory/db/requests/idempotency-keys';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import type {
  AtomicOperation,
  AtomicRequest,
  Evidence,
  Queued,
  QueuedRequest,
  RequestKey,
  SingleRequest,
  StockRequest,
} from '@inventory/domain/stock/request';
import { createPacer } from '@inventory/process/pacer';
import type { Tracing } from '@inventory/process/tracing';
import { within } from '@inventory/process/within';
import type { SubmitResult, Submitter } from '@inventory/queue/submit';
import { waitLimits } from '@inventory/queue/submit';
import { unknownAnswer } from './answer-texts.ts';
import { insist, whenUnanswered } from './insist.ts';
import { createRequestId, type RequestName } from './request-id.ts';

// A little more than a request without a key gets: what the queue refuses is settled after.
const keyedWithinMs = waitLimits.giveUpAfterMs + 200;
const refusedWithinMs = 1000;

/** The way of transactions through the queue, with or without a key. */
export type Sender = {
  /** How many `sendAll` takes, at most. */
  togetherMax: number;
  /** A request as it travels. `arrivedAt`: of `performance.now()`, when its clock starts. */
  queued<Request extends StockRequest>(request: Request, from: Origin): Queued<Request>;
  /**
   * The operations of an atomic batch as one request. However large they are, others get their turns of the
   * event loop meanwhile.
   */
  atomic(operations: readonly OperationToSend[], from: Origin): Promise<Queued<AtomicRequest>>;
  /**
   * Sends requests of one item, which are decided in their order; never throws an outage: the answer is
   * `unknown` then.
   */
  sendAll(requests: readonly QueuedRequest[], arrivedAt: number): Promise<SubmitResult[]>;
  /**
   * For requests that are not sent any more: what was decided under their keys; else they are `busy`, or
   * surely not applied. `unknown` when Postgres does not say `withinMs`.
   */
  settleAll(requests: readonly QueuedRequest[], withinMs: number): Promise<SubmitResult[]>;
};

export type Origin = {
  clientId: string;
  arrivedAt: number;
  key?: string | undefined;
  evidence?: Evidence | undefined;
  /** What the one transaction that a call asks for is called; left out for one of many. */
  name?: RequestName;
};

export type OperationToSend = { request: SingleRequest; key: string | null; evidence?: Evidence | undefined };

export type SenderOptions = {
  submitter: Submitter;
  /**
   * Decides that a request is never applied; returns what was decided if it already was, under its key
   * perhaps.
   */
  settle: (request: SentRequest) => Promise<StoredOutcome>;
  /** What the clock of Postgres shows, milliseconds since 1970; `doubt`: something else perhaps by now. */
  clock: Pick<DatabaseClock, 'now' | 'doubt'>;
  /** null: traces go nowhere. */
  tracing: Tracing | null;
};

// Postgres could not say what the key leads to, or settle it: an earlier send of it may be applied.
const unknown = whenUnanswered(unknownAnswer);

export function createSender({ submitter, settle, clock, tracing }: SenderOptions): Sender {
  function queued<Request extends StockRequest>(
    request: Request,
    { clientId, arrivedAt, key, evidence, name }: Origin,
  ): Queued<Request> {
    const askedAt = clock.now() - (performance.now() - arrivedAt);
    return {
      ...request,
      requestId: name?.ours ?? createRequestId(),
      ...(name !== undefined && name.theirs !== null && { xRequestId: name.theirs }),
      clientId,
      deadline: askedAt + waitLimits.verdictAfterMs,
      ...(key !== undefined && { key: keyOf(key, request, askedAt) }),
      ...(evidence !== undefined && { evidence }),
    };
  }

  /**
   * Another send of the same key may be under way, from this process or another, and its caller gone: one
   * that the queue refuses is told that nothing was applied only when that cannot be any more.
   */
  async function settled(
    request: QueuedRequest,
    answer: SubmitResult,
    untilMs: number,
  ): Promise<SubmitResult> {
    if (answer.status !== 'busy' || !isKeyed(request)) return answer;
    return insist(untilMs, () => settle(request));
  }

  async function answered(
    request: QueuedRequest,
    submitted: Promise<SubmitResult>,
    arrivedAt: number,
  ): Promise<SubmitResult> {
    if (!isKeyed(request)) return submitted;
    // One that came slowly is refused at once, but not without asking.
    const now = performance.now();
    const leftMs = Math.max(keyedWithinMs - (now - arrivedAt), refusedWithinMs);
    const answer = submitted.then((result) => settled(request, result, now + leftMs));
    return within(leftMs, answer).catch(unknown);
  }

  function sendAll(requests: readonly QueuedRequest[], arrivedAt: number): Promise<SubmitResult[]> {
    const submitted =
      requests.length === 1
        ? [submitter.submit(requests[0]!, arrivedAt)]
        : submitter.submitTogether(requests, arrivedAt);
    return Promise.all(
      requests.map((request, index) =>
        answered(request, submitted[index]!.then(doubting(clock, arrivedAt)), arrivedAt),
      ),
    );
  }

  return {
    togetherMax: submitter.togetherMax,
    queued,
    async atomic(operations, from) {
      return queued(await joined(operations, from, queued), from);
    },
    sendAll(requests, arrivedAt) {
      if (tracing === null) return sendAll(requests, arrivedAt);
      // From here until the answers, as one span; the batches link to it.
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

/**
 * Has the clock measured when a request was refused for its deadline before that: the clock of Postgres was
 * set forward, or another server took over.
 */
function doubting(clock: SenderOptions['clock'], arrivedAt: number) {
  return (answer: SubmitResult) => {
    const isEarly = performance.now() - arrivedAt < waitLimits.verdictAfterMs;
    if (answer.status === 'abandoned' && answer.result === null && isEarly) clock.doubt();
    return answer;
  };
}

/** Operations as one request that is applied whole or not at all. */
async function joined(
  operations: readonly OperationToSend[],
  { clientId, arrivedAt }: Origin,
  queued: Sender['queued'],
): Promise<AtomicRequest> {
  const pace = createPacer();
  const asked: string[] = [];
  const sent: AtomicOperation[] = [];
  for (const { request, key, evidence } of operations) {
    await pace();
    asked.push(JSON.stringify([request.kind, request.body, key]));
    const own = queued(request, { clientId, arrivedAt, key: key ?? undefined, evidence });
    const { clientId: _, deadline, ...rest } = own;
    sent.push({ ...rest, ownKey: key } as AtomicOperation);
  }
  // The text of the whole list: every version of the api makes the same digest of it.
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
