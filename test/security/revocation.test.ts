import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { changeClient } from '@inventory/db/access/clients';
import { expect, test } from 'vitest';
import { errorObject, forbidden } from '../harness/contract/answers.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { type ApiAnswer, createApiClient } from '../harness/service/api-client.ts';
import { allPermissions, useService } from '../harness/service/service.ts';
import { rightsHoldAfterMs, untilRightsHold } from '../harness/watch/rights-hold.ts';

const service = useService({ apis: 2, workers: 2 });

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

async function expectRevoked({ what, change, status, body }: (typeof revocations)[number]) {
  const client = await service.client();
  const itemID = await service.item();
  await client.post('/Inventory/Receive', { itemID, units: 10_000, wid: 1, reasonCode: 0 });
  const processes = service.baseUrls.map((baseUrl) =>
    createApiClient(baseUrl, client.clientId, client.token, { isPatient: false }),
  );
  const issue = (index: number) =>
    processes[index % 2]!.post('/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0 });
  let revokedAt = Number.POSITIVE_INFINITY;
  const refusedOn = new Set<number>();
  const late: number[] = [];
  const refusals = new Set<string>();
  const callers = meanwhile(
    Promise.all(
      Array.from({ length: 4 }, async (_, index) => {
        // Sends until a request must be refused, however long each takes.
        for (let mustBeRefused = false; !mustBeRefused; ) {
          const sentAt = performance.now();
          mustBeRefused = sentAt > revokedAt + rightsHoldAfterMs;
          const answer = await issue(index);
          if (answer.status === 200) {
            if (mustBeRefused) late.push(sentAt - revokedAt);
            continue;
          }
          // A slow machine may be too busy, which grants nothing.
          if (answer.status === 503) continue;
          refusals.add(answer.text);
          if (answer.status === status) refusedOn.add(index % 2);
        }
      }),
    ),
  );
  await expect.poll(async () => (await issue(0)).status).toBe(200);
  await changeClient(service.sql, client.clientId, change);
  const [{ at }] = (await service.sql`select clock_timestamp() as at`) as unknown as [{ at: Date }];
  revokedAt = performance.now();
  await callers;
  expect(late, what).toEqual([]);
  // Work that was queued when the client went is refused for lack of permission.
  refusals.delete(JSON.stringify(forbidden.permission));
  expect([...refusals], what).toEqual(body === forbidden.permission ? [] : [JSON.stringify(body)]);
  expect([...refusedOn].sort(), what).toEqual([0, 1]);
  // A batch reads the rights when it is applied, in the statement that fixes its moment: only one batch of
  // each worker that was in that very statement may still carry work of this client.
  const batches = await service.sql`
    select distinct at
    from stock_transaction
    where client_id = ${client.clientId} and status = 'applied' and at > ${at}`;
  expect(batches.length, what).toBeLessThanOrEqual(2);
}

test('403, or 401 for the whole client, within a second, on every process, queued work included', async () => {
  await Promise.all(revocations.map(expectRevoked));
});

test('reads by a revoked right stop, too', async () => {
  const client = await service.client();
  const processes = service.baseUrls.map((baseUrl) =>
    createApiClient(baseUrl, client.clientId, client.token),
  );
  for (const process of processes) expect((await process.get('/Inventory')).status).toBe(200);
  await changeClient(service.sql, client.clientId, { permissions: [] });
  await untilRightsHold();
  for (const process of processes) expect((await process.get('/Inventory')).status).toBe(403);
});

test('a right that ended while the body was on its way has ended', async () => {
  const calls = [
    { method: 'PUT', path: '/Item', body: { shortID: await service.item(), description: 'late' } },
    { method: 'POST', path: '/Scan', body: { scans: [{ data: 'X' }] } },
    {
      method: 'POST',
      path: '/Inventory/Receive',
      body: { itemID: 'X', units: 1, wid: 1, reasonCode: 0, dryRun: true },
    },
  ];
  await Promise.all(
    calls.map(async ({ method, path, body }) => {
      const client = await service.client();
      const text = JSON.stringify(body);
      const headers = {
        Authorization: `Bearer ${client.token}`,
        'Content-Type': 'application/json',
        'Content-Length': text.length,
      };
      const call = request(`${service.baseUrl}${path}`, { method, headers });
      const answer = once(call, 'response');
      call.write(text.slice(0, -1));
      // As long as its head needs to be judged; on a slower machine, the test sees nothing.
      await pause(300);
      await changeClient(service.sql, client.clientId, { permissions: [] });
      await untilRightsHold();
      call.end(text.slice(-1));
      const [response] = await answer;
      response.resume();
      expect(response.statusCode, path).toBe(403);
    }),
  );
});

test.each([
  { what: 'the permission', change: { permissions: [] }, status: 403 },
  { what: 'the client itself', change: { disabled: true }, status: 401 },
  { what: 'a warehouse', change: { wids: [2] }, status: 200 },
])('a right that ended while a read was on its way has ended: $what', async ({ change, status }) => {
  const client = await service.client();
  const itemID = await service.item();
  for (const wid of [1, 2])
    await client.post('/Inventory/Receive', { itemID, units: wid, wid, reasonCode: 0 });
  const [level] = (await client.get(`/Inventory/StockLevels/1?itemID=${itemID}`)).body.value;
  const { baseUrl } = service;
  const impatient = createApiClient(baseUrl, client.clientId, client.token, { isPatient: false });
  type Body = { value: { units?: number; inStock?: number }[] };
  const unitsIn = ({ value }: Body) =>
    value.reduce((sum, { units = 0, inStock = units }) => sum + inStock, 0);
  const reads: [path: string, unitsIn: (body: Body) => number][] = [
    [`/Inventory?itemID=${itemID}&sort=units`, unitsIn],
    [`/Inventory/StockLevels?itemID=${itemID}`, unitsIn],
    [`/Inventory/StockAt?partNo=${level.partNo}&time=${new Date().toISOString()}`, unitsIn],
    // One of 2 units.
    [`/Inventory/Transactions?itemID=${itemID}`, ({ value }) => value.length * 2],
  ];
  const answers: Promise<ApiAnswer>[] = [];
  await service.sql.begin(async (tx) => {
    await tx`lock table lot, stock_level, stock_transaction in access exclusive mode`;
    answers.push(...reads.map(([path]) => impatient.get(path)));
    // As long as they need to be judged; on a slower machine, the test sees nothing.
    await pause(300);
    await changeClient(service.sql, client.clientId, change);
    await untilRightsHold();
  });
  for (const [index, [path, units]] of reads.entries()) {
    const answer = await answers[index]!;
    expect(answer.status, path).toBe(status);
    if (status === 200) expect(units(answer.body), path).toBe(2);
  }
});
