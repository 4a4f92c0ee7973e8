import { changeClient } from '@inventory/db/clients';
import { describe, expect, test } from 'vitest';
import { errorObject, forbidden } from '../harness/answers.ts';
import { createApiClient } from '../harness/api-client.ts';
import { allPermissions, useService } from '../harness/service.ts';

const service = useService({ apis: 2, workers: 2 });

const withinMs = 1000;

const revocations = [
  {
    what: 'a permission',
    change: { permissions: allPermissions.filter((each) => each !== 88) },
    status: 403,
    body: forbidden.permission,
  },
  { what: 'a warehouse', change: { wids: [2] }, status: 403, body: forbidden.scope },
  { what: 'the right to write', change: { readOnly: true }, status: 403, body: forbidden.readOnly },
  {
    what: 'the client itself',
    change: { disabled: true },
    status: 401,
    body: errorObject(401, 'unauthorized', 'The access token is invalid or expired.'),
  },
];

describe.each(revocations)('$what revoked', ({ change, status, body }) => {
  test(`${status} within a second, on every process, queued work included`, async () => {
    const client = await service.client();
    const itemID = await service.item();
    await client.post('/Inventory/Receive', { itemID, units: 10_000, wid: 1, reasonCode: 0 });
    const processes = service.baseUrls.map((baseUrl) =>
      createApiClient(baseUrl, client.clientId, client.token),
    );
    const issue = (index: number) =>
      processes[index % 2]!.post('/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0 });
    let revokedAt = Number.POSITIVE_INFINITY;
    let running = true;
    const refusedOn = new Set<number>();
    const late: number[] = [];
    const refusals = new Set<string>();
    const callers = Array.from({ length: 8 }, async (_, index) => {
      while (running) {
        const sentAt = performance.now();
        const answer = await issue(index);
        if (answer.status === 200) {
          if (sentAt > revokedAt + withinMs) late.push(sentAt - revokedAt);
          continue;
        }
        refusals.add(answer.text);
        if (answer.status === status) refusedOn.add(index % 2);
      }
    });
    await expect.poll(async () => (await issue(0)).status).toBe(200);
    await changeClient(service.sql, client.clientId, change);
    const [{ at }] = (await service.sql`select clock_timestamp() as at`) as unknown as [{ at: Date }];
    revokedAt = performance.now();
    await new Promise((resolve) => setTimeout(resolve, withinMs + 300));
    running = false;
    await Promise.all(callers);
    expect(late).toEqual([]);
    // Work that was queued when the client went is refused for want of permission.
    refusals.delete(JSON.stringify(forbidden.permission));
    expect([...refusals]).toEqual(body === forbidden.permission ? [] : [JSON.stringify(body)]);
    expect([...refusedOn].sort()).toEqual([0, 1]);
    // A batch reads the rights when it is applied: only one that had begun before may still carry work of this client.
    const applied = await service.sql`
      select transaction_no
      from stock_transaction
      where client_id = ${client.clientId} and status = 'applied'
        and at > ${new Date(at.getTime() + 200)}`;
    expect([...applied]).toEqual([]);
  });
});

test('reads of a revoked right stop too', async () => {
  const client = await service.client();
  const processes = service.baseUrls.map((baseUrl) =>
    createApiClient(baseUrl, client.clientId, client.token),
  );
  for (const process of processes) expect((await process.get('/Inventory')).status).toBe(200);
  await changeClient(service.sql, client.clientId, { permissions: [] });
  for (const process of processes) {
    await expect.poll(async () => (await process.get('/Inventory')).status, { timeout: withinMs }).toBe(403);
  }
});
