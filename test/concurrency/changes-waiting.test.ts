import { createConnection, type Socket } from 'node:net';
import { createPages } from '@inventory/api/changes/pages';
import { createRests } from '@inventory/api/changes/rests';
import { streamChanges } from '@inventory/api/changes/stream-changes';
import { createToldPages } from '@inventory/api/changes/told-pages';
import { startServer } from '@inventory/api/server';
import type { RateLimitVerdict } from '@inventory/auth/rate-limit';
import { readFacts } from '@inventory/db/batch/read-facts';
import { holdLot } from '@inventory/db/operator/holds';
import type { StatementPool } from '@inventory/postgres/statement-pool';
import { createLog } from '@inventory/process/log/log';
import { Redis } from 'ioredis';
import { expect, inject, onTestFinished, test } from 'vitest';
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
        // A slow machine is too busy for a moment, ends a stream that it could not go on with, or lets a wait
        // end before the last caller has come.
        if (!/^HTTP\/1\.1 503|\r\n0\r\n\r\n$|"value":\[\]/.test(caller.text)) return;
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
  const untilAwaited = (count: number) => expect.poll(async () => (await measure()).awaited).toBe(count);
  const authorization = { Authorization: `Bearer ${client.token}` };
  const open = async (query: string, before: number, accept = 'application/json') => {
    const { cursor } = (await client.get('/Me')).body;
    const headers = { ...authorization, Accept: accept };
    const call = { path: `/Changes?after=${cursor}&${query}`, headers };
    return openCallers(api.port, call, (count) => untilAwaited(before + count));
  };
  // Memory that an api needs for a thousand callers of any kind must not count below.
  const first = await openCallers(api.port, { path: '/Me', headers: authorization }, (count, countTexts) =>
    expect.poll(() => countTexts('"cursor"')).toBe(count),
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
    await expect.poll(() => told.countTexts('"type":"hold"')).toBe(callerCount);
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

/** One change, as a reader of events is told it. */
const followed = (text: string) => ({
  changes: [{ no: 1, text }],
  cursorAfter: () => 'A',
  next: { after: 1, state: null, identity: null },
  nextCursor: 'A',
  hasMore: false,
  isHeld: false,
  clientId: 'A',
  wids: new Set<number>(),
});

const noSpace = { set: () => {} };
const noRest = { note: async () => {}, restMs: () => 0 };

test('a large event comes in pieces that a slow reader can take', async () => {
  const text = JSON.stringify({ remark: 'ü€😀'.repeat(100_000) });
  const first = followed(text);
  const feed = { hasStopped: () => true, untilTouched: async () => {}, untilRested: async () => {} };
  const pieces: Buffer[] = [];
  for await (const piece of streamChanges(feed, first, async () => first, noSpace, noRest))
    pieces.push(piece);
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
  const stream = streamChanges(feed, read(), async () => read(), noSpace, noRest).resume();
  for (const count of [1, 2, 3]) {
    await expect.poll(() => waiting.length).toBe(count);
    if (count < 3) waiting.at(-1)!();
  }
  await expect
    .poll(() => {
      collectGarbage();
      return told.filter((page) => page.deref() !== undefined).length;
    })
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
  const through = async (waits: boolean, other = {}, life = 'A') =>
    (await read({ ...asked, ...other }, { clientId: uniqueName('client'), life, waits })).through;
  expect(await Promise.all([through(true), through(true), through(false)])).toEqual([2, 2, 2]);
  expect(await through(true, { until: 9 })).toBe(2);
  expect(await through(true, { wids: [2] })).toBe(3);
  expect(await through(true, { after: 2 })).toBe(4);
  expect(await through(true, { limit: 2 })).toBe(5);
  expect(await through(false)).toBe(6);
  expect(await through(true, {}, 'B')).toBe(7);
});

test('callers that wait rest longer the more is written, twenty seconds at most, and each client its own', () => {
  const restAfter = (answers: number, changesPerSecond: number, of = 'A') => {
    let now = 0;
    const rests = createRests(() => now);
    rests.notePosition(7);
    now += 1000;
    rests.notePosition(7 + changesPerSecond);
    // A moment later, by another look.
    rests.notePosition(8 + changesPerSecond);
    for (let count = 0; count < answers; count++) rests.enter('A');
    for (let count = 0; count < answers; count++) rests.noteAnswer('A', 100, count > 0);
    return rests.restMs(of);
  };
  expect(restAfter(0, 4000)).toBe(0);
  expect(restAfter(32, 4000)).toBe(0);
  expect(restAfter(200, 4000)).toBeGreaterThan(10 * restAfter(200, 0));
  expect(restAfter(200, 0)).toBeGreaterThan(50);
  expect(restAfter(100_000, 4000)).toBe(20_000);
  expect(restAfter(100_000, 4000, 'B')).toBe(0);
});

test('429: one more waiting call or stream of a client than its limit of requests', async () => {
  const client = await service.client({ rateLimit: 3 });
  const headers = { Authorization: `Bearer ${client.token}` };
  const redis = new Redis(inject('redisUrl'));
  onTestFinished(() => redis.disconnect());
  // As if the minute were over.
  const renewLimit = () => redis.del(`${service.env.QUEUE_PREFIX}:requests:${client.clientId}`);
  const stream = () => readEvents(`${service.baseUrl}/Changes?after=now`, headers);
  const readers = [await stream(), await stream(), await stream()];
  expect(await renewLimit()).toBe(1);
  const message = 'Too many calls of this client wait for changes: at most 3 at a time.';
  for (const query of ['after=now&wait=25', 'wait=1']) {
    const refused = await client.get(`/Changes?${query}`);
    expect([refused.status, refused.body]).toEqual([429, { message }]);
  }
  expect((await client.get('/Changes?limit=1')).status).toBe(200);
  await renewLimit();
  expect((await stream()).status).toBe(429);
  readers[0]!.close();
  await expect
    .poll(async () => {
      await renewLimit();
      return (await stream()).status;
    })
    .toBe(200);
});

test('a stream whose caller left before it began does not count as waiting', async () => {
  const client = await service.client({ rateLimit: 3 });
  const redis = new Redis(inject('redisUrl'));
  onTestFinished(() => redis.disconnect());
  const renewLimit = () => redis.del(`${service.env.QUEUE_PREFIX}:requests:${client.clientId}`);
  const { port, pathname } = new URL(service.baseUrl);
  const head = `GET ${pathname}/Changes HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${client.token}\r\n\r\n`;
  for (let count = 0; count < 30; count++) {
    const socket = createConnection(Number(port), '127.0.0.1');
    await new Promise<void>((resolve) => socket.write(head, () => resolve()));
    socket.destroy();
    await renewLimit();
  }
  await expect
    .poll(async () => {
      await renewLimit();
      return (await client.get('/Changes?after=now&wait=1')).status;
    })
    .toBe(200);
});

test('the pages of a stream count as requests of its client', async () => {
  const client = await service.client({ rateLimit: 1000 });
  const [itemID, cursor] = [await service.item(), (await client.get('/Me')).body.cursor];
  const left = async () => Number(/;r=(\d+)/.exec((await client.get('/Item')).headers.get('RateLimit')!)![1]);
  for (let count = 0; count < 6; count++) await receiveLot(client, itemID, 1);
  const before = await left();
  const authorization = { Authorization: `Bearer ${client.token}` };
  const reader = await readEvents(`${service.baseUrl}/Changes?after=${cursor}&limit=1`, authorization);
  for (let count = 0; count < 6; count++) expect((await reader.next())!.data.type).toBe('stock');
  // The call of the stream, five further pages, or six if it began a moment before the first; and this
  // question.
  expect([7, 8]).toContain(before - (await left()));
});

test('a stream leaves half of the limit to the other calls of its client', async () => {
  const verdicts = [80, 51, 50, 0].map((remaining) => ({
    allowed: true,
    limit: 100,
    remaining,
    resetMs: 30_000,
  }));
  const restAfter = async (verdict: RateLimitVerdict) => {
    const pages = createToldPages({ take: async () => verdict }, 'client', 100);
    expect(pages.restMs()).toBe(0);
    await pages.note();
    return Math.round(pages.restMs() / 1000);
  };
  expect(await Promise.all(verdicts.map(restAfter))).toEqual([1, 30, 30, 30]);
});

test('a stream and a waiting call of a disabled client end while nothing happens', async () => {
  const [client, other] = [await service.client(), await service.client()];
  const { cursor } = (await client.get('/Me')).body;
  const reader = await readEvents(`${service.baseUrl}/Changes?after=${cursor}`, {
    Authorization: `Bearer ${client.token}`,
  });
  const ends = meanwhile(Promise.all([reader.next(), client.get(`/Changes?after=${cursor}&wait=25`)]));
  const waiting = meanwhile(other.get(`/Changes?after=${cursor}&wait=10`));
  await service.sql`update client set disabled = true where client_id = ${client.clientId}`;
  // A second is promised; others wait for ten.
  const first = await Promise.race([ends, waiting.then(() => null)]);
  expect([first?.[0], first?.[1].status]).toEqual([null, 401]);
  expect((await waiting).body.value).toEqual([]);
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

test('a dry run that does not end holds up no change', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const { nextCursor } = (await client.get('/Changes?after=now')).body;
  await service.sql.begin('isolation level repeatable read read only', async (tx) => {
    await readFacts(tx, [], [], { draws: false });
    await receiveLot(client, itemID, 1);
    const { body } = await client.get(`/Changes?after=${nextCursor}`);
    expect(body.value).toHaveLength(1);
  });
});
