import type { Outcome } from '@inventory/domain/stock/outcome';
import type { QueuedRequest } from '@inventory/domain/stock/request';

/**
 * The envelope version in which each kind of request was introduced. An older worker leaves an envelope of a
 * later version to workers that know it, so both versions can run together. A new kind gets the next number,
 * and so does a change that an older worker would misread.
 */
const versionSince: Readonly<Record<QueuedRequest['kind'], number>> = {
  receive: 1,
  move: 1,
  issue: 1,
  count: 1,
  reverse: 1,
  batch: 1,
};

/**
 * The version of an envelope with these requests: the lowest that is known to all workers that can apply
 * them.
 */
export function envelopeVersionOf(requests: readonly QueuedRequest[]): number {
  return requests.reduce((version, { kind }) => Math.max(version, versionSince[kind]), 1);
}

/** Whether a worker of this version can apply a whole envelope. The envelope's signature was verified. */
export function isKnownEnvelope(version: number, requests: readonly QueuedRequest[]): boolean {
  return version <= Math.max(...Object.values(versionSince)) && requests.every(isOfKnownKind);
}

/** A value that is not a request counts as known, because no other worker could apply it. */
function isOfKnownKind(request: QueuedRequest): boolean {
  const { kind, operations } = (request ?? {}) as { kind?: unknown; operations?: unknown };
  if (typeof kind !== 'string') return true;
  if (!Object.hasOwn(versionSince, kind)) return false;
  return kind !== 'batch' || !Array.isArray(operations) || operations.every(isOfKnownKind);
}

/**
 * Outcomes in the order of the envelope's requests, as short lists to keep the answer small. The third
 * element marks repeats. `stored`: the outcome is too large for Redis and is in Postgres.
 */
export type EnvelopeResult = [Outcome['status'] | 'stored', string | null, isRepeat?: 1][];

// Redis keeps the answers of many envelopes, so they must be small. In characters.
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
    // For other outcomes, Postgres stores only the id.
    const isStored = status === 'applied' || status === 'refused';
    // The text of a large answer that was decided earlier was not read.
    if (isStored && (result === null || length > resultMax || length > room)) return ['stored', null];
    room -= length;
    return isRepeat ? [status, result, 1] : [status, result];
  });
}

/** Returns the outcome, or null if it must be read from Postgres. */
export function unpackOutcome([status, result, isRepeat]: EnvelopeResult[number]): Outcome | null {
  if (status === 'stored') return null;
  return isRepeat === 1 ? { status, result, isRepeat: true } : { status, result };
}

/** The queue of a shard. The braces keep all keys of a shard on one node of a Redis Cluster. */
export function queueName(shard: number): string {
  return `{stock-${shard}}`;
}

/**
 * The name of a worker's connection for the jobs of a shard; null: the connection on which it reports that it
 * is there. `doctor` checks when it was last used. The queue's name is encoded, because braces would not
 * survive.
 */
export function workerConnectionName(prefix: string, shard: number | null, workerId: string): string {
  const queue = shard === null ? '' : Buffer.from(queueName(shard)).toString('base64');
  return `${prefix}:${queue}:main:${workerId}`;
}

/** The shard of an item. All work on an item meets in one queue, and so in one batch. */
export function shardOf(shortId: string, shardCount: number): number {
  if (shardCount === 1) return 0;
  // FNV-1a: evenly spread, and the same in every process.
  let hash = 0x811c9dc5;
  for (let index = 0; index < shortId.length; index++) {
    hash = Math.imul(hash ^ shortId.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash % shardCount;
}
