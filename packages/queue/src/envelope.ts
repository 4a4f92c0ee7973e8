import type { QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import { knownVersion, versionOfRequest } from './request-versions.ts';

/**
 * The version of an envelope with these requests: the lowest that is known to all workers that can apply
 * them with all of their fields.
 */
export function envelopeVersionOf(requests: readonly QueuedRequest[]): number {
  return requests.reduce((version, each) => Math.max(version, versionOfRequest(each)), 1);
}

/**
 * Whether a worker of this version can apply a whole envelope. The envelope's signature was verified. What
 * stands in it is looked at as well, in case an api signed too low a version.
 */
export function isKnownEnvelope(version: number, requests: readonly QueuedRequest[]): boolean {
  return Math.max(version, envelopeVersionOf(requests)) <= knownVersion;
}

/**
 * Outcomes in the order of the envelope's requests, as short lists to keep the answer small. `stored`: the
 * outcome is in Postgres, because it is too large for Redis, or was decided by an earlier send of its key.
 * `isRepeat`: workers of version 0.1.0 mark such a one so. Their signature does not cover it, so it is not
 * believed: Postgres tells.
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
    const isApart = isRepeat || result === null || length > resultMax || length > room;
    if (isStored && isApart) return ['stored', null];
    room -= length;
    return [status, result];
  });
}

/** Returns the outcome, or null if it must be read from Postgres. */
export function unpackOutcome([status, result, isRepeat]: EnvelopeResult[number]): Outcome | null {
  return status === 'stored' || isRepeat !== undefined ? null : { status, result };
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
