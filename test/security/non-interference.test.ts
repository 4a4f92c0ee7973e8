import { startServer } from '@inventory/api/server';
import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClient } from '@inventory/db/access/clients';
import { foldArrivals } from '@inventory/db/lists/fold-arrivals';
import { allItems } from '@inventory/db/lists/list-items';
import { lots } from '@inventory/db/lists/list-lots';
import { stockLevels } from '@inventory/db/lists/list-stock-levels';
import type { Tx } from '@inventory/postgres/pool';
import { createLog } from '@inventory/process/log/log';
import type { Running } from '@inventory/process/run';
import { request } from 'undici';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { sortColumnsOf } from '../harness/contract/routes.ts';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { type ApiClient, askToken, createApiClient, untilAnswered } from '../harness/service/api-client.ts';
import { uniqueName } from '../harness/service/service.ts';
import { arriveTransactions } from '../harness/stock/arrive.ts';

const inScope = [1, 2];
const lotsInScope = 240;
const items = 30;
const multitude = 10_000;
const since = '2026-02-01T00:00:00.000Z';
const gtin = '04006381333931';

/** A service whose stock in scope equals the other's, and whose stock outside differs. */
type World = { database: TestDatabase; api: Running & { port: number }; client: ApiClient };
const worlds: World[] = [];

/**
 * The stock of warehouses 1 and 2, equal in every world to the last column; and before, between and after it
 * the stock of warehouses 3 and 4, which `seed` varies. There is no ledger, because nobody writes here.
 */
async function fill({ sql }: TestDatabase, seed: number) {
  await sql.begin(async (tx) => {
    // Changes of items and levels come after the history that is made below.
    await tx`select setval('stock_transaction_no_seq', 1000000)`;
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
      insert into item (short_id, created, modified, created_by)
      select 'UNUSED-' || lpad(n::text, 4, '0'), '2026-01-01', '2026-01-01', 'tests' from generate_series(1, 3000) as n`;
    await tx`
      insert into item_alias (alias, part_no)
      select case when n = 7 then ${gtin} else 'ALIAS-' || n end, part_no
      from (select part_no, row_number() over (order by part_no) - 1 as n from item where short_id like 'ITEM-%') as item`;
    await tx`
      create temporary table made on commit drop as
      select n, 1 + n * 7 % ${items - 1} as item, 1 + n % 2 as wid,
        (array['A', 'B', '', 'C'])[1 + n % 4] as spot, (array['', 'S1', 'S2'])[1 + n % 3] as serial, n % 5 = 0 as hold,
        n % 4 <> 1 or n % 5 = 0 as active, 1 + n % 7 as units,
        '2026-01-10'::timestamptz + n / 3 * interval '1 hour' as received,
        '2026-01-28'::timestamptz + n * 37 % 240 * interval '1 hour' as modified,
        n::double precision as place
      from generate_series(1, ${lotsInScope}::integer) as n`;
    // Lots out of scope, of the same items and of some that only they have; the newest and the oldest lots
    // are among them.
    await tx`
      insert into made
      select n, 1 + (n * ${7 + seed} + ${seed}) % ${items}, 3 + (n + ${seed}) % 2,
        (array['A', 'X', ''])[1 + (n + ${seed}) % 3], (array['', 'S1', 'S9'])[1 + n % 3], (n + ${seed}) % 3 = 0,
        n % 2 = 0 or (n + ${seed}) % 3 = 0, 1 + (n * ${seed}) % 90,
        '2026-01-05'::timestamptz + n * interval '47 minutes' * ${seed}, '2026-01-20'::timestamptz + n * interval '5 hours',
        (n * ${seed} % ${lotsInScope})::double precision + 0.5
      from generate_series(1, ${100 + 90 * seed}::integer) as n`;
    await tx`
      insert into stock_level (part_no, wid, used, modified, in_stock, on_hold, on_order, committed, packed, asn, minimum)
      select item, wid, true,
        case when wid > 2 then '2026-03-01' else '2026-01-20'::timestamptz + item * interval '1 day' end, coalesce(sum(units) filter (where active), 0),
        coalesce(sum(units) filter (where active and hold), 0), item % 3, case when wid > 2 then ${seed} else item % 2 end, 0, wid,
        case when wid > 2 then 50 * ${seed} when item % 3 > 0 then item % 10 end
      from made
      group by item, wid
      order by item, wid`;
    await tx`
      insert into lot (part_no, wid, spot, serial, serial2, rfid_tag, job_id, expires, price, remark, units, received, shipped, hold, hold_reason, active, modified)
      select item, wid, spot, serial, case when n % 3 = 0 then 'T' || n end, 'TAG' || n % 9, n % 5,
        '2026-03-01'::timestamptz + n % 11 * interval '1 day',
        n, 'remark ' || n % 4,
        case when active then units else 0 end, received, case when not active then received + interval '1 day' end,
        hold, case when hold then 'inspection' end, active, modified
      from made
      order by place, n`;
    // Some were split off from others in scope, some from lots out of scope.
    await tx`
      update lot
      set from_rec_no = case when nth % 8 = 0 then prior else (select min(rec_no) from lot where wid = 3) end
      from (
        select rec_no, row_number() over (order by rec_no) as nth, lag(rec_no) over (order by rec_no) as prior from lot where wid < 3
      ) as numbered
      where lot.rec_no = numbered.rec_no and nth % 4 = 0`;
    await addHistory(tx, seed);
    if (seed === 2) await addMultitude(tx);
  });
  // In one world it is folded, items into blocks of a few; in the other it has just arrived.
  if (seed === 1) await foldArrivals(sql, 60_000, 4);
  await sql`analyze`;
}

/**
 * Adds a transaction for each lot: receipts, and moves inside the scope and across its edge, both ways, with
 * the other line of a lot of warehouse 3; transactions of the other warehouses in between. Every tenth was
 * reversed.
 */
async function addHistory(tx: Tx, seed: number) {
  await tx`
    create temporary table told on commit drop as
    select row_number() over (order by lot.rec_no) * 2 as transaction_no, lot.rec_no, lot.part_no, lot.wid, lot.spot, nth,
      case when lot.wid > 2 or nth % 5 <> 0 then null when nth % 2 = 0 then 3 when nth % 3 = 0 then 3 - lot.wid else 4 end as other_wid
    from (
      select *, row_number() over (partition by wid <= 2 order by rec_no) as nth from lot
    ) as lot`;
  await tx`
    insert into stock_transaction (transaction_no, request_id, client_id, kind, body, status, result, at, part_no, wid, to_wid, device_id)
    select transaction_no, gen_random_uuid(), 'client-' || nth % 3, case when other_wid is null then 'receive' else 'move' end,
      json_build_object('reasonCode', nth % 4, 'reference', case when nth % 3 = 0 then 'R' || nth % 9 end, 'remark', 'said'), 'applied', '{}',
      '2026-01-20'::timestamptz + nth * interval '1 hour', part_no, case when nth % 4 = 0 then coalesce(other_wid, wid) else wid end,
      case when nth % 4 = 0 and other_wid is not null then wid else other_wid end, case when nth % 7 = 0 then 'd' || nth % 2 end
    from told`;
  await tx`
    insert into stock_transaction (transaction_no, request_id, client_id, kind, body, status, result, at, part_no, wid, reverses)
    select transaction_no + 1, gen_random_uuid(), 'client-0', 'reverse', '{}', 'applied', '{}', '2026-02-10', part_no, wid, transaction_no
    from told
    where nth % 10 = 1`;
  await tx`
    insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta, balance)
    select transaction_no, 1, rec_no, part_no, wid, spot, 1 + nth % 7, 1 + nth % 7 from told
    union all
    select transaction_no, 2, foreign_lot.rec_no, told.part_no, case when other_wid < 3 then other_wid else foreign_lot.wid end, foreign_lot.spot,
      -1 - nth % 7, case when other_wid < 3 then 5 else ${seed} end
    from told
    cross join lateral (
      select rec_no, lot.wid, lot.spot
      from lot
      where case when other_wid < 3 then lot.wid = other_wid and lot.spot = 'A' else lot.wid = 3 end
      order by rec_no
      limit 1 offset case when other_wid < 3 then 0 else nth % ${seed} end
    ) as foreign_lot
    where other_wid is not null`;
  await arriveTransactions(tx);
}

/**
 * Adds very many lots and transactions of warehouse 3 that every filter matches, and levels of items that
 * only it has: a multitude for any query that counts them.
 */
async function addMultitude(tx: Tx) {
  const [known] = await tx<{ lot: number; item: number }[]>`
    select (select min(rec_no) from lot where wid = 3) as lot, (select part_no from item where short_id = 'ITEM-007') as item`;
  await tx`
    insert into stock_level (part_no, wid, used, modified, minimum)
    select part_no, 3, true, '2026-03-01', 5 from item
    on conflict (part_no, wid) do nothing`;
  await tx`
    insert into lot (part_no, wid, spot, serial, serial2, rfid_tag, job_id, units, received, hold, active, modified)
    select ${known!.item}, 3, 'A', 'S1', 'T9', 'TAG3', 4, 1, '2026-01-09', true, true, '2026-03-01'
    from generate_series(1, ${multitude}::integer)`;
  await tx`
    insert into stock_transaction (transaction_no, request_id, client_id, kind, body, status, result, at, part_no, wid, device_id)
    select 100000 + n, gen_random_uuid(), 'client-1', 'receive', '{"reference": "R3"}', 'applied', '{}',
      '2026-01-22'::timestamptz + n % 1000 * interval '1 hour', ${known!.item}, 3, 'd1'
    from generate_series(1, ${multitude}::integer) as n`;
  await tx`
    insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta, balance)
    select 100000 + n, line, case line when 1 then ${known!.lot} else rec_no end, ${known!.item}, 3, 'A', 1, 1
    from (select rec_no, row_number() over () as n from lot where wid = 3 and serial2 = 'T9' limit ${multitude}) as numbered
    cross join generate_series(1, 2) as line`;
  await arriveTransactions(tx, 100_000);
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
const words = (text: string) => text.split(' ');
const lotFilters = [
  '',
  ...words('inStock=true inStock=false hold=true hold=false itemID=ITEM-007 itemID=NONE spot=A spot='),
  ...words('spot=X serial=S1 serial= serial=S9 inStock=true&spot=A&serial=S1'),
];
const moreLotFilters = words('rfidTag=TAG3 serial2=T9 jobID=0 jobID=4 expiresBefore=2026-03-05');
const transactionFilters = [
  '',
  ...words('kind=move kind=receive kind=reverse itemID=ITEM-007 itemID=NONE wid=1 wid=2 wid=3 serial=S1'),
  ...words('serial= serial=S9 reference=R3 clientId=client-1 deviceID=d1 startDate=2026-01-25'),
  ...words('endDate=2026-01-24 startDate=2026-01-22&endDate=2026-01-23 kind=move&wid=1&clientId=client-2'),
];

/** Every combination of the choices, as the query of a list. */
function combined(...choices: readonly (readonly string[])[]): string[] {
  const all = choices.reduce<string[][]>(
    (made, choice) => made.flatMap((each) => choice.map((one) => [...each, one])),
    [[]],
  );
  return all.map((each) => each.filter((one) => one !== '').join('&'));
}

/** Each order beside each filter, and each filter beside each page and moment, but not all together. */
const oneInFive = (all: readonly string[]) => all.filter((_, index) => index % 5 === 0);
const someLots = ['lot 3', 'lot 5', 'foreign lot', 'no lot'];

const itemLists = combined(sorts(sortColumnsOf(allItems)), pages, moments);

const variants: Record<string, string[]> = {
  '/Inventory': [
    ...oneInFive(combined(sorts(sortColumnsOf(lots)), lotFilters, pages, moments)),
    ...combined(['', 'sort=units'], [...moreLotFilters, 'view=full', 'view=full&spot=A'], pages, moments),
  ],
  '/Inventory/1': [
    ...oneInFive(combined(sorts(sortColumnsOf(lots)), ['', 'spot=A', 'inStock=false'], pages, moments)),
    ...combined(['view=full'], pages, moments),
    ...someLots.map((lot) => `recNo={${lot}}`),
  ],
  ...Object.fromEntries([...someLots, 'lot 40', 'lot 150'].map((lot) => [`/Inventory/Lots/{${lot}}`, ['']])),
  '/Inventory/StockLevels': [
    ...combined(sorts(sortColumnsOf(stockLevels)), pages, moments),
    ...combined(
      ['belowMinimum=true', 'belowMinimum=false&view=full'],
      ['', 'sort=available'],
      pages,
      moments,
    ),
  ],
  '/Inventory/StockLevels/2': combined(
    ['', 'sort=inStock'],
    [
      'view=full',
      'itemID=ITEM-007',
      'itemID=ITEM-007&view=full',
      'partNo=9',
      'partNos=9,29,30',
      'belowMinimum=true&view=full',
    ],
    pages,
    moments,
  ),
  '/Inventory/StockAt': combined(
    ['time=2026-01-25', 'time=2026-01-20T10:00:00Z', 'time=2026-04-01'],
    ['', 'wid=2', 'itemID=ITEM-007', 'partNos=9,29,30'],
    pages,
  ),
  '/Inventory/StockDays': combined(['partNo=9&from=2026-01-01&to=2026-02-28'], ['', 'wid=1']),
  '/Inventory/Activity': combined(
    ['from=2026-01-01&to=2026-02-28', 'from=2026-01-20&to=2026-01-31&by=hour'],
    pages,
  ),
  // Everybody sees all items.
  '/Item': [
    ...oneInFive(itemLists),
    ...words('Category=1 key=ITEM-003&type=id search=iTEM-01 search=ALIAS-2&sort=modified'),
    ...words('search=unused search=t search=Text&modifiedSince=2026-01-31'),
  ],
  '/Item/All': [...oneInFive(itemLists), ...combined([`search=${gtin.slice(3)}`, 'search=text'], pages)],
  '/Item/7/Aliases': [''],
  '/Inventory/Transactions': [
    ...combined(['', 'sort=transactionNo'], transactionFilters, pages, moments),
    ...[...someLots, 'lot 100'].map((lot) => `recNo={${lot}}`),
  ],
  ...Object.fromEntries(
    ['transaction 3', 'transaction 10', 'transaction 15', 'foreign transaction', 'no transaction'].map(
      (each) => [`/Inventory/Transactions/{${each}}`, ['']],
    ),
  ),
  '/Inventory/3': ['', 'pageSize=1'],
  '/Inventory/StockLevels/4': ['', 'pageSize=1'],
};

/**
 * Numbers are drawn for the whole service, so they differ between worlds: the number a name stands for in
 * this world, and a form of its answers that can be compared.
 */
type Numbers = { of(name: string): string; ranked(text: string): string };

async function numbersOf({ database: { sql } }: World): Promise<Numbers> {
  const touched = (wid: string) => sql`coalesce(${sql(wid)} = any(${inScope}::integer[]), false)`;
  const lots = await sql<{ number: number; inside: boolean }[]>`
    select rec_no as number, ${touched('wid')} as inside from lot order by wid <> 3, rec_no`;
  const transactions = await sql<{ number: number; inside: boolean }[]>`
    select transaction_no as number, ${touched('wid')} or ${touched('to_wid')} as inside
    from stock_transaction
    order by 1`;
  const known = Object.entries({ lot: lots, transaction: transactions }).map(([kind, rows]) => {
    const inside = rows.filter((row) => row.inside).map(({ number }) => number);
    const ranks = new Map(inside.map((number, index) => [number, index + 1]));
    return [kind, { inside, ranks, foreign: rows.find((row) => !row.inside)!.number }] as const;
  });
  const kinds = Object.fromEntries(known);
  const ranked = (text: string, fields: RegExp, kind: string) =>
    text.replace(fields, (_, field, no) => `"${field}":"${kinds[kind]!.ranks.get(Number(no)) ?? 'foreign'}"`);
  return {
    of: (name) =>
      name.replace(/\{(?:(foreign|no) )?(lot|transaction) ?(\d*)\}/g, (_, which, kind, place) => {
        const { inside, foreign } = kinds[kind]!;
        return String(
          which === 'no' ? 999_999_999 : which === 'foreign' ? foreign : inside[Number(place) - 1],
        );
      }),
    ranked(text) {
      const withLots = ranked(text, /"(recNo|fromRecNo|recno)":(\d+)/g, 'lot');
      return ranked(withLots, /"(transactionNo|reverses|reversedBy)":(\d+)/g, 'transaction');
    },
  };
}

/** When the last costly list began, by its connection. */
async function lastCostlyAt({ sql }: TestDatabase): Promise<string> {
  const [row] = await sql<{ at: string }[]>`
    select max(query_start)::text as at
    from pg_stat_activity
    where datname = current_database() and application_name = 'inventory-costly-lists'`;
  return row!.at;
}

/**
 * Each answer, and whether it waited in turn with the costly lists. Skips the checks that other tests make of
 * every answer, because there are thousands.
 */
async function readAll(world: World, path: string, { of, ranked }: Numbers): Promise<string[]> {
  const texts = [];
  const headers = { authorization: `Bearer ${world.client.token}` };
  let costlyAt = await lastCostlyAt(world.database);
  for (const query of variants[path]!) {
    const url = `http://127.0.0.1:${world.api.port}/api/v1${of(`${path}?${query}`)}`;
    // A slow machine's 503 tells of no stock.
    const { status, told, text } = await untilAnswered(async () => {
      const answer = await request(url, { headers });
      const told = Object.entries(answer.headers).filter(([name]) => /^x-(total|page)/.test(name));
      return { status: answer.statusCode, told, text: await answer.body.text() };
    });
    const before = costlyAt;
    costlyAt = await lastCostlyAt(world.database);
    const turn = costlyAt === before ? 'cheap' : 'costly';
    texts.push(`${path}?${query} ${status} ${turn} ${JSON.stringify(told)} ${ranked(text)}`);
  }
  return texts;
}

test.each(Object.keys(variants))('%s: a difference outside the scope changes not a byte', async (path) => {
  const [one, other] = await Promise.all(
    worlds.map(async (world) => readAll(world, path, await numbersOf(world))),
  );
  for (const [index, text] of one!.entries()) expect(other![index]).toBe(text);
  expect(one!.length).toBe(variants[path]!.length);
});

test('/Changes: a difference outside the scope changes not a byte, cursors aside', async () => {
  const walks = await Promise.all(
    worlds.map(async (world) => {
      const { ranked } = await numbersOf(world);
      const pages: string[] = [];
      for (const limit of [50, 1000]) {
        for (let after = '', hasMore = true; hasMore; ) {
          const { status, text, body } = await world.client.get(`/Changes?limit=${limit}${after}`);
          expect(status).toBe(200);
          const own = text.replace(/,"cursors":\[[^\]]*\]/, '').replace(body.nextCursor, 'cursor');
          pages.push(ranked(own));
          after = `&after=${body.nextCursor}`;
          hasMore = body.hasMore;
        }
      }
      return pages;
    }),
  );
  for (const [index, text] of walks[0]!.entries()) expect(walks[1]![index]).toBe(text);
  expect(walks[1]).toHaveLength(walks[0]!.length);
  const all = walks[0]!.join();
  for (const type of ['stock', 'level', 'item']) expect(all).toContain(`{"type":"${type}"`);
});

// All codes of a kind in one call, so that what is found of one could change what is found of another.
const codes: Record<string, string[]> = {
  'of marks': words('A B C X S1 S2 S9 T9 T12 T3 TAG3 TAG8'),
  'of lots': ['{lot 3}', '{lot 5}', '{lot 150}', '{foreign lot}', '{no lot}'],
  'of items': ['ITEM-007', 'ITEM-008', 'ALIAS-2', gtin, 'UNUSED-0001'],
  'of GS1': words(
    `(01)${gtin}(10)S1 (01)${gtin}(10)S9 (01)${gtin}(21)T9 (01)${gtin} (10)S1 (00)106141412345678908`,
  ),
};

test.each(Object.entries(codes))('POST /Scan of codes %s: likewise', async (_, asked) => {
  const [one, other] = await Promise.all(
    worlds.map(async (world) => {
      const { of, ranked } = await numbersOf(world);
      const answers = [];
      for (const wid of [{}, { wid: 1 }, { wid: 2 }, { wid: 3 }]) {
        const scans = asked.map((data) => ({ data: of(data) }));
        const { status, text } = await world.client.post('/Scan', { scans, ...wid });
        const named = scans.reduce(
          (all, { data }, index) => all.replaceAll(`"data":"${data}"`, `"data":"${asked[index]}"`),
          text,
        );
        answers.push(`${JSON.stringify(wid)} ${status} ${ranked(named)}`);
      }
      return answers;
    }),
  );
  expect(other).toEqual(one);
  expect(one!.map((answer) => answer.split('"kind"').length > 1)).toEqual([true, true, true, false]);
});

test('200: filters that match little in scope stay cheap, beside a costly list under way, whatever they match outside', async () => {
  const { database, api, client } = worlds[1]!;
  const { of } = await numbersOf(worlds[1]!);
  const headers = { authorization: `Bearer ${client.token}` };
  const isAnswered = async (path: string) => {
    const answer = await request(`http://127.0.0.1:${api.port}/api/v1${path}`, { headers });
    await answer.body.dump();
    return answer.statusCode;
  };
  /** Asks for lists that do not read the table the costly one waits for. */
  const answers = async (table: 'stock_level' | 'item', costly: string, paths: readonly string[]) => {
    const before = await lastCostlyAt(database);
    const found: Record<string, number> = {};
    await database.sql.begin(async (tx) => {
      await tx`lock table ${tx(table)} in access exclusive mode`;
      void isAnswered(costly);
      await expect.poll(() => lastCostlyAt(database)).not.toBe(before);
      await Promise.all(paths.map(async (path) => (found[path] = await isAnswered(path))));
    });
    expect(found).toEqual(Object.fromEntries(paths.map((path) => [path, 200])));
  };
  const lots = words('itemID=ITEM-007 spot=A serial=S1 hold=true rfidTag=TAG3 serial2=T9 jobID=4');
  const since = 'modifiedSince=2026-02-20';
  const done = words('itemID=ITEM-007 serial=S1 reference=R3 deviceID=d1 startDate=2026-01-25');
  await answers('stock_level', '/Inventory/StockLevels?sort=inStock', [
    ...[...lots, since, of('recNo={foreign lot}')].map((filter) => `/Inventory?${filter}`),
    ...[...done, since, of('recNo={foreign lot}')].map((filter) => `/Inventory/Transactions?${filter}`),
  ]);
  await answers('item', '/Item/All?sort=description', [
    `/Inventory/StockLevels?${since}`,
    '/Inventory/StockLevels?belowMinimum=true',
  ]);
});

test('the worlds differ, and the compared answers are not empty', async () => {
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
  expect(counts[1]!.outside - counts[0]!.outside).toBeGreaterThan(multitude);
  expect(counts[0]!.last).not.toBe(counts[1]!.last);
  const { client } = worlds[0]!;
  const total = async (query: string) => (await client.get(query)).body.totalCount;
  const expectSome = async (path: string, filter: string, most = Number.POSITIVE_INFINITY) => {
    const count = await total(`${path}?${filter}`);
    expect(count, filter).toBeGreaterThan(0);
    expect(count, filter).toBeLessThan(most);
  };
  for (const filter of [...lotFilters, ...moreLotFilters].filter((each) => !/^$|NONE|X|S9/.test(each)))
    await expectSome('/Inventory', filter, lotsInScope);
  for (const filter of transactionFilters.filter((each) => !/NONE|S9|wid=3|serial=$/.test(each)))
    await expectSome('/Inventory/Transactions', filter);
  for (const path of ['/Inventory', '/Inventory/StockLevels', '/Inventory/Transactions'])
    await expectSome(path, `modifiedSince=${since}`, await total(path));
});
