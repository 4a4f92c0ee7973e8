import { createLog } from '@inventory/process/log/log';
import { startWorker } from '@inventory/worker/worker';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { openSubmitter, turn } from '../harness/queue/submitter.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';

// Tried again: a promise about time, on a machine that stands still now and then.
test('busy at once: requests that arrive in one turn and cannot be answered within a second', {
  retry: 3,
}, async () => {
  const { submit } = await openSubmitter({
    envelopeMax: 1,
    inFlightMax: 2,
    // Every answer has to be looked up, which takes a quarter of a second.
    readOutcomes: async (requests) =>
      new Map(requests.map(({ requestId }) => [requestId, { status: 'applied', result: null }])),
  });
  for (let round = 0; round < 4; round++) await Promise.all(submit(2));
  const arrivedAt = performance.now();
  const answers = submit(60, arrivedAt);
  const stoodStill = performance.now() - arrivedAt > 100;
  let busy = 0;
  for (const each of answers) each.then(({ status }) => status === 'busy' && busy++);
  await turn();
  expect(busy).toBeGreaterThan(40);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  // The first two are under way at the end of the turn, and a few wait for their answers, unless a
  // standstill has made them late.
  const taken = stoodStill ? 2 : 4;
  expect(statuses.slice(0, taken)).toEqual(Array(taken).fill('applied'));
});

describe('no worker', () => {
  const service = useService({ apis: 2, workers: 0, env: { ENVELOPE_MAX: '4' } });

  test('503 for everything; a worker that comes later applies none of it', async () => {
    const clients = await Promise.all(service.baseUrls.map((baseUrl) => service.client({ baseUrl })));
    const itemID = await service.item();
    const send = (client: ApiClient, reference: string) =>
      client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0, reference });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => send(clients[index % 2]!, `waiting-${index}`)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    // A slow machine may not learn of an outcome in time.
    const clear = answers.filter(({ text }) => !text.includes('is not known'));
    expect(clear.length).toBeGreaterThan(0);
    for (const { body, headers } of clear) {
      expect(headers.get('Retry-After')).toBe('1');
      expect(body).toEqual({
        statusCode: 503,
        error: 'internal_error',
        message: 'The service is busy or partly out of order; nothing was applied. Try again in a moment.',
      });
    }
    const worker = await startWorker(asPart('worker', service.env), createLog('worker'));
    onTestFinished(() => worker.stop());
    // First in, first out: when these are answered, the ones before them were taken, too.
    for (const client of clients) {
      await expect.poll(async () => (await send(client, 'after')).status).toBe(201);
    }
    const applied = await service.sql<{ reference: string }[]>`
      select distinct body->>'reference' as reference
      from stock_transaction
      where body->>'itemID' = ${itemID} and status = 'applied'`;
    expect(applied.map((row) => row.reference)).toEqual(['after']);
  });
});
