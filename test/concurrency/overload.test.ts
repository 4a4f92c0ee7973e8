import { createLog } from '@inventory/process/log/log';
import { startWorker } from '@inventory/worker/worker';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { countStatuses, expectWaiting, holdGates } from '../harness/queue/batches.ts';
import { openSubmitter, turn } from '../harness/queue/submitter.ts';
import type { ApiAnswer, ApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { receive } from '../harness/stock/stock.ts';

// Promises about time, on a machine that stands still now and then: each test is tried again.
const timed = { retry: 3 };

type Timed = { reference: string; answer: ApiAnswer; tookMs: number };

async function send(client: ApiClient, itemID: string, reference: string): Promise<Timed> {
  const startedAt = performance.now();
  const body = { itemID, units: 1, wid: 1, reasonCode: 0, reference };
  const answer = await client.post('/Inventory/Receive', body);
  return { reference, answer, tookMs: performance.now() - startedAt };
}

const floodCount = 60;
const flood = (client: ApiClient, itemID: string) =>
  Array.from({ length: floodCount }, (_, index) => send(client, itemID, `flood-${index}`));

/**
 * Whether this machine is too slow just now to tell an immediate answer from one that waited a second: as
 * many requests that wait for nothing take almost half a second.
 */
async function isSlow(client: ApiClient): Promise<boolean> {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: floodCount }, () => client.post('/Inventory/Receive', {})));
  return performance.now() - startedAt > 400;
}

/** More than half of the flood is answered before anything can have waited for its time. */
async function expectEarly(refused: readonly Timed[], client: ApiClient, wasSlow: boolean) {
  const isEnough = () => refused.length > floodCount / 2;
  let wasEarly = true;
  await expect
    .poll(isEnough, { timeout: 900 })
    .toBe(true)
    .catch(() => {
      wasEarly = false;
    });
  if (!wasSlow && !(await isSlow(client))) expect(wasEarly).toBe(true);
}

function expectUnavailable({ answer }: Timed) {
  expect({ status: answer.status, retryAfter: answer.headers.get('Retry-After'), body: answer.body }).toEqual(
    {
      status: 503,
      retryAfter: '1',
      body: {
        statusCode: 503,
        error: 'internal_error',
        message: 'The service is busy or partly out of order; nothing was applied. Try again in a moment.',
      },
    },
  );
}

describe('more requests than can be answered in time', () => {
  // One request per envelope and two envelopes at once: few requests are an overload.
  const service = useService({
    hears503: true,
    env: { ENVELOPE_MAX: '1', ENVELOPES_IN_FLIGHT: '2', BATCH_MAX: '1' },
  });

  test(
    '503 at once for requests that cannot be answered within a second; accepted requests are applied',
    timed,
    async () => {
      const client = await service.client();
      const itemID = await service.item();
      await receive(client, itemID, 1);
      // The first two wait long, so that the service learns how long a request now takes.
      let release = await holdGates(service.sql, itemID);
      const slow = ['slow-1', 'slow-2'].map((reference) => send(client, itemID, reference));
      await expectWaiting(service.sql, 1);
      await new Promise((resolve) => setTimeout(resolve, 600));
      await release();
      const slowly = (await Promise.all(slow)).filter(({ answer }) => answer.status === 201).length;
      release = await holdGates(service.sql, itemID);
      const wasSlow = await isSlow(client);
      const sent = flood(client, itemID);
      // Prepares the next try.
      onTestFinished(async () => {
        await release();
        await Promise.allSettled(sent);
      });
      const refusedEarly: Timed[] = [];
      for (const each of sent) each.then((timed) => refusedEarly.push(timed));
      // Nothing can be applied yet, so these were answered without being sent.
      await expectEarly(refusedEarly, client, wasSlow);
      refusedEarly.forEach(expectUnavailable);
      await release();
      const all = await Promise.all(sent);
      const accepted = all.filter(({ answer }) => answer.status === 201);
      const refused = all.filter(({ answer }) => answer.status !== 201);
      refused.forEach(expectUnavailable);
      if (!(await isSlow(client))) {
        expect(slowly).toBe(2);
        expect(accepted.length).toBeGreaterThan(4);
        expect(Math.max(...refused.map(({ tookMs }) => tookMs))).toBeLessThan(1500);
      }
      expect(await countStatuses(service.sql, itemID)).toMatchObject({
        applied: 1 + slowly + accepted.length,
      });
    },
  );
});

test(
  'busy at once: requests that arrive in one turn and cannot be answered within a second',
  timed,
  async () => {
    const { submit, admits } = await openSubmitter({
      envelopeMax: 1,
      inFlightMax: 2,
      // Every answer has to be looked up, which takes a quarter of a second.
      readOutcomes: async (requests) =>
        new Map(requests.map(({ requestId }) => [requestId, { status: 'applied', result: null }])),
    });
    for (let round = 0; round < 4; round++) await Promise.all(submit(2));
    expect(admits()).toBe(true);
    const arrivedAt = performance.now();
    const answers = submit(60, arrivedAt);
    const stoodStill = performance.now() - arrivedAt > 100;
    // The next request would be refused as well, and the api is told before anything is written for it. It
    // arrives at the same moment: a machine that stood still meanwhile would admit one that arrives now.
    expect(admits(arrivedAt)).toBe(false);
    let busy = 0;
    for (const each of answers) each.then(({ status }) => status === 'busy' && busy++);
    await turn();
    expect(busy).toBeGreaterThan(40);
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    // The first two are under way at the end of the turn, and a few wait for their answers, unless a
    // standstill has made them late.
    const taken = stoodStill ? 2 : 4;
    expect(statuses.slice(0, taken)).toEqual(Array(taken).fill('applied'));
  },
);

describe('no worker', () => {
  const service = useService({ apis: 2, workers: 0, env: { ENVELOPE_MAX: '4' } });

  test('503 for everything within 3.5 s; a worker that comes later applies none of it', timed, async () => {
    const clients = await Promise.all(service.baseUrls.map((baseUrl) => service.client({ baseUrl })));
    const itemID = await service.item();
    const wasSlow = await isSlow(clients[0]!);
    const answers = await Promise.all(
      Array.from({ length: floodCount }, (_, index) => send(clients[index % 2]!, itemID, `waiting-${index}`)),
    );
    if (!wasSlow && !(await isSlow(clients[0]!))) {
      answers.forEach(expectUnavailable);
      expect(Math.max(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(3500);
    }
    expect(new Set(answers.map(({ answer }) => answer.status))).toEqual(new Set([503]));
    const worker = await startWorker(asPart('worker', service.env), createLog('worker'));
    onTestFinished(() => worker.stop());
    // First in, first out: when these are answered, the ones before them were taken, too.
    for (const client of clients) {
      await expect.poll(async () => (await send(client, itemID, 'after')).answer.status).toBe(201);
    }
    const applied = await service.sql<{ reference: string }[]>`
      select distinct body->>'reference' as reference
      from stock_transaction
      where body->>'itemID' = ${itemID} and status = 'applied'`;
    expect(applied.map((row) => row.reference)).toEqual(['after']);
  });
});
