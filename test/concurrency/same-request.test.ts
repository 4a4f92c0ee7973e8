import { randomBytes, randomUUID } from 'node:crypto';
import { applyBatch } from '@inventory/db/batch/apply-batch';
import { createBatchPool } from '@inventory/db/batch/batch-pool';
import { createPartNumbers } from '@inventory/db/batch/gates';
import { connect } from '@inventory/db/postgres/pool';
import type { QueuedRequest } from '@inventory/domain/stock/request';
import { openQueue } from '@inventory/queue/queue';
import { connectProducer } from '@inventory/queue/redis/redis';
import { afterAll, expect, inject, test } from 'vitest';
import { addressFor } from '../harness/as-part.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { countStatuses, expectWaiting, holdGates } from '../harness/queue/batches.ts';
import { addEnvelope } from '../harness/queue/envelopes.ts';
import { useService } from '../harness/service/service.ts';
import { receive } from '../harness/stock/stock.ts';

const prefix = `same-${randomBytes(6).toString('hex')}`;
const service = useService({ workers: 2, env: { QUEUE_PREFIX: prefix } });
const redis = connectProducer(inject('redisUrl'), () => {});
// One for each worker.
const queues = [0, 1].map((shard) => openQueue({ shard, prefix, connection: redis, onError: () => {} }));

afterAll(async () => {
  await Promise.all(queues.map((queue) => queue.close()));
  redis.disconnect();
});

/** An item with 100 units, and twenty requests for it that take 2 each. */
async function createRequests(): Promise<{ itemID: string; requests: QueuedRequest[] }> {
  const client = await service.client();
  const itemID = await service.item();
  await receive(client, itemID, 100);
  const requests = Array.from({ length: 20 }, () => ({
    requestId: randomUUID(),
    clientId: client.clientId,
    deadline: Date.now() + 60_000,
    kind: 'issue' as const,
    body: { itemID, units: 2, wid: 1, reasonCode: 0 },
  }));
  return { itemID, requests };
}

test('one transaction and one outcome for each request of a batch that three workers apply at once', async () => {
  const { itemID, requests } = await createRequests();
  const pools = [1, 2, 3].map(() =>
    createBatchPool(
      connect(addressFor('worker', service.databaseUrl), { name: 'test-worker', connectionsMax: 2 }),
    ),
  );
  const release = await holdGates(service.sql, itemID);
  const applied = meanwhile(
    Promise.all(pools.map((pool) => applyBatch(pool, requests, createPartNumbers()))),
  );
  await expectWaiting(service.sql, 3);
  await release();
  const outcomes = await applied;
  for (const pool of pools) await Promise.all([pool.end({ timeout: 10 }), pool.sql.end()]);
  expect(outcomes[1]).toEqual(outcomes[0]);
  expect(outcomes[2]).toEqual(outcomes[0]);
  expect(await countStatuses(service.sql, itemID)).toEqual({ applied: 21 });
});

// Tried again: each worker waits 300 ms for the gate, and a slow machine may never see both wait.
test('one transaction for each request of an envelope that is queued under six job ids, over two workers', {
  retry: 3,
}, async () => {
  const { itemID, requests } = await createRequests();
  const release = await holdGates(service.sql, itemID);
  const bothWait = meanwhile(expectWaiting(service.sql, 2));
  await Promise.all(
    Array.from({ length: 6 }, (_, count) =>
      addEnvelope(queues[count % 2]!, service.sql, randomUUID(), requests),
    ),
  );
  await bothWait.finally(release);
  await expect
    .poll(async () => {
      const counts = await Promise.all(
        queues.map((queue) => queue.getJobCounts('wait', 'active', 'delayed')),
      );
      return counts.flatMap((each) => Object.values(each));
    })
    .toEqual([0, 0, 0, 0, 0, 0]);
  expect(await countStatuses(service.sql, itemID)).toEqual({ applied: 21 });
});
