import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { createTextStream } from '@inventory/api/lists/text-stream';
import { readLargeCategory } from '@inventory/db/lists/pages/read-category';
import { connect } from '@inventory/postgres/pool';
import { createStatementPool } from '@inventory/postgres/statement-pool';
import { request } from 'undici';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { useService } from '../harness/service/service.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

// Some 130 MB of text: an api that held it all would show that beside its usual memory.
const largeItems = 50_000;
const descriptionLength = 2400;
const large = 1;
// The largest size that is answered as one text, one item more, and multiples of a piece.
const sizes = [0, 1, 499, 500, 501, 1000, 1001, 1500, 2000];
const categoryOf = (size: number) => 10_000 + size;

const service = useService({ workers: 0 });
/** In a process of its own, whose memory is measured. */
let api: Started;
let origin: string;
let token: string;

beforeAll(async () => {
  await service.sql.begin(async (tx) => {
    await tx`alter table item disable trigger item_added`;
    // Nobody searches here, and indexing so much text takes minutes.
    await tx`drop index item_search_idx`;
    await tx`
      insert into item (short_id, description, category, created_by)
      select 'LARGE-' || lpad(n::text, 6, '0'), repeat('x', ${descriptionLength}::integer), ${large}, 'tests'
      from generate_series(1, ${largeItems}::integer) as n`;
    for (const size of sizes) {
      await tx`
        insert into item (short_id, description, category, created_by)
        select ${`S${size}-`} || lpad(n::text, 4, '0'), 'é', ${categoryOf(size)}, 'tests'
        from generate_series(1, ${size}::integer) as n`;
    }
    await tx`alter table item enable trigger item_added`;
    await tx`select recount_items()`;
  });
  await service.sql`vacuum analyze item`;
  ({ token } = await service.client());
  const env = { ...asPart('api', service.env), INTERNAL_PORT: '0' };
  // With little room for what may be collected, what is kept stands out.
  api = await startProcess('apps/api/src/main.ts', env, {
    nodeOptions: ['--max-semi-space-size=8', '--max-old-space-size=80'],
  });
  origin = `http://127.0.0.1:${api.port}`;
});
afterAll(() => api?.stop());

const pathOf = (category: number) => `/api/v1/Item?Category=${category}`;

async function read(category: number, acceptEncoding?: string, method: 'GET' | 'HEAD' = 'GET') {
  const answer = await request(origin + pathOf(category), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }),
    },
  });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    bytes: Buffer.from(await answer.body.arrayBuffer()),
  };
}

/** A reader that stops reading once the answer has begun. */
async function openReader(category = large): Promise<Socket> {
  const socket = connectTcp(api.port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`GET ${pathOf(category)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  const [begin] = await once(socket, 'data');
  socket.pause();
  expect(String(begin)).toContain('200 OK');
  socket.unshift(begin);
  return socket;
}

/** The transactions in Postgres that are open for such lists. */
const streamsOpen = async () => {
  const rows = await service.sql`
    select
    from pg_stat_activity
    where datname = current_database() and application_name = 'inventory-streamed-lists' and state <> 'idle'`;
  return rows.length;
};
const untilStreams = (count: number) => expect.poll(streamsOpen).toBe(count);

const shortIds = (bytes: Buffer): string[] =>
  JSON.parse(bytes.toString()).map(({ shortID }: { shortID: string }) => shortID);

test('200: a category of any size is a flat array by ShortID', async () => {
  for (const size of sizes) {
    const { status, headers, bytes } = await read(categoryOf(size));
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    const expected = Array.from({ length: size }, (_, n) => `S${size}-${String(n + 1).padStart(4, '0')}`);
    expect(shortIds(bytes)).toEqual(expected);
  }
});

test('200: a large category is compressed for a caller that accepts gzip, with the same content', async () => {
  const plain = await read(categoryOf(2000), 'identity');
  const small = await read(categoryOf(2000), 'gzip');
  for (const { headers } of [plain, small]) expect(headers.vary).toBe('Accept-Encoding');
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(small.headers['content-encoding']).toBe('gzip');
  expect(small.headers['content-type']).toBe(plain.headers['content-type']);
  expect(gunzipSync(small.bytes).equals(plain.bytes)).toBe(true);
  const head = await read(categoryOf(2000), 'gzip', 'HEAD');
  expect({ status: head.status, length: head.bytes.length }).toEqual({ status: 200, length: 0 });
  await untilStreams(0);
});

test('200: 50,000 items take little memory, and other requests are served in between', async () => {
  await read(large);
  const before = (await readMetrics(api.internalPort)).value('process_resident_memory_bytes')!;
  const startedAt = performance.now();
  const peaks: number[] = [];
  const lags: number[] = [];
  let bytes = 0;
  const times = 2;
  for (let time = 0; time < times; time++) {
    let peak = 0;
    let lag = 0;
    const reading = meanwhile(
      (async () => {
        const headers = { authorization: `Bearer ${token}` };
        const answer = await request(origin + pathOf(large), { headers });
        for await (const chunk of answer.body) bytes += chunk.length;
      })(),
    );
    let isDone = false;
    void reading.then(() => {
      isDone = true;
    });
    while (!isDone) {
      const { value } = await readMetrics(api.internalPort);
      peak = Math.max(peak, value('process_resident_memory_bytes')!);
      lag = Math.max(lag, value('nodejs_eventloop_lag_max_seconds')!);
      await setTimeout(100);
    }
    await reading;
    peaks.push(peak);
    lags.push(lag);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  expect(bytes).toBeGreaterThan(times * largeItems * descriptionLength);
  // As one text, the answer would take at least its own size.
  expect(Math.max(...peaks) - before).toBeLessThan(bytes / times);
  // The time of the run that other programs disturbed least.
  expect(Math.min(...lags)).toBeLessThan(seconds / times / 10);
});

test('an answer shows one moment, however long its reader takes', async () => {
  const socket = await openReader();
  await untilStreams(1);
  try {
    await service.sql`
      update item
      set description = 'changed meanwhile'
      where category = ${large} and short_id > 'LARGE-049990'`;
    await service.sql`
      update item
      set discontinued = true
      where short_id = 'LARGE-050000'`;
    let text = '';
    socket.on('data', (chunk) => {
      text = (text + chunk).slice(-100_000);
    });
    socket.resume();
    await expect.poll(() => text.endsWith('0\r\n\r\n')).toBe(true);
    expect(text).toContain('LARGE-050000');
    expect(text).not.toContain('changed meanwhile');
  } finally {
    await service.sql`
      update item
      set description = repeat('x', ${descriptionLength}::integer), discontinued = false
      where category = ${large} and short_id > 'LARGE-049990'`;
  }
});

test('Postgres ends the query when the caller leaves halfway', async () => {
  const socket = await openReader();
  await untilStreams(1);
  socket.destroy();
  await untilStreams(0);
});

test('Postgres ends the query when the caller takes nothing for too long, and the stream fails', async () => {
  const pool = createStatementPool({
    open: () => connect(service.databaseUrl, { name: 'inventory-streamed-lists', connectionsMax: 1 }),
    ...{ connectionsMax: 1, overrunMs: 600_000, limitMs: 600_000, waitMs: 600_000, cancels: true },
  });
  onTestFinished(() => pool.end());
  const { readable, write } = createTextStream(100);
  const read = pool.run((sql) => readLargeCategory(sql, large, write));
  await expect(read).rejects.toThrow('the reader has gone');
  expect(readable.errored).toMatchObject({ message: 'the reader takes nothing' });
  await untilStreams(0);
});

test('the answer is cut short when Postgres fails halfway, and the next one is whole', async () => {
  const socket = await openReader();
  await untilStreams(1);
  await service.sql`
    select pg_terminate_backend(pid)
    from pg_stat_activity
    where datname = current_database() and application_name = 'inventory-streamed-lists'`;
  let tail = '';
  socket.on('data', (chunk) => {
    tail = String(chunk).slice(-10);
  });
  socket.resume();
  await once(socket, 'close');
  expect(tail).not.toMatch(/0\r\n\r\n$/);
  expect(shortIds((await read(categoryOf(1500))).bytes)).toHaveLength(1500);
});
