import { UnrecoverableError } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { countStatuses } from '../harness/queue/batches.ts';
import { startLosingWorker } from '../harness/queue/losing-worker.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { useService } from '../harness/service/service.ts';

describe('with a worker process', () => {
  const service = useService({ workers: 0 });
  let worker: Started;

  beforeAll(async () => {
    worker = await startProcess('apps/worker/src/main.ts', asPart('worker', service.env));
  });
  afterAll(async () => {
    await worker?.stop();
  });

  test('201 for every request, even when the worker finishes long before the busy api looks', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
    const statuses: number[] = [];
    const call = async (count: number) => {
      for (let turn = 0; turn < count; turn++)
        statuses.push((await client.post('/Inventory/Receive', body)).status);
    };
    await call(40);
    // This process is also the api. Most of the time it now does nothing but burn time, for varying lengths.
    let turns = 0;
    const burn = () => {
      turns += 1;
      const until = performance.now() + 3 * (1 + (turns % 5));
      while (performance.now() < until);
    };
    // Send fewer at once on a machine without time to spare: 503 is right there.
    for (const callers of [8, 4, 2, 1, 1, 1]) {
      statuses.length = 0;
      const before = (await countStatuses(service.sql, itemID)).applied ?? 0;
      const burning = setInterval(burn, 1);
      await Promise.all(Array.from({ length: callers }, () => call(120 / callers)));
      clearInterval(burning);
      const answered = statuses.filter((status) => status === 201).length;
      // On any machine: never applied and answered no.
      expect(await countStatuses(service.sql, itemID)).toMatchObject({ applied: before + answered });
      if (answered === statuses.length) break;
    }
    expect(statuses).toEqual(Array(120).fill(201));
  });
});

describe('with a worker that applies a request and then loses its job', () => {
  const service = useService({ workers: 0 });
  let close: (() => Promise<void>) | undefined;

  afterEach(async () => {
    await close?.();
  });

  // Tried again: Postgres is asked once, and 503 is right if the machine stands still then.
  test('201: a request whose job is reported as failed after it was applied', { retry: 3 }, async () => {
    close = startLosingWorker(service.sql, service.env.QUEUE_PREFIX!, async () => {
      throw new UnrecoverableError('lost after the commit');
    });
    const client = await service.client();
    const itemID = await service.item();
    const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => client.post('/Inventory/Receive', body)),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(201));
    expect(await countStatuses(service.sql, itemID)).toEqual({ applied: 10 });
  });

  // Tried again: the machine may stand still for a second.
  test('201 within a second: a request whose completion never arrives', { retry: 3 }, async () => {
    close = startLosingWorker(service.sql, service.env.QUEUE_PREFIX!, () => new Promise(() => {}));
    const client = await service.client();
    const itemID = await service.item();
    const startedAt = performance.now();
    const answer = await client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 });
    expect(answer.status).toBe(201);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});
