import { expect, test } from 'vitest';
import { expectAnswer } from '../harness/contract/answers.ts';
import { requestOf, routes } from '../harness/contract/routes.ts';
import { useService } from '../harness/service/service.ts';

const service = useService({ env: { RATE_LIMIT: '70' } });

test('200: the client’s permissions, warehouses and limits', async () => {
  const client = await service.client({ permissions: [88, 11], warehouses: [3, 1], rateLimit: 5_000 });
  const claims = JSON.parse(Buffer.from(client.token.split('.')[1]!, 'base64url').toString());
  const [before] = await service.sql<{ at: Date }[]>`select clock_timestamp() as at`;
  const answer = await client.get('/Me');
  expectAnswer(answer, 200, {
    ...{ clientId: client.clientId, readOnly: false },
    permissions: [
      { securityID: 11, name: 'Item Master List' },
      { securityID: 88, name: 'Negative Adjustment' },
    ],
    operations: expect.arrayContaining(['getMe', 'listLots', 'issue', 'reverse', 'batch']),
    warehouses: [
      { wID: 1, name: 'Main' },
      { wID: 3, name: 'Elsewhere' },
    ],
    limits: { requestsPerMinute: 5000, operationsPerMinute: 30_000, operationsPerBatch: 500, pageSize: 250 },
    tokenExpires: new Date(claims.exp * 1000).toISOString(),
    serverTime: expect.any(String),
    cursor: expect.stringMatching(/^[\w-]{24}$/),
  });
  // The clocks are those of one machine, which may be slow.
  expect(Math.abs(Date.parse(answer.body.serverTime) - before!.at.getTime())).toBeLessThan(60_000);
});

test.each([
  [[11, 88], false],
  [[15, 95, 116], false],
  [[11, 15, 88, 95, 116], true],
  [[], false],
])(
  '200: exactly the calls that are not forbidden, with permissions %j and readOnly %s',
  async (permissions, readOnly) => {
    const client = await service.client({ permissions, readOnly });
    const { operations } = (await client.get('/Me')).body;
    const itemID = await service.item();
    const allowed: string[] = [];
    for (const declared of routes) {
      const { method, path, body } = requestOf(declared, { itemID });
      const answer = await client.send(method, path, body && { body });
      const isForbidden = ['Insufficient permissions.', 'Account is read-only.'].includes(
        answer.body?.message,
      );
      if (!isForbidden) allowed.push(declared.description.id);
    }
    expect(operations).toEqual(allowed);
  },
);

test('200: a client without any permission or warehouse, with the default limits', async () => {
  const client = await service.client({ permissions: [], warehouses: [], readOnly: true });
  await service.sql`
    update client set rate_limit = null, operations_per_minute = 7 where client_id = ${client.clientId}`;
  const limits = expect.objectContaining({ requestsPerMinute: 70, operationsPerMinute: 7 });
  const expected = expect.objectContaining({ readOnly: true, permissions: [], warehouses: [], limits });
  // The service caches a client for at most half a second.
  await expect.poll(async () => (await client.get('/Me')).body).toEqual(expected);
});
