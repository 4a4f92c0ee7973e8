import { expect, test } from 'vitest';
import { expectAnswer, inChunks } from '../harness/contract/answers.ts';
import { createApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { untilRightsHold } from '../harness/watch/rights-hold.ts';

const service = useService({ apis: 2 });

/** The same client on each api process. */
function everywhere(client: { clientId: string; token: string }) {
  return service.baseUrls.map((baseUrl) => createApiClient(baseUrl, client.clientId, client.token));
}

/**
 * Waits until the processes count together: a process that Redis did not answer at once, as may happen in the
 * first moments of a slow machine, counts alone for a second.
 */
async function untilCountedTogether() {
  const statuses = async () => {
    const [first, second] = everywhere(await service.client({ rateLimit: 1 }));
    return [(await first!.get('/Item')).status, (await second!.get('/Item')).status];
  };
  await expect.poll(statuses).toEqual([200, 429]);
}

// Tried again with another client: a process that has waited for Redis for 200 ms counts alone for a second.
const again = { retry: 3 };

test('429: the 101st request of a client in 60 s, over all api processes', again, async () => {
  const client = await service.client();
  await service.sql`update client set rate_limit = null where client_id = ${client.clientId}`;
  const processes = everywhere(client);
  await untilCountedTogether();
  const answers = await inChunks(130, 26, (index) => processes[index % 2]!.get('/Item?pageSize=1'));
  const [served, refused, busy] = [200, 429, 503].map((status) =>
    answers.filter((answer) => answer.status === status),
  );
  // Too many at once for a slow machine, whether it counted them or not.
  expect(served!.length + refused!.length + busy!.length).toBe(130);
  expect(served!.length).toBeLessThanOrEqual(100);
  expect(served!.length + busy!.length).toBeGreaterThanOrEqual(100);
  expect(refused!.length).toBeGreaterThan(0);
  for (const answer of refused!)
    expect(answer.body).toEqual({ message: 'Rate limit exceeded: 100 requests per minute.' });
});

test('429: a client with its own limit', again, async () => {
  const [first, second] = everywhere(await service.client({ rateLimit: 5 }));
  await untilCountedTogether();
  const statuses = [];
  for (let count = 0; count < 4; count++)
    statuses.push((await first!.get('/Item')).status, (await second!.get('/Item')).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
});

test('the headers give the limit, what is left of it and when it renews', async () => {
  const client = await service.client({ rateLimit: 3 });
  const startedAt = performance.now();
  for (const left of [2, 1, 0, 0]) {
    const answer = await client.get('/Item');
    expect(answer.headers.get('RateLimit-Policy')).toBe('"default";q=3;w=60');
    const [, seconds] = new RegExp(`^"default";r=${left};t=(\\d+)$`).exec(answer.headers.get('RateLimit')!)!;
    // The window began with the first request.
    expect(Number(seconds)).toBeLessThanOrEqual(60);
    expect(Number(seconds)).toBeGreaterThanOrEqual(60 - (performance.now() - startedAt) / 1000);
    expect(answer.headers.get('Retry-After')).toBe(answer.status === 429 ? seconds : null);
  }
  expectAnswer(await client.get('/Item'), 429, { message: 'Rate limit exceeded: 3 requests per minute.' });
});

test.each([
  [400, 'GET', '/Item?page=0'],
  [403, 'PUT', '/Item'],
  [404, 'GET', '/Item/999999'],
  [405, 'PATCH', '/Item'],
  [409, 'POST', '/Inventory/Issue'],
  [501, 'GET', '/Report'],
])('every answer to a known client has the headers, also %i', async (status, method, path) => {
  const client = await service.client({ permissions: [11, 88] });
  const issue = { itemID: await service.item(), units: 1, wid: 1, reasonCode: 0 };
  const answer = await client.send(method, path, method === 'POST' ? { body: issue } : {});
  expect(answer.status).toBe(status);
  expect(answer.headers.get('RateLimit-Policy')).toBe('"default";q=1000000;w=60');
  expect(answer.headers.get('RateLimit')).toMatch(/^"default";r=\d+;t=\d+$/);
});

test('the limit is counted per client; a new one holds within a second', async () => {
  const [spent, other] = [await service.client({ rateLimit: 1 }), await service.client({ rateLimit: 1 })];
  await spent.get('/Item');
  expect((await spent.get('/Item')).status).toBe(429);
  expect((await other.get('/Item')).status).toBe(200);
  await service.sql`update client set rate_limit = 10 where client_id = ${spent.clientId}`;
  await untilRightsHold();
  expect((await spent.get('/Item')).status).toBe(200);
});
