import { expect, test } from 'vitest';
import { useService } from '../harness/service/service.ts';

const service = useService({ env: { RATE_LIMIT: '70' } });

test('200: the client’s permissions, warehouses and limits', async () => {
  const client = await service.client({ permissions: [88, 11], warehouses: [3, 1], rateLimit: 5_000 });
  const claims = JSON.parse(Buffer.from(client.token.split('.')[1]!, 'base64url').toString());
  const [before] = await service.sql<
    { at: number }[]
  >`select extract(epoch from clock_timestamp())::float8 * 1000 as at`;
  const answer = await client.get('/Me');
  const { serverTime, ...told } = answer.body;
  expect(answer.status).toBe(200);
  expect(told).toEqual({
    clientId: client.clientId,
    readOnly: false,
    permissions: [
      { securityID: 11, name: 'Item Master List' },
      { securityID: 88, name: 'Negative Adjustment' },
    ],
    warehouses: [
      { wID: 1, name: 'Main' },
      { wID: 3, name: 'Elsewhere' },
    ],
    limits: { requestsPerMinute: 5000, operationsPerMinute: 30_000, operationsPerBatch: 500, pageSize: 250 },
    tokenExpires: new Date(claims.exp * 1000).toISOString(),
    cursor: expect.stringMatching(/^[\w-]{24}$/),
  });
  // The clocks are those of one machine, which may be slow.
  expect(Math.abs(Date.parse(serverTime) - before!.at)).toBeLessThan(60_000);
});

test('200: a client without any permission or warehouse, with the default limits', async () => {
  const client = await service.client({ permissions: [], warehouses: [], readOnly: true });
  await service.sql`update client set rate_limit = null, operations_per_minute = 7 where client_id = ${client.clientId}`;
  // The service caches a client for at most half a second.
  await expect
    .poll(async () => (await client.get('/Me')).body.limits, { timeout: 60_000 })
    .toMatchObject({ requestsPerMinute: 70, operationsPerMinute: 7 });
  const { body } = await client.get('/Me');
  expect(body).toMatchObject({ readOnly: true, permissions: [], warehouses: [] });
});

test('405: any method but GET', async () => {
  const client = await service.client();
  const answer = await client.post('/Me', {});
  expect(answer.status).toBe(405);
  expect(answer.headers.get('Allow')).toBe('GET, HEAD');
});
