import { expect, test } from 'vitest';
import { errorObject, expectAnswer, inChunks } from '../harness/contract/answers.ts';
import { createApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
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
  const served = answers.filter((answer) => answer.status === 200);
  const refused = answers.filter((answer) => answer.status === 429);
  // Too many at once for a slow machine, whether it counted them or not.
  const busy = answers.filter((answer) => answer.status === 503);
  expect(served.length + refused.length + busy.length).toBe(130);
  expect(served.length).toBeLessThanOrEqual(100);
  expect(served.length + busy.length).toBeGreaterThanOrEqual(100);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) {
    expect(answer.body).toEqual({ message: 'Rate limit exceeded: 100 requests per minute.' });
  }
});

test('429: a client with its own limit', again, async () => {
  const [first, second] = everywhere(await service.client({ rateLimit: 5 }));
  await untilCountedTogether();
  const statuses = [];
  for (let count = 0; count < 4; count++) {
    statuses.push((await first!.get('/Item')).status, (await second!.get('/Item')).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
});

test('the headers give the limit, what is left of it and when it renews', async () => {
  const client = await service.client({ rateLimit: 3 });
  for (const left of [2, 1, 0]) {
    const answer = await client.get('/Item');
    expect(answer.headers.get('RateLimit-Policy')).toBe('"default";q=3;w=60');
    expect(answer.headers.get('RateLimit')).toMatch(new RegExp(`^"default";r=${left};t=\\d+$`));
    expect(answer.headers.get('Retry-After')).toBeNull();
  }
  const refused = await client.get('/Item');
  expectAnswer(refused, 429, { message: 'Rate limit exceeded: 3 requests per minute.' });
  expect(refused.headers.get('RateLimit-Policy')).toBe('"default";q=3;w=60');
  const retryAfter = Number(refused.headers.get('Retry-After'));
  expect(retryAfter).toBeGreaterThan(50);
  expect(retryAfter).toBeLessThanOrEqual(60);
  expect(refused.headers.get('RateLimit')).toBe(`"default";r=0;t=${retryAfter}`);
});

test('t is the seconds until the window ends; the window began with the first request', async () => {
  const client = await service.client();
  const startedAt = performance.now();
  for (let count = 0; count < 5; count++) {
    const seconds = Number(/t=(\d+)$/.exec((await client.get('/Item')).headers.get('RateLimit') ?? '')?.[1]);
    const sinceFirst = (performance.now() - startedAt) / 1000;
    expect(seconds).toBeLessThanOrEqual(60);
    expect(seconds).toBeGreaterThanOrEqual(60 - sinceFirst);
  }
});

test('every answer to a known client has the headers, also a refusal', async () => {
  const client = await service.client({ permissions: [11, 88] });
  for (const [status, answer] of [
    [400, await client.get('/Item?page=0')],
    [403, await client.put('/Item', {})],
    [404, await client.get('/Item/999999')],
    [405, await client.send('PATCH', '/Item')],
    [501, await client.get('/Report')],
    [
      409,
      await client.post('/Inventory/Issue', {
        itemID: await service.item(),
        units: 1,
        wid: 1,
        reasonCode: 0,
      }),
    ],
  ] as const) {
    expect(answer.status).toBe(status);
    expect(answer.headers.get('RateLimit-Policy')).toBe('"default";q=1000000;w=60');
    expect(answer.headers.get('RateLimit')).toMatch(/^"default";r=\d+;t=\d+$/);
  }
});

test('the limit is counted per client', async () => {
  const spent = await service.client({ rateLimit: 1 });
  await spent.get('/Item');
  expect((await spent.get('/Item')).status).toBe(429);
  const other = await service.client({ rateLimit: 1 });
  expect((await other.get('/Item')).status).toBe(200);
});

test('429 comes before 403, 404 and 400', async () => {
  const client = await service.client({ rateLimit: 1, permissions: [], readOnly: true });
  await client.get('/Item');
  for (const answer of [
    await client.get('/Item'),
    await client.get('/Nothing'),
    await client.post('/Item', '{'),
    await client.get('/Report'),
  ]) {
    expectAnswer(answer, 429, { message: 'Rate limit exceeded: 1 requests per minute.' });
  }
});

test('429: nothing is written', async () => {
  const client = await service.client({ rateLimit: 1 });
  const shortID = uniqueName('NEW');
  await client.get('/Item');
  expect((await client.post('/Item', { shortID })).status).toBe(429);
  const other = await service.client();
  expectAnswer(
    await other.get(`/Item?key=${shortID}&type=id`),
    404,
    errorObject(404, 'not_found', 'There is no such item.'),
  );
});

test('a new limit holds within a second', async () => {
  const client = await service.client({ rateLimit: 1 });
  await client.get('/Item');
  expect((await client.get('/Item')).status).toBe(429);
  await service.sql`update client set rate_limit = 10 where client_id = ${client.clientId}`;
  await untilRightsHold();
  expect((await client.get('/Item')).status).toBe(200);
});
