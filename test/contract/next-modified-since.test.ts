import { randomUUID } from 'node:crypto';
import { createListTurns } from '@inventory/api/lists/list-turns';
import { createLists, type ListPools } from '@inventory/api/lists/lists';
import { createItem, drawPartNo, updateItem } from '@inventory/db/catalog/items';
import { itemPage } from '@inventory/db/lists/list-items';
import { readNextModifiedSince } from '@inventory/db/lists/next-modified-since';
import { holdLot } from '@inventory/db/operator/holds';
import { setOrderQuantities } from '@inventory/db/operator/order-quantities';
import type { QueuedRequest } from '@inventory/domain/request';
import type { Sql } from '@inventory/postgres/pool';
import { expect } from 'vitest';
import { dateTime } from '../harness/contract/answers.ts';
import { stockOf, useStock } from '../harness/contract/item-stock.ts';
import { applyHeld, holdOpen } from '../harness/network/held-open.ts';
import { createDatabase } from '../harness/servers/database.ts';
import type { ApiAnswer, ApiClient } from '../harness/service/api-client.ts';
import { uniqueName } from '../harness/service/service.ts';

const { service, test } = useStock();
const header = 'X-Next-Modified-Since';

// More than the margin behind the clock plus the time the value is cached.
const behindMs = 5000;

/** The clock that stamps changes, in whole milliseconds. */
async function clock(sql: Sql = service.sql): Promise<number> {
  const [row] = await sql<{ ms: number }[]>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms`;
  return row!.ms;
}

/** Waits until a value made from the clock alone would be after this moment. */
async function waitUntilPast(moment: number): Promise<void> {
  await expect.poll(async () => (await clock()) - moment).toBeGreaterThan(behindMs);
}

function nextOf(answer: ApiAnswer): number {
  const next = answer.headers.get(header);
  expect(next).toEqual(dateTime);
  return Date.parse(next!);
}

// biome-ignore lint/suspicious/noExplicitAny: records have their own names.
type Records = any[];

/** All pages, and the value that the first page gives for the next time. */
async function walk(client: ApiClient, path: string, since?: string) {
  const records: Records = [];
  let next: string | null = null;
  for (let page = 1; ; page++) {
    const query = `pageSize=2&page=${page}${since === undefined ? '' : `&modifiedSince=${since}`}`;
    const answer = await client.get(`${path}?${query}`);
    expect(answer.status).toBe(200);
    nextOf(answer);
    next ??= answer.headers.get(header);
    records.push(...answer.body.value);
    if (!answer.body.hasMore) return { records, next: next! };
  }
}

const paged = [
  ...['/Inventory', '/Inventory/1', '/Inventory/StockLevels', '/Inventory/StockLevels/1'],
  ...['/Item', '/Item/All', '/Inventory/Transactions'],
];

/** A request for the worker that does not expire. */
const requestOf = (client: ApiClient, kind: QueuedRequest['kind'], body: object) =>
  ({
    ...{ requestId: randomUUID(), clientId: client.clientId, deadline: Date.now() + 3_600_000, kind },
    body: { reasonCode: 0, ...body },
  }) as QueuedRequest;

test.for(paged)(
  '%s: every page gives the value for the next request, in the form the parameter takes',
  async (path, { client, stock }) => {
    await stock.addLot(5);
    const before = await clock();
    for (const query of ['', 'page=1000', 'sort=partNo&direction=DESC', 'modifiedSince=2000-01-01']) {
      const next = nextOf(await client.get(`${path}?${query}`));
      expect(next).toBeLessThan(await clock());
      expect(next).toBeGreaterThan(before - 120_000);
      const again = await client.get(`${path}?modifiedSince=${new Date(next).toISOString()}`);
      expect(again.status).toBe(200);
    }
  },
);

test('no value on a single item, a category or an error', async ({ client, itemID }) => {
  for (const [path, status] of [
    [`/Item?key=${itemID}&type=id`, 200],
    ['/Item?Category=812', 200],
    ['/Item?page=0', 400],
    ['/Inventory/3', 403],
  ] as const) {
    const answer = await client.get(path);
    expect([answer.status, answer.headers.get(header)], path).toEqual([status, null]);
  }
});

test('an open write is in the next walk, even if committed long after', async ({ client, itemID }) => {
  const receipt = requestOf(client, 'receive', { itemID, units: 2, wid: 2 });
  const commit = await holdOpen(service.sql, (own) => applyHeld(service.sql, own, [receipt]));
  await waitUntilPast(await clock());
  const { records, next } = await walk(client, '/Inventory');
  expect(records.filter(({ shortID }) => shortID === itemID)).toEqual([]);
  await commit();
  const changed = await walk(client, '/Inventory', next);
  expect(changed.records.filter(({ shortID }) => shortID === itemID)).toHaveLength(1);
});

test('every kind of write is in the next walk when it commits late', async ({ client }) => {
  const { sql } = service;
  const make = async () => {
    const itemID = await service.item();
    return { itemID, recNo: await stockOf(service, client, itemID).addLot(5) };
  };
  const [received, issued, held, described, counted] = await Promise.all(Array.from({ length: 5 }, make));
  const changed = await service.item();
  const created = uniqueName('CREATED');
  const apply = (own: Sql, kind: QueuedRequest['kind'], body: object) =>
    applyHeld(sql, own, [requestOf(client, kind, body)]);
  const order = (shortId: string, wid: number, onOrder: string) => (own: Sql) =>
    setOrderQuantities(own, { shortId, wid }, { onOrder });
  /** Each writer, and where its work shows, and how. */
  type Seen = [path: string, isSeen: (record: Records[0]) => boolean];
  const writers: [write: (own: Sql) => Promise<unknown>, ...seen: Seen[]][] = [
    [
      (own) => apply(own, 'receive', { itemID: received!.itemID, units: 2, wid: 2 }),
      ['/Inventory', (lot) => lot.shortID === received!.itemID && lot.wID === 2],
      ['/Inventory/StockLevels', ({ inStock }) => inStock === 7],
    ],
    [
      (own) => apply(own, 'issue', { itemID: issued!.itemID, units: 3.25, wid: 1 }),
      ['/Inventory/1', ({ units }) => units === 1.75],
      ['/Inventory/StockLevels/1', ({ inStock }) => inStock === 1.75],
    ],
    [
      (own) => holdLot(own, { recNo: held!.recNo, reason: 'inspection' }),
      ['/Inventory', (lot) => lot.recNo === held!.recNo && lot.hold],
      ['/Inventory/StockLevels', ({ onHold }) => onHold === 5],
    ],
    [
      (own) => updateItem(own, described!.itemID, { description: 'changed late' }),
      ['/Inventory', ({ description }) => description === 'changed late'],
      ['/Item', ({ description }) => description === 'changed late'],
    ],
    [order(counted!.itemID, 1, '11'), ['/Inventory/StockLevels', ({ onOrder }) => onOrder === 11]],
    [order(changed, 2, '12'), ['/Inventory/StockLevels', ({ onOrder }) => onOrder === 12]],
    [
      (own) => updateItem(own, changed, { discontinued: true }),
      ['/Item/All', (item) => item.shortID === changed && item.discontinued],
    ],
    [
      async (own) => createItem(own, await drawPartNo(own), created, {}, 'tests'),
      ['/Item/All', ({ shortID }) => shortID === created],
    ],
  ];
  for (const [write, ...seen] of writers) {
    const commit = await holdOpen(sql, write);
    const written = await clock();
    await expect.poll(async () => clock()).toBeGreaterThan(written + 1);
    // Without the margin behind the clock, which would hide a writer that forgets to hold the value.
    const next = (await readNextModifiedSince(sql, { margin: 0 })).toISOString();
    for (const [path, isSeen] of seen) {
      const { records } = await walk(client, path);
      expect(records.some(isSeen), `${path} before the commit`).toBe(false);
    }
    await commit();
    for (const [path, isSeen] of seen) {
      const { records } = await walk(client, path, next);
      expect(records.some(isSeen), `${path} after the commit`).toBe(true);
    }
  }
});

test('the value stands still while a change is open, and goes on after it', async ({ client, itemID }) => {
  const before = await clock();
  const commit = await holdOpen(service.sql, (own) => updateItem(own, itemID, { category: 5 }));
  const after = await clock();
  await waitUntilPast(after);
  for (const path of paged) {
    const next = nextOf(await client.get(path));
    expect(next).toBeGreaterThanOrEqual(before);
    expect(next).toBeLessThanOrEqual(after);
  }
  await commit();
  await expect.poll(async () => nextOf(await client.get('/Item'))).toBeGreaterThan(after);
});

test('a transaction holds the value by one lock and its numbers by another, however many records it changes; the next one has its own', async () => {
  const heldBy = (own: Sql) => own<{ held: string }[]>`
    select string_agg(classid || ' ' || objid, ', ') as held
    from pg_locks
    where pid = pg_backend_pid() and locktype = 'advisory'`;
  const seen: string[] = [];
  const connection = await service.sql.reserve();
  for (const name of ['MANY-A', 'MANY-B']) {
    await connection.unsafe('begin');
    await connection`
      insert into item (short_id, created_by)
      select ${name} || n, 'tests' from generate_series(1, 5000) as n`;
    seen.push((await heldBy(connection as unknown as Sql))[0]!.held);
    await connection.unsafe('rollback');
  }
  connection.release();
  for (const held of seen) expect(held).toMatch(/^\d+ \d+, \d+ \d+$/);
  expect(seen[0]).not.toBe(seen[1]);
});

test('neither an open read nor another database holds the value', async ({ client, itemID }) => {
  const other = await createDatabase();
  try {
    const ends = [
      await holdOpen(service.sql, (own) => own`select from item where short_id = ${itemID} for update`),
      await holdOpen(other.sql, (own) => own`insert into item (short_id, created_by) values ('A', 'tests')`),
    ];
    const opened = await clock();
    await expect.poll(async () => nextOf(await client.get('/Item'))).toBeGreaterThan(opened);
    for (const end of ends) await end();
  } finally {
    await other.drop();
  }
});

test('the value reveals nothing of what others are doing right now', async ({ itemID }) => {
  const commit = await holdOpen(service.sql, (own) => updateItem(own, itemID, { category: 6 }));
  const next = await readNextModifiedSince(service.sql);
  expect((await clock()) - next.getTime()).toBeGreaterThanOrEqual(2000);
  await commit();
});

test('the value is read before the page: no commit in between is lost', async ({ itemID: shortId }) => {
  const { sql } = service;
  const commit = await holdOpen(sql, (own) => updateItem(own, shortId, { description: 'in between' }));
  await waitUntilPast(await clock());
  const pool = { run: <T>(work: (own: Sql) => Promise<T>) => work(sql) };
  const lists = createLists(
    { cheap: pool, costly: pool, streamed: pool, looks: pool } as unknown as ListPools,
    createListTurns(),
  );
  const asker = {
    client: { clientId: 'c', permissions: new Set<number>(), scope: new Set<number>(), readOnly: true },
    wait: { until: Number.POSITIVE_INFINITY, hasGone: () => false },
  } as unknown as Parameters<typeof lists.page>[1];
  const query = { page: 1, pageSize: 250, sort: undefined, direction: 'asc' } as const;
  const page = await lists.page(
    {
      cost: 'page',
      async read(own) {
        const read = await itemPage(query, { discontinuedToo: true }).read(own);
        await commit();
        return read;
      },
    },
    asker,
  );
  expect(page.records).not.toContain('in between');
  const modifiedSince = new Date(page.nextModifiedSince);
  const changed = await lists.page(itemPage({ ...query, modifiedSince }, { discontinuedToo: true }), asker);
  expect(changed.records).toContain('in between');
});
