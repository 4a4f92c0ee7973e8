import { expect, test } from 'vitest';
import { expectAnswer, invalid } from '../harness/contract/answers.ts';
import { createApiClient } from '../harness/service/api-client.ts';
import { notBusy, served } from '../harness/service/served.ts';
import { useService } from '../harness/service/service.ts';
import { inStock, receiveOf } from '../harness/stock/operations.ts';

const service = useService({ apis: 2 });

const policy = (headers: Headers) => headers.get('RateLimit-Policy');
const left = (headers: Headers) => headers.get('RateLimit');

const batchOf = (itemID: string, count: number) => {
  return { mode: 'each', operations: Array(count).fill(receiveOf(itemID, 1)) };
};

served(
  '429 with only a message, nothing applied: a batch with more operations than the window has left',
  async () => {
    const client = await service.client({ operationsPerMinute: 10, rateLimit: 100 });
    const itemID = await service.item();
    const first = notBusy(await client.post('/Inventory/Batch', batchOf(itemID, 7)));
    expect(first.status).toBe(200);
    expect(policy(first.headers)).toBe('"default";q=100;w=60, "operations";q=10;w=60');
    expect(left(first.headers)).toMatch(/^"default";r=99;t=\d+, "operations";r=3;t=\d+$/);
    const second = await client.post('/Inventory/Batch', batchOf(itemID, 4));
    expectAnswer(second, 429, { message: 'Rate limit exceeded: 10 operations per minute.' });
    expect(Number(second.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(left(second.headers)).toContain('"operations";r=0;');
    // Refused operations count, too: a smaller batch waits for the next window.
    expect((await client.post('/Inventory/Batch', batchOf(itemID, 3))).status).toBe(429);
    expect(await inStock(service, itemID)).toBe(7);
  },
);

test('400: a batch with more operations than the limit per minute could never pass; /Me gives the limit', async () => {
  const client = await service.client({ operationsPerMinute: 10 });
  const itemID = await service.item();
  const { limits } = (await client.get('/Me')).body;
  expect(limits).toMatchObject({ operationsPerMinute: 10, operationsPerBatch: 10 });
  const said = 'must hold at most 10 operations, as many as may be sent in a minute.';
  const tooMany = await client.post('/Inventory/Batch', batchOf(itemID, 11));
  expectAnswer(tooMany, 400, invalid({ operations: said }));
  expect((await client.post('/Inventory/Batch', batchOf(itemID, 10))).status).toBe(200);
});

// Tried again with another client: a process that has waited for Redis for 200 ms counts alone for a second.
test('exactly the limit over all api processes', { retry: 3 }, async () => {
  const client = await service.client({ operationsPerMinute: 60 });
  const itemID = await service.item();
  const processes = service.baseUrls.map((url) => createApiClient(url, client.clientId, client.token));
  const statuses: number[] = [];
  for (let turn = 0; turn < 16; turn++)
    statuses.push((await processes[turn % 2]!.post('/Inventory/Batch', batchOf(itemID, 5))).status);
  expect(statuses).toEqual([...Array(12).fill(200), ...Array(4).fill(429)]);
});

test('30,000 unless the client has its own; other calls count only as requests', async () => {
  const client = await service.client();
  const batch = await client.post('/Inventory/Batch', batchOf(await service.item(), 2));
  expect(policy(batch.headers)).toContain('"operations";q=30000;w=60');
  expect(left(batch.headers)).toContain('"operations";r=29998;');
  const single = await client.post('/Inventory/Receive', {});
  expect(policy(single.headers)).not.toContain('operations');
});
