import { type UnwritableReason, unwritableReasons } from '@inventory/process/unwritable';
import type { RedisConnection } from '@inventory/redis/redis-cluster';
import { queueName } from './envelope.ts';

// A worker learns from its batches why Postgres refuses to write; an api that only waits for them does not.
// So workers tell in Redis, in a hash, for which every Redis user has had the rights since 0.1.0.

const keptMs = 10_000;

export function unwritableKeyOf(prefix: string): string {
  return `${prefix}:${queueName(0)}:unwritable`;
}

/** Tells the apis and `doctor`, for some seconds, that Postgres refuses the work of this worker. */
export async function tellUnwritable(
  connection: RedisConnection,
  key: string,
  reason: UnwritableReason,
): Promise<void> {
  await connection.multi().hset(key, reason, 1).pexpire(key, keptMs).exec();
}

/** The reason that workers gave in the last seconds, or null. */
export async function readUnwritable(
  connection: RedisConnection,
  key: string,
): Promise<UnwritableReason | null> {
  const told = await connection.hgetall(key);
  return unwritableReasons.find((reason) => reason in told) ?? null;
}
