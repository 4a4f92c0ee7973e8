import type { Outcome } from '@inventory/domain/stock/outcome';
import type { QueuedRequest } from '@inventory/domain/stock/request';

/**
 * The version of envelopes in which each kind of request came. A worker that is older leaves an envelope of a
 * later version to those that know it, so that both can run beside each other. A new kind gets the next
 * number, and so does a change of a kind that an older worker would misread.
 */
const versionSince: Readonly<Record<QueuedRequest['kind'], number>> = {
  receive: 1,
  move: 1,
  issue: 1,
  count: 1,
  reverse: 1,
  batch: 1,
};

/** The version of an envelope of these requests: the lowest that all workers can apply that know it. */
export function envelopeVersionOf(requests: readonly QueuedRequest[]): number {
  return requests.reduce((version, { kind }) => Math.max(version, versionSince[kind]), 1);
}

/** Whether a worker of this version can apply all of an envelope, which an api of ours sent. */
export function isKnownEnvelope(version: number, requests: readonly QueuedRequest[]): boolean {
  return version <= Math.max(...Object.values(versionSince)) && requests.every(isOfKnownKind);
}

/** What is no request at all is not left to anybody. */
function isOfKnownKind(request: QueuedRequest): boolean {
  const { kind, operations } = (request ?? {}) as { kind?: unknown; operations?: unknown };
  if (typeof kind !== 'string') return true;
  if (!Object.hasOwn(versionSince, kind)) return false;
  return kind !== 'batch' || !Array.isArray(operations) || operations.every(isOfKnownKind);
}

/**
 * Outcomes in the order of the envelope's requests, as short lists: an envelope's answers are read by every
 * api process. The third place is there for repeats. `stored`: the outcome is too large to travel and stands
 * in Postgres.
 */
export type EnvelopeResult = [Outcome['status'] | 'stored', string | null, isRepeat?: 1][];

// Redis keeps the answers of many envelopes: it is to hold only small ones. Counted in characters.
const resultMax = 4096;
const resultsMax = 32_768;

export function packOutcomes(
  requests: readonly QueuedRequest[],
  outcomes: ReadonlyMap<string, Outcome>,
): EnvelopeResult {
  let room = resultsMax;
  return requests.map(({ requestId }) => {
    const { status, result, isRepeat } = outcomes.get(requestId)!;
    const length = result?.length ?? 0;
    // Of the others Postgres has the id alone.
    const isStored = status === 'applied' || status === 'refused';
    // A large answer that was decided before was not read.
    if (isStored && (result === null || length > resultMax || length > room)) return ['stored', null];
    room -= length;
    return isRepeat ? [status, result, 1] : [status, result];
  });
}

/** The outcome, or null when it has to be read from Postgres. */
export function unpackOutcome([status, result, isRepeat]: EnvelopeResult[number]): Outcome | null {
  if (status === 'stored') return null;
  return isRepeat === 1 ? { status, result, isRepeat: true } : { status, result };
}

/** Where a shard's envelopes wait. The braces keep all of a shard's keys on one node of a Redis Cluster. */
export function queueName(shard: number): string {
  return `{stock-${shard}}`;
}

/**
 * The name of the connection by which a worker takes and ends its work from a shard; null: by which it says
 * that it is there. `doctor` looks how long ago it was last used. A queue's braces would not survive as they
 * are.
 */
export function workerConnectionName(prefix: string, shard: number | null, workerId: string): string {
  const queue = shard === null ? '' : Buffer.from(queueName(shard)).toString('base64');
  return `${prefix}:${queue}:main:${workerId}`;
}

/** The shard of an item: all work on one item meets in one queue, and so in one batch. */
export function shardOf(shortId: string, shardCount: number): number {
  if (shardCount === 1) return 0;
  // FNV-1a: spread evenly, the same in every process.
  let hash = 0x811c9dc5;
  for (let index = 0; index < shortId.length; index++) {
    hash = Math.imul(hash ^ shortId.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash % shardCount;
}
