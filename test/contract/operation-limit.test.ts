import { expect, test } from 'vitest';
import { expectAnswer, validationError } from '../harness/contract/answers.ts';
import { createApiClient } from '../harness/service/api-client.ts';
import { notBusy, served } from '../harness/service/served.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService({ apis: 2 });

const policy = (headers: Headers) => headers.get('RateLimit-Policy');
const left = (headers: Headers) => headers.get('RateLimit');

function batchOf(itemID: string, count: number) {
  const operation = { op: 'receive', itemID, units: 1, wid: 1, reasonCode: 1 };
  return { mode: 'each', operations: Array.from({ length: count }, () => operation) };
}

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
    expect(second.status).toBe(429);
    expect(second.body).toEqual({ message: 'Rate limit exceeded: 10 operations per minute.' });
    expect(Number(second.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(left(second.headers)).toContain('"operations";r=0;');
    // Refused operations count, too: a smaller batch waits for the next window.
    expect((await client.post('/Inventory/Batch', batchOf(itemID, 3))).status).toBe(429);
    const [level] = await service.sql`
    select in_stock::float8 as units from stock_level join item using (part_no) where short_id = ${itemID}`;
    expect(level!.units).toBe(7);
  },
);

test('400: a batch with more operations than the limit per minute could never pass; /Me gives the limit', async () => {
  const client = await service.client({ operationsPerMinute: 10 });
  const itemID = await service.item();
  const { limits } = (await client.get('/Me')).body;
  expect(limits).toMatchObject({ operationsPerMinute: 10, operationsPerBatch: 10 });
  const tooMany = await client.post('/Inventory/Batch', batchOf(itemID, 11));
  expectAnswer(
    tooMany,
    400,
    validationError({
      operations: ['operations must hold at most 10 operations, as many as may be sent in a minute.'],
    }),
  );
  expect((await client.post('/Inventory/Batch', batchOf(itemID, 10))).status).toBe(200);
});

// Tried again with another client: a process that has waited for Redis for 200 ms counts alone for a second.
test('exactly the limit over all api processes', { retry: 3 }, async () => {
  const client = await service.client({ operationsPerMinute: 60 });
  const itemID = await service.item();
  const [one, two] = service.baseUrls.map((url) => createApiClient(url, client.clientId, client.token));
  const statuses: number[] = [];
  for (let turn = 0; turn < 16; turn++) {
    const answer = await [one!, two!][turn % 2]!.post('/Inventory/Batch', batchOf(itemID, 5));
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([...Array(12).fill(200), ...Array(4).fill(429)]);
});

test('30,000 unless the client has its own; other calls count only as requests', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const batch = await client.post('/Inventory/Batch', batchOf(itemID, 2));
  expect(policy(batch.headers)).toContain('"operations";q=30000;w=60');
  expect(left(batch.headers)).toContain('"operations";r=29998;');
  const body = { itemID: uniqueName('none'), units: 1, wid: 1, reasonCode: 1 };
  const single = await client.post('/Inventory/Receive', body);
  expect(policy(single.headers)).not.toContain('operations');
});
