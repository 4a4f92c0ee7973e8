import { allItems } from '@inventory/db/lists/list-items';
import { lots } from '@inventory/db/lists/list-lots';
import { stockLevels } from '@inventory/db/lists/list-stock-levels';
import { holdLot } from '@inventory/db/operator/holds';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAnswer, inChunks, validationError } from '../harness/contract/answers.ts';
import { sortColumnsOf } from '../harness/contract/routes.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();
let client: ApiClient;

// `alike`: the columns with one value in all records of the list.
const lists = [
  { path: '/Item', columns: sortColumnsOf(allItems), id: 'partNo', alike: ['discontinued'] },
  { path: '/Item/All', columns: sortColumnsOf(allItems), id: 'partNo', alike: [] },
  { path: '/Inventory', columns: sortColumnsOf(lots), id: 'recNo', alike: ['jobName'] },
  { path: '/Inventory/1', columns: sortColumnsOf(lots), id: 'recNo', alike: ['jobName', 'wID', 'warehouse'] },
  { path: '/Inventory/StockLevels', columns: sortColumnsOf(stockLevels), id: 'partNo', alike: [] },
  { path: '/Inventory/StockLevels/1', columns: sortColumnsOf(stockLevels), id: 'partNo', alike: [] },
];

// No language sorts these by code point, and UTF-16 does not either.
const texts = ['b', 'B', 'ä', '', '_', 'a b', '1', 'ab', '\u{1f4e6}', '\uffe5', 'Z', '10', '9'];
/** Values in a different order for each `salt`, so that no column has another's order. */
const pick = <T>(values: readonly T[], index: number, salt: number) =>
  values[(index * (2 * salt + 1) + salt * salt) % values.length]!;

beforeAll(async () => {
  const everywhere = { warehouses: [1, 2, 3] };
  client = await service.client(everywhere);
  const creators = [client, await service.client(everywhere), await service.client(everywhere)];
  for (const [index, name] of ['b', 'B', 'ä'].entries())
    await service.sql`update warehouse set name = ${name} where wid = ${index + 1}`;
  const items = await inChunks(26, 1, async (index) => {
    const shortID = `${pick(texts, index, 1)}-${index % 13}${index < 13 ? '' : '/'}`;
    const answer = await creators[(index * 5) % 3]!.post('/Item', {
      shortID,
      description: pick(texts, index, 2),
      category: pick([0, 3, 20, 100], index, 1),
      subCategory: pick([9, 0, 10, 7, 1], index, 1),
      uOM: pick(texts, index, 3),
      putUp: pick(texts, index, 4),
      units: pick([10, 9, 0.5, 0.25, 100, 0, 1], index, 1),
      dfltOwner: pick([0, 9, 10, 100, 0], index, 1),
    });
    expect(answer.status, answer.text).toBe(201);
    return shortID;
  });
  // Not in the order of their numbers, which is that of their creation.
  await service.sql`
    update item
    set created = created + ((part_no * 7) % 11) * interval '1 day',
      modified = modified + ((part_no * 5) % 13) * interval '1 day'`;
  const received = await inChunks(60, 1, async (index) => {
    const itemID = pick(items.slice(0, 20), index, 3);
    const [wid, units] = [1 + (index % 3), ((index * 37) % 11) + 0.5];
    const recno = await receiveLot(client, itemID, units, {
      wid,
      spot: pick(texts, index, 5),
      serial: pick(texts, index, 10),
      remark: pick(texts, index, 7),
      ...(index % 4 === 0 ? {} : { serial2: pick(texts, index, 8) }),
      ...(index % 5 === 0 ? {} : { rfidTag: pick(texts, index, 9) }),
      ...(index % 6 === 0 ? {} : { expires: `2031-0${1 + ((index * 5) % 9)}-15` }),
      jobid: pick([0, 40, 5, 300], index, 3),
    });
    return { itemID, wid, units, recno };
  });
  await service.sql`update lot set received = received + ((rec_no * 7) % 17) * interval '1 day'`;
  const isHeld = (index: number) => index % 7 === 3;
  for (const { recno } of received.filter((_, index) => isHeld(index)))
    await holdLot(service.sql, { recNo: recno, reason: 'x' });
  const shipped = received.filter((_, index) => index % 5 === 1 && !isHeld(index));
  for (const lot of [...shipped.slice(4), ...shipped.slice(0, 4)])
    expect((await client.post('/Inventory/Issue', { ...lot, reasonCode: 0 })).status).toBe(200);
  await service.sql`
    update stock_level
    set on_order = (part_no * 7) % 11, committed = (part_no * 5) % 7 + 0.5, packed = (part_no * 3) % 5, asn = (part_no * 11) % 13`;
  for (const shortID of [items[3]!, items[22]!])
    expect((await client.delete(`/Item/${encodeURIComponent(shortID)}`)).status).toBe(200);
});

type Row = Record<string, string | number | boolean | null>;

const isEmpty = (value: Row[string] | undefined) => value === null || value === '';

/** Text by code point, which is the order of its bytes in UTF-8. */
function compare(a: Row[string], b: Row[string]): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}

/** The records in the expected order of a sort by this column. */
function sortedBy(rows: readonly Row[], column: string, id: string, direction: 1 | -1): Row[] {
  return [...rows].sort((one, other) => {
    const [a, b] = [one[column]!, other[column]!];
    if (isEmpty(a) !== isEmpty(b)) return isEmpty(a) ? 1 : -1;
    return direction * ((isEmpty(a) ? 0 : compare(a, b)) || compare(one[id]!, other[id]!));
  });
}

describe.each(lists)('$path', ({ path, columns, id, alike }) => {
  const idsOf = (records: Record<string, number>[]) => records.map((record) => record[id]!);
  const read = async (query: string) => {
    const answer = await client.get(`${path}?${query}`);
    expect(answer.status, query).toBe(200);
    return answer;
  };
  /** The text of the page is the same for each of these queries. */
  const expectSame = async (query: string, others: string[]) => {
    const { text } = await read(query);
    for (const other of others) expect((await read(other)).text, other).toBe(text);
  };

  test('200: 25 records per page unless asked otherwise, with the four headers', async () => {
    const { body, headers } = await read('');
    const { value, totalCount, ...paging } = body;
    expect(value).toHaveLength(Math.min(25, totalCount));
    const pageCount = Math.ceil(totalCount / 25);
    expect(paging).toEqual({ page: 1, pageSize: 25, pageCount, hasMore: pageCount > 1 });
    const told = {
      'X-Total-Count': `${totalCount}`,
      'X-Page': '1',
      'X-Page-Size': '25',
      'X-API-Version': 'v1',
    };
    for (const [name, text] of Object.entries(told)) expect(headers.get(name), name).toBe(text);
  });

  test('200: page after page until hasMore is false gives every record once', async () => {
    const all = (await read('pageSize=250')).body;
    const seen: number[] = [];
    for (let page = 1; ; page++) {
      const { body } = await read(`pageSize=3&page=${page}`);
      const hasMore = page < Math.ceil(all.totalCount / 3);
      expect(body).toMatchObject({ page, pageSize: 3, totalCount: all.totalCount, hasMore });
      seen.push(...idsOf(body.value));
      if (!hasMore) break;
    }
    expect(seen).toEqual(idsOf(all.value));
    expect(new Set(seen).size).toBe(all.totalCount);
  });

  test('200: a pageSize above 250 is capped, and the answer says so', async () => {
    for (const [asked, pageSize] of [
      ['250', 250],
      ['251', 250],
      ['9'.repeat(20), 250],
      ['1', 1],
    ] as const) {
      const { body, headers } = await read(`pageSize=${asked}`);
      expect([body.pageSize, headers.get('X-Page-Size')]).toEqual([pageSize, String(pageSize)]);
    }
    expect((await read('pageSize=1')).body.value).toHaveLength(1);
  });

  test.each(['1000', '2147483648', '999999999999999'])('200: page %s, past the end: empty', async (page) => {
    const { totalCount } = (await read('')).body;
    const pageCount = Math.ceil(totalCount / 25);
    expectAnswer(await read(`page=${page}`), 200, {
      ...{ value: [], totalCount, page: Number(page), pageSize: 25, pageCount, hasMore: false },
    });
  });

  test.each(['0', '-1', '1.0', '1e2', '', 'x', '+1', ' 1', '0x1', '%00'])(
    '400: page or pageSize "%s"',
    async (value) => {
      const message = (field: string) => [expect.stringMatching(new RegExp(`^${field} must be `))];
      expectAnswer(
        await client.get(`${path}?page=${value}&pageSize=${value}`),
        400,
        validationError({ page: message('page'), pageSize: message('pageSize') }),
      );
    },
  );

  // dates.test.ts has every form of it.
  test('200: modifiedSince from the first to the last possible moment', async () => {
    const { totalCount } = (await read('')).body;
    expect((await read('modifiedSince=0001-01-01')).body.totalCount).toBe(totalCount);
    const last = (await read('modifiedSince=9999-12-31T23:59:59.999Z')).body;
    expect(last).toMatchObject({ value: [], totalCount: 0 });
  });

  test('400: a parameter given twice, known or not, is named beside all other offending ones', async () => {
    for (const name of ['page', 'sort', 'modifiedSince', 'x', 'toString', '__proto__']) {
      const answer = await client.get(`${path}?${name}=1&${name}=1`);
      const details = Object.fromEntries([[name, [`${name} must be given once.`]]]);
      expectAnswer(answer, 400, validationError(details));
    }
    expectAnswer(
      await client.get(`${path}?sort=x&page=0&sort=y&pageSize=x&pageSize=0&modifiedSince=never&x=1&x=2`),
      400,
      validationError({
        sort: ['sort must be given once.'],
        pageSize: ['pageSize must be given once.'],
        x: ['x must be given once.'],
        page: [expect.stringMatching(/^page must be from 1 to /)],
        modifiedSince: ['modifiedSince must be an ISO 8601 date or datetime.'],
      }),
    );
  });

  test('200: parameters of orders, and unknown ones, are ignored', () =>
    expectSame('', ['startDate=x&endDate=y&page[]=0&filter[x]=1&_=1&__proto__=1']));

  test('200: an unknown sort is ignored, and direction with it', async () => {
    const none = ['nothing', 'PARTNO', 'part_no', '1', '', "units'--", 'toString', '__proto__', '%00'];
    await expectSame(
      '',
      none.map((sort) => `sort=${sort}&direction=DESC`),
    );
  });

  test('200: direction alone changes nothing', async () => {
    const directions = ['DESC', 'desc', 'ASC', 'up', ''].map((direction) => `direction=${direction}`);
    await expectSame('', directions);
    const since = 'modifiedSince=2026-01-01';
    await expectSame(
      since,
      directions.map((direction) => `${direction}&${since}`),
    );
  });

  test('200: a direction other than ASC and DESC, in any case, is ASC', async () => {
    const by = (direction: string) => `sort=${columns[0]}&direction=${direction}`;
    await expectSame(by('ASC'), ['asc', 'Asc', 'up', '', 'DESCENDING', '1'].map(by));
    await expectSame(by('DESC'), [by('dEsC')]);
    expect((await read(by('DESC'))).text).not.toBe((await read(by('ASC'))).text);
  });

  test.each(columns)('200: sorted by %s, both directions, empty fields last', async (column) => {
    // Some columns stand in the full view alone.
    const [first] = (await read('pageSize=1')).body.value;
    const view = column in first ? '' : 'view=full&';
    const all: Row[] = (await read(`${view}pageSize=250`)).body.value;
    const known = new Set(all.map((row) => row[column]).filter((value) => !isEmpty(value)));
    if (alike.includes(column)) expect(known.size).toBeLessThanOrEqual(1);
    else expect(known.size, 'the records differ').toBeGreaterThan(1);
    for (const direction of ['asc', 'desc'] as const) {
      const pages: Row[] = [];
      for (let page = 1; page <= Math.ceil(all.length / 7); page++) {
        const { body } = await read(`${view}pageSize=7&page=${page}&sort=${column}&direction=${direction}`);
        pages.push(...body.value);
      }
      const expected = sortedBy(all, column, id, direction === 'asc' ? 1 : -1);
      const shown = (rows: Row[]) => rows.map((row) => [row[column], row[id]]);
      expect(shown(pages), direction).toEqual(shown(expected));
    }
  });
});

test('200: text is sorted by code point, whatever the database’s own order', async () => {
  const otherwise = await service.sql`
    select table_name, column_name
    from information_schema.columns
    where table_name in ('item', 'warehouse', 'lot') and data_type = 'text' and collation_name is distinct from 'C'`;
  expect([...otherwise]).toEqual([]);
});

test('200: an empty list for a client without warehouses', async () => {
  const none = await service.client({ warehouses: [] });
  const empty = { value: [], totalCount: 0, page: 1, pageSize: 25, pageCount: 0, hasMore: false };
  for (const path of ['/Inventory', '/Inventory/StockLevels']) expectAnswer(await none.get(path), 200, empty);
});
