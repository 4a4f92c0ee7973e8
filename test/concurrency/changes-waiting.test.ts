import type { Socket } from 'node:net';
import { createPace } from '@inventory/api/changes/pace';
import { createPages } from '@inventory/api/changes/pages';
import { streamChanges } from '@inventory/api/changes/stream-changes';
import { startServer } from '@inventory/api/server';
import { holdLot } from '@inventory/db/operator/holds';
import type { StatementPool } from '@inventory/db/postgres/statement-pool';
import { createLog } from '@inventory/process/log/log';
import { expect, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { readEvents } from '../harness/network/event-reader.ts';
import { openRaw } from '../harness/network/raw-connection.ts';
import { createApiClient } from '../harness/service/api-client.ts';
import { startProcess } from '../harness/service/processes.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';
import { collectGarbage } from '../harness/watch/garbage.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

const service = useService();
const callerCount = 1000;
const patient = { timeout: 60_000 };

/**
 * Connections on which as many callers send the same request, a hundred at a time: `untilBegun` resolves when
 * so many wait, or are answered.
 */
async function openCallers(
  port: number,
  { path, headers }: { path: string; headers: Record<string, string> },
  untilBegun: (count: number, countTexts: (part: string) => number) => Promise<void>,
) {
  const lines = Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const callers: { socket: Socket; text: string }[] = [];
  onTestFinished(() => abort());
  const abort = () => {
    for (const { socket } of callers) socket.destroy();
  };
  const countTexts = (part: string) => callers.filter(({ text }) => text.includes(part)).length;
  while (callers.length < callerCount) {
    for (let count = 0; count < 100; count++) {
      const { socket, write } = openRaw(port);
      const caller = { socket, text: '' };
      callers.push(caller);
      const send = () => write(`GET /api/v1${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
      socket.on('data', (chunk) => {
        caller.text += chunk;
        // A slow machine is too busy for a moment, or ends a stream that it could not go on with.
        if (!/^HTTP\/1\.1 503|\r\n0\r\n\r\n$/.test(caller.text)) return;
        caller.text = '';
        send();
      });
      send();
    }
    await untilBegun(callers.length, countTexts);
  }
  return { countTexts, abort };
}

test('a thousand callers of each kind that wait take less than 100 MB and no connection to Postgres; those that go leave nothing', async () => {
  const client = await service.client({ rateLimit: 1_000_000 });
  const recNo = await receiveLot(client, await service.item(), 1);
  // In a process of its own, whose memory is measured. With little room for what may be collected, what is
  // kept stands out.
  const api = await startProcess(
    'apps/api/src/main.ts',
    { ...asPart('api', service.env), INTERNAL_PORT: '0' },
    { nodeOptions: ['--max-semi-space-size=4', '--max-old-space-size=120'] },
  );
  onTestFinished(api.stop);
  const measure = async () => {
    const { value } = await readMetrics(api.internalPort);
    const [row] = await service.sql<{ count: number }[]>`
      select count(*)
      from pg_stat_activity
      where datname = current_database()
        and application_name in ('inventory-changes', 'inventory-feed-position')`;
    return {
      awaited: value('inventory_api_changes_awaited'),
      bytes: value('process_resident_memory_bytes')!,
      connections: row!.count,
    };
  };
  const untilAwaited = (count: number) =>
    expect.poll(async () => (await measure()).awaited, patient).toBe(count);
  const authorization = { Authorization: `Bearer ${client.token}` };
  const open = async (query: string, before: number, accept = 'application/json') => {
    const { cursor } = (await client.get('/Me')).body;
    const headers = { ...authorization, Accept: accept };
    const call = { path: `/Changes?after=${cursor}&${query}`, headers };
    return openCallers(api.port, call, (count) => untilAwaited(before + count));
  };
  // What an api needs for a thousand callers of any kind.
  const first = await openCallers(api.port, { path: '/Me', headers: authorization }, (count, countTexts) =>
    expect.poll(() => countTexts('"cursor"'), patient).toBe(count),
  );
  first.abort();

  const before = await measure();
  const streams = await open('', 0, 'text/event-stream');
  const polls = await open('wait=25', callerCount);
  const waiting = await measure();
  expect(waiting.bytes - before.bytes).toBeLessThan(100e6);
  expect(waiting.connections).toBeLessThanOrEqual(3);
  await holdLot(service.sql, { recNo, reason: 'inspection' });
  for (const told of [polls, streams]) {
    await expect.poll(() => told.countTexts('"type":"hold"'), patient).toBe(callerCount);
  }
  expect((await measure()).connections).toBeLessThanOrEqual(3);
  const more = await open('wait=25', callerCount);
  const own = createApiClient(`http://127.0.0.1:${api.port}/api/v1`, client.clientId, client.token);
  const last = meanwhile(own.get(`/Changes?after=${(await client.get('/Me')).body.cursor}&wait=10`));
  await untilAwaited(2 * callerCount + 1);
  for (const each of [streams, more]) each.abort();
  // Many of the others would wait for longer.
  expect((await last).body.value).toEqual([]);
  expect((await measure()).awaited).toBe(0);
});

/** What a reader of events is told: one change. */
const followed = (text: string) => ({
  changes: [{ no: 1, text }],
  cursorAfter: () => 'A',
  next: { after: 1, scope: null, identity: null },
  nextCursor: 'A',
  hasMore: false,
  wids: new Set<number>(),
});

test('a large event comes in pieces that a slow reader can take', async () => {
  const text = JSON.stringify({ remark: 'ü€😀'.repeat(100_000) });
  const first = followed(text);
  const feed = { hasStopped: () => true, untilTouched: async () => {}, untilRested: async () => {} };
  const pieces: Buffer[] = [];
  for await (const piece of streamChanges(feed, first, async () => first)) pieces.push(piece);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024);
  expect(Buffer.concat(pieces).toString()).toContain(`\n\nid: A\ndata: ${text}\n\n`);
});

test('a reader of events that waits keeps nothing of what it was told', async () => {
  const told: WeakRef<object>[] = [];
  const read = () => {
    const page = followed('{}');
    told.push(new WeakRef(page.changes));
    return page;
  };
  const waiting: (() => void)[] = [];
  const feed = {
    hasStopped: () => false,
    untilTouched: () => new Promise<void>((resolve) => waiting.push(resolve)),
    untilRested: async () => {},
  };
  const stream = streamChanges(feed, read(), async () => read()).resume();
  for (const count of [1, 2, 3]) {
    await expect.poll(() => waiting.length).toBe(count);
    if (count < 3) waiting.at(-1)!();
  }
  await expect
    .poll(() => {
      collectGarbage();
      return told.filter((page) => page.deref() !== undefined).length;
    }, patient)
    .toBe(0);
  expect(told).toHaveLength(3);
  stream.destroy();
  waiting.at(-1)!();
});

test('callers that wait share a page of a moment ago; one that does not wait reads its own', async () => {
  let reads = 0;
  const page = { changes: [{ no: 2, text: '{}' }], through: 2, hasMore: true };
  const run = async () => ({ ...page, through: ++reads + 1 });
  const read = createPages({ run } as unknown as StatementPool);
  const asked = { wids: [1], after: 1, until: 5, limit: 1 };
  const through = async (waits: boolean, other = {}, identity = 'A') =>
    (await read({ ...asked, ...other }, { clientId: uniqueName('client'), identity, waits })).through;
  expect(await Promise.all([through(true), through(true), through(false)])).toEqual([2, 2, 2]);
  expect(await through(true, { until: 9 })).toBe(2);
  expect(await through(true, { wids: [2] })).toBe(3);
  expect(await through(true, { after: 2 })).toBe(4);
  expect(await through(true, { limit: 2 })).toBe(5);
  expect(await through(false)).toBe(6);
  expect(await through(true, {}, 'B')).toBe(7);
});

test('callers that wait rest longer the more is written, and twenty seconds at most', () => {
  const restAfter = (answers: number, changesPerSecond: number) => {
    let now = 0;
    const pace = createPace(() => now);
    pace.notePosition(7);
    now += 1000;
    pace.notePosition(7 + changesPerSecond);
    // A moment later, by another look.
    pace.notePosition(8 + changesPerSecond);
    for (let count = 0; count < answers; count++) pace.enter();
    for (let count = 0; count < answers; count++) pace.noteAnswer(100, count > 0);
    return pace.restMs();
  };
  expect(restAfter(0, 4000)).toBe(0);
  expect(restAfter(32, 4000)).toBe(0);
  expect(restAfter(200, 4000)).toBeGreaterThan(10 * restAfter(200, 0));
  expect(restAfter(200, 0)).toBeGreaterThan(50);
  expect(restAfter(100_000, 4000)).toBe(20_000);
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
