import { readEnvelopeKeys } from '@inventory/db/access/envelope-keys';
import type { Sql } from '@inventory/db/postgres/pool';
import type { QueuedRequest } from '@inventory/domain/stock/request';
import { type EnvelopeKeys, openEnvelopeKeys } from '@inventory/queue/envelope-keys';
import { signEnvelope } from '@inventory/queue/signature';
import type { Queue } from 'bullmq';

/** One key for both sides of a queue without a database. */
export function fixedKeys(): Promise<EnvelopeKeys> {
  return openEnvelopeKeys(async () => [{ kid: 1, secret: Buffer.alloc(32, 7), settled: true }]);
}

/** Queues requests like an api that works on this database. */
export async function addEnvelope(
  queue: Queue,
  sql: Sql,
  jobId: string,
  requests: QueuedRequest[],
): Promise<void> {
  const keys = await openEnvelopeKeys(() => readEnvelopeKeys(sql));
  const data = signEnvelope(keys, { queue: queue.qualifiedName, jobId }, requests);
  keys.stop();
  await queue.add('envelope', data, { jobId, removeOnComplete: true });
}
