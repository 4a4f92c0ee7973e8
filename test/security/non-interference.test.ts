import { startServer } from '@inventory/api/server';
import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClient } from '@inventory/db/clients';
import { foldArrivals } from '@inventory/db/lists/fold-arrivals';
import { itemSortColumns } from '@inventory/db/lists/list-items';
import { lotSortColumns } from '@inventory/db/lists/list-lots';
import { stockLevelSortColumns } from '@inventory/db/lists/list-stock-levels';
import { createLog } from '@inventory/process/log';
import type { Running } from '@inventory/process/run';
import { request } from 'undici';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type ApiClient, askToken, createApiClient } from '../harness/api-client.ts';
import { createDatabase, type TestDatabase } from '../harness/database.ts';
import { uniqueName } from '../harness/service.ts';

const inScope = [1, 2];
const lotsInScope = 240;
const items = 30;
const since = '2026-02-01T00:00:00.000Z';

/** A service whose stock is the same as the other's in scope, and another outside. */
type World = { database: TestDatabase; api: Running & { port: number }; client: ApiClient };
const worlds: World[] = [];

/**
 * Stock of warehouses 1 and 2, the same in every world to the last column; and, before, between and after it, that of warehouses 3
 * and 4, which `seed` makes another. Without a ledger: nobody writes here.
 */
async function fill({ sql }: TestDatabase, seed: number) {
  await sql.begin(async (tx) => {
    await tx`
      insert into warehouse (wid, name)
      values (1, 'Main'), (2, 'Overflow'), (3, ${`Elsewhere ${seed}`}), (4, ${`Nowhere ${seed}`})`;
    // The catalog belongs to everybody.
    await tx`
      insert into item (short_id, description, category, units, discontinued, created, modified, described, created_by)
      select 'ITEM-' || lpad((n * 7 % ${items})::text, 3, '0'), 'Text ' || n % 5, n % 3, n % 4 + 1, n % 6 = 0,
        '2026-01-01'::timestamptz + n * interval '1 minute', '2026-01-31'::timestamptz + n % 9 * interval '8 hours',
        case when n % 4 = 0 then '2026-01-30'::timestamptz + n % 5 * interval '16 hours' end, 'tests'
      from generate_series(0, ${items - 1}::integer) as n
      order by n`;
    await tx`
      create temporary table made on commit drop as
      select n, 1 + n * 7 % ${items - 1} as item, 1 + n % 2 as wid,
        (array['A', 'B', '', 'C'])[1 + n % 4] as spot, (array['', 'S1', 'S2'])[1 + n % 3] as serial, n % 5 = 0 as hold,
        n % 4 <> 1 or n % 5 = 0 as active, 1 + n % 7 as units,
        '2026-01-10'::timestamptz + n / 3 * interval '1 hour' as received,
        '2026-01-28'::timestamptz + n * 37 % 240 * interval '1 hour' as modified,
        n::double precision as place
      from generate_series(1, ${lotsInScope}::integer) as n`;
    // Others', of the same items and of some that nobody else has; the newest and the oldest are theirs, too.
    await tx`
      insert into made
      select n, 1 + (n * ${7 + seed} + ${seed}) % ${items}, 3 + (n + ${seed}) % 2,
        (array['A', 'X', ''])[1 + (n + ${seed}) % 3], (array['', 'S1', 'S9'])[1 + n % 3], (n + ${seed}) % 3 = 0,
        n % 2 = 0 or (n + ${seed}) % 3 = 0, 1 + (n * ${seed}) % 90,
        '2026-01-05'::timestamptz + n * interval '47 minutes' * ${seed}, '2026-01-20'::timestamptz + n * interval '5 hours',
        (n * ${seed} % ${lotsInScope})::double precision + 0.5
      from generate_series(1, ${100 + 90 * seed}::integer) as n`;
    await tx`
      insert into stock_level (part_no, wid, used, modified, in_stock, on_hold, on_order, committed, packed, asn)
      select item, wid, true,
        case when wid > 2 then '2026-03-01' else '2026-01-20'::timestamptz + item * interval '1 day' end, coalesce(sum(units) filter (where active), 0),
        coalesce(sum(units) filter (where active and hold), 0), item % 3, case when wid > 2 then ${seed} else item % 2 end, 0, wid
      from made
      group by item, wid
      order by item, wid`;
    await tx`
      insert into lot (part_no, wid, spot, serial, serial2, remark, units, received, shipped, hold, hold_reason, active, modified)
      select item, wid, spot, serial, case when n % 3 = 0 then 'T' || n end, 'remark ' || n % 4,
        case when active then units else 0 end, received, case when not active then received + interval '1 day' end,
        hold, case when hold then 'inspection' end, active, modified
      from made
      order by place, n`;
  });
  // In one it is counted, in blocks and chapters of a few lots, in the other it has just arrived.
  if (seed === 1) await foldArrivals(sql, 60_000, { block: 4, chapter: 3 });
  await sql`analyze`;
}

async function openWorld(seed: number): Promise<World> {
  const database = await createDatabase();
  await fill(database, seed);
  const secret = createSecret();
  const clientId = 'client';
  await addClient(database.sql, {
    clientId,
    permissions: [11],
    wids: inScope,
    readOnly: true,
    rateLimit: 1_000_000,
    secretDigest: digestSecret(secret),
  });
  process.env.LOG_LEVEL ??= 'fatal';
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: inject('redisUrl'),
    QUEUE_PREFIX: uniqueName('world'),
    PORT: '0',
  };
  const api = await startServer(env, createLog('api'));
  const baseUrl = `http://127.0.0.1:${api.port}/api/v1`;
  const answer = await askToken(baseUrl, { clientId, secret });
  return { database, api, client: createApiClient(baseUrl, clientId, answer.body.access_token) };
}

beforeAll(async () => {
  for (const seed of [1, 2]) worlds.push(await openWorld(seed));
});
afterAll(async () => {
  for (const { api, database } of worlds) {
    await api.stop();
    await database.drop();
  }
});

const sorts = (columns: readonly string[]) => [
  '',
  ...columns.flatMap((column) => [`sort=${column}`, `sort=${column}&direction=DESC`]),
];
const pages = ['pageSize=40', 'pageSize=7&page=3'];
const moments = ['', `modifiedSince=${since}`, 'modifiedSince=2000-01-01'];
const lotFilters = [
  ...['', 'inStock=true', 'inStock=false', 'hold=true', 'hold=false', 'itemID=ITEM-007', 'itemID=NONE'],
  ...['spot=A', 'spot=', 'spot=X', 'serial=S1', 'serial=', 'serial=S9', 'inStock=true&spot=A&serial=S1'],
];

/** Every combination of what is to be asked, as the query of a list. */
function combined(...choices: readonly (readonly string[])[]): string[] {
  const all = choices.reduce<string[][]>(
    (made, choice) => made.flatMap((each) => choice.map((one) => [...each, one])),
    [[]],
  );
  return all.map((each) => each.filter((one) => one !== '').join('&'));
}

const variants: Record<string, string[]> = {
  '/Inventory': combined(sorts(lotSortColumns), lotFilters, pages, moments),
  '/Inventory/1': combined(sorts(lotSortColumns), ['', 'spot=A', 'inStock=false'], pages, moments),
  '/Inventory/StockLevels': combined(sorts(stockLevelSortColumns), pages, moments),
  '/Inventory/StockLevels/2': combined(sorts(stockLevelSortColumns), pages, moments),
  '/Item': [...combined(sorts(itemSortColumns), pages, moments), 'Category=1', 'key=ITEM-003&type=id'],
  '/Item/All': combined(sorts(itemSortColumns), pages, moments),
  '/Inventory/3': ['', 'pageSize=1'],
  '/Inventory/StockLevels/4': ['', 'pageSize=1'],
};

/** The place of each recNo among those in scope: the numbers themselves are drawn for the whole service. */
async function ranksOf({ database }: World): Promise<Map<string, string>> {
  const rows = await database.sql<{ rec_no: number; rank: number }[]>`
    select rec_no, row_number() over (order by rec_no) as rank
    from lot
    where wid = any(${inScope}::integer[])`;
  return new Map(rows.map(({ rec_no, rank }) => [String(rec_no), String(rank)]));
}

/** Without looking at each answer as other tests do: there are thousands. */
async function readAll(world: World, path: string, ranks: Map<string, string>): Promise<string[]> {
  const texts = [];
  const headers = { authorization: `Bearer ${world.client.token}` };
  for (const query of variants[path]!) {
    const answer = await request(`http://127.0.0.1:${world.api.port}/api/v1${path}?${query}`, { headers });
    const status = answer.statusCode;
    const told = Object.entries(answer.headers).filter(([name]) => /^x-(total|page)/.test(name));
    const text = await answer.body.text();
    const ranked = text.replace(/"recNo":(\d+)/g, (_, recNo) => `"recNo":"${ranks.get(recNo) ?? 'foreign'}"`);
    texts.push(`${path}?${query} ${status} ${JSON.stringify(told)} ${ranked}`);
  }
  return texts;
}

test.each(Object.keys(variants))('%s: what differs outside the scope changes not a byte', async (path) => {
  const [one, other] = await Promise.all(
    worlds.map(async (world) => readAll(world, path, await ranksOf(world))),
  );
  for (const [index, text] of one!.entries()) expect(other![index]).toBe(text);
  expect(one!.length).toBe(variants[path]!.length);
});

test('the worlds differ, and what is compared is not empty', async () => {
  const counts = await Promise.all(
    worlds.map(async ({ database }) => {
      const [row] = await database.sql`
        select count(*) filter (where wid = any(${inScope}::integer[])) as inside,
          count(*) filter (where wid <> all(${inScope}::integer[])) as outside,
          max(rec_no) filter (where wid = any(${inScope}::integer[])) as last
        from lot`;
      return row!;
    }),
  );
  expect(counts.map(({ inside }) => inside)).toEqual([lotsInScope, lotsInScope]);
  expect(counts[0]!.outside).not.toBe(counts[1]!.outside);
  expect(counts[0]!.last).not.toBe(counts[1]!.last);
  const { client } = worlds[0]!;
  const total = async (query: string) => (await client.get(query)).body.totalCount;
  for (const filter of lotFilters.filter((each) => !/NONE|X|S9/.test(each))) {
    const count = await total(`/Inventory?${filter}`);
    expect(count, filter).toBeGreaterThan(0);
    if (filter !== '') expect(count, filter).toBeLessThan(lotsInScope);
  }
  for (const path of ['/Inventory', '/Inventory/StockLevels']) {
    const changed = await total(`${path}?modifiedSince=${since}`);
    expect(changed, path).toBeGreaterThan(0);
    expect(changed, path).toBeLessThan(await total(path));
  }
});
