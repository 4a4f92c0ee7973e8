import { startServer } from '@inventory/api/server';
import { holdLot } from '@inventory/db/operator/holds';
import { createLog } from '@inventory/process/log/log';
import { expect, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { readEvents } from '../harness/network/event-reader.ts';
import { createApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

const service = useService();

test('callers that wait share a few connections to Postgres, however many they are', async () => {
  const client = await service.client();
  const recNo = await receiveLot(client, await service.item(), 1);
  const { cursor } = (await client.get('/Me')).body;
  const waiting = Array.from({ length: 100 }, () =>
    meanwhile(client.get(`/Changes?after=${cursor}&wait=25`)),
  );
  const connections = async () => {
    const [row] = await service.sql<{ count: number }[]>`
      select count(*)
      from pg_stat_activity
      where datname = current_database() and application_name = 'inventory-changes'`;
    return row!.count;
  };
  await expect.poll(connections).toBeGreaterThan(0);
  await holdLot(service.sql, { recNo, reason: 'inspection' });
  for (const { body } of await Promise.all(waiting)) {
    expect(body.value).toMatchObject([{ type: 'hold', recNo }]);
  }
  expect(await connections()).toBeLessThanOrEqual(3);
});

test('an api that stops ends the events that it sends, and answers those who wait', async () => {
  const env: Record<string, string> = { ...service.env, INTERNAL_PORT: '0' };
  const api = await startServer(asPart('api', env), createLog('api'));
  const baseUrl = `http://127.0.0.1:${api.port}/api/v1`;
  const { clientId, token } = await service.client();
  const client = createApiClient(baseUrl, clientId, token);
  const { cursor } = (await client.get('/Me')).body;
  const reader = await readEvents(`${baseUrl}/Changes?after=${cursor}`, { Authorization: `Bearer ${token}` });
  const waiting = meanwhile(client.get(`/Changes?after=${cursor}&wait=25`));
  const ended = meanwhile(reader.next());
  const awaited = async () => (await readMetrics(api.internalPort!)).text;
  await expect.poll(awaited).toMatch(/^inventory_api_changes_awaited 2$/m);
  await api.stop();
  expect(await ended).toBeNull();
  expect((await waiting).body.value).toEqual([]);
});
