import { holdLot } from '@inventory/db/operator/holds';
import { expect, test } from 'vitest';
import { meanwhile } from '../harness/meanwhile.ts';
import { readEvents } from '../harness/network/event-reader.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();

// That of /Me may be an earlier one on a busy machine.
const cursorOf = async (client: ApiClient): Promise<string> =>
  (await client.get('/Changes?after=now')).body.nextCursor;

function events(client: ApiClient, query: string, headers: Record<string, string> = {}) {
  const authorization = { Authorization: `Bearer ${client.token}` };
  return readEvents(`${service.baseUrl}/Changes?${query}`, { ...authorization, ...headers });
}

test('200: the changes of the JSON answer, one event each, as they come, and their cursors as ids', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const cursor = await cursorOf(client);
  const first = await receiveLot(client, itemID, 1);
  const reader = await events(client, `after=${cursor}`);
  expect([reader.status, reader.contentType]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const told = [await reader.next()];
  const next = meanwhile(reader.next());
  await receiveLot(client, itemID, 2);
  told.push(await next);
  await holdLot(service.sql, { recNo: first, reason: 'inspection' });
  told.push(await reader.next());
  expect(told.map((event) => event!.data.type)).toEqual(['stock', 'stock', 'hold']);
  for (const [index, event] of told.entries()) {
    const before = index === 0 ? cursor : told[index - 1]!.id;
    const { value, nextCursor } = (await client.get(`/Changes?after=${before}&limit=1`)).body;
    // The lots are as they are when the change is read.
    expect(value[0].type).toBe(event!.data.type);
    expect(value[0].transactionNo).toBe(event!.data.transactionNo);
    if (index < 2) expect(nextCursor).toBe(event!.id);
  }
  expect(told[2]!.data).toEqual((await client.get(`/Changes?after=${told[1]!.id}`)).body.value[0]);
});

test('a reader that connects again goes on behind its last event, whatever `after` says', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const query = `after=${await cursorOf(client)}&limit=2`;
  const lots: number[] = [];
  for (let units = 1; units <= 5; units++) lots.push(await receiveLot(client, itemID, units));
  const told: number[] = [];
  let lastId: string | null = null;
  while (told.length < lots.length) {
    const reader = await events(client, query, lastId === null ? {} : { 'Last-Event-ID': lastId });
    told.push((await reader.next())!.data.lots[0].recNo);
    lastId = reader.lastId();
    reader.close();
  }
  expect(told).toEqual(lots);
});

test('after=now: only what comes from then on; without a cursor: from the beginning', async () => {
  const client = await service.client();
  const itemID = await service.item();
  await receiveLot(client, itemID, 1);
  const [now, all] = [await events(client, 'after=now'), await events(client, 'limit=1000')];
  const recNo = await receiveLot(client, itemID, 2);
  expect((await now.next())!.data.lots[0].recNo).toBe(recNo);
  const first = (await client.get('/Changes?limit=1')).body.value[0];
  expect((await all.next())!.data.type).toBe(first.type);
});

test('the stream ends when the rights of its client end, before anything more is told', async () => {
  const client = await service.client();
  const reader = await events(client, 'after=now');
  const next = meanwhile(reader.next());
  await service.sql`update client set disabled = true where client_id = ${client.clientId}`;
  await expect.poll(async () => (await client.get('/Item')).status).toBe(401);
  await receiveLot(await service.client(), await service.item(), 1);
  expect(await next).toBeNull();
});

test('400, 401, 403: a stream that cannot begin is answered like any call', async () => {
  const client = await service.client();
  const statusOf = async (query: string, headers: Record<string, string> = {}, of = client) =>
    (await events(of, query, headers)).status;
  expect(await statusOf('', { 'Last-Event-ID': 'none' })).toBe(400);
  expect(await statusOf('after=none')).toBe(400);
  expect(await statusOf('', { Authorization: 'Bearer none' })).toBe(401);
  expect(await statusOf('', {}, await service.client({ permissions: [88] }))).toBe(403);
});

test.each([
  ['text/event-stream', true],
  ['Text/Event-Stream ; charset=utf-8', true],
  ['application/json, text/event-stream', true],
  ['text/event-stream;q=0.5', true],
  ['text/event-stream, */*;q=0.1', true],
  ['text/*, application/json;q=0.9', true],
  ['a/b;c="d, e";q=1, text/event-stream', true],
  ['*/*', false],
  ['', false],
  ['application/json', false],
  ['text/event-stream;q=0', false],
  ['application/json, text/event-stream;q=0', false],
  ['application/json, text/event-stream; Q=0.000', false],
  ['text/event-stream;q=0, */*', false],
  ['application/json, text/event-stream;q=0.9', false],
  ['text/event-stream;q=0.9, */*', false],
  ['text/event-stream;q=x', false],
  ['a/b;c="d, text/event-stream"', false],
  ['text/event-streams', false],
])('Accept: "%s" gets events: %s', async (accept, expected) => {
  const reader = await events(await service.client(), 'after=now', { Accept: accept });
  const json = 'application/json; charset=utf-8';
  expect([reader.status, reader.contentType]).toEqual([
    200,
    expected ? 'text/event-stream; charset=utf-8' : json,
  ]);
});

test('HEAD: the head of the JSON answer, also when events are asked for', async () => {
  const client = await service.client();
  const answer = await client.send('HEAD', '/Changes?after=now', {
    headers: { Accept: 'text/event-stream' },
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
});
