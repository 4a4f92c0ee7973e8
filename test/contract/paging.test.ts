import { itemSortColumns } from '@inventory/db/lists/list-items';
import { lotSortColumns } from '@inventory/db/lists/list-lots';
import { stockLevelSortColumns } from '@inventory/db/lists/list-stock-levels';
import { holdLot } from '@inventory/db/operator/holds';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAnswer, inChunks, validationError } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();
let client: ApiClient;

// `alike`: the columns with one value in all records of the list.
const lists = [
  { path: '/Item', columns: itemSortColumns, id: 'partNo', alike: ['discontinued'] },
  { path: '/Item/All', columns: itemSortColumns, id: 'partNo', alike: [] },
  { path: '/Inventory', columns: lotSortColumns, id: 'recNo', alike: ['jobName'] },
  { path: '/Inventory/1', columns: lotSortColumns, id: 'recNo', alike: ['jobName', 'wID', 'warehouse'] },
  { path: '/Inventory/StockLevels', columns: stockLevelSortColumns, id: 'partNo', alike: [] },
  { path: '/Inventory/StockLevels/1', columns: stockLevelSortColumns, id: 'partNo', alike: [] },
];

// No language sorts these by code point, and UTF-16 does not either.
const texts = ['b', 'B', 'ä', '', '_', 'a b', '1', 'ab', '\u{1f4e6}', '\uffe5', 'Z', '10', '9'];
/** Values in a different order for each `salt`, so that no column has another's order. */
const pick = <T>(values: readonly T[], index: number, salt: number) =>
  values[(index * (2 * salt + 1) + salt * salt) % values.length]!;
const names = ['b', 'B', 'ä'];

beforeAll(async () => {
  const everywhere = { warehouses: [1, 2, 3] };
  client = await service.client(everywhere);
  const creators = [client, await service.client(everywhere), await service.client(everywhere)];
  for (const [index, name] of names.entries()) {
    await service.sql`update warehouse set name = ${name} where wid = ${index + 1}`;
  }
  const items: string[] = [];
  for (let index = 0; index < 26; index++) {
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
    items.push(shortID);
  }
  // Not in the order of their numbers, which is that of their creation.
  await service.sql`update item set created = created + ((part_no * 7) % 11) * interval '1 day'`;
  await service.sql`update item set modified = modified + ((part_no * 5) % 13) * interval '1 day'`;
  const lots = await inChunks(60, 1, (index) =>
    receiveLot(client, pick(items.slice(0, 20), index, 3), ((index * 37) % 11) + 0.5, {
      wid: 1 + (index % 3),
      spot: pick(texts, index, 5),
      serial: pick(texts, index, 10),
      remark: pick(texts, index, 7),
      ...(index % 4 === 0 ? {} : { serial2: pick(texts, index, 8) }),
      ...(index % 5 === 0 ? {} : { rfidTag: pick(texts, index, 9) }),
      jobid: pick([0, 40, 5, 300], index, 3),
    }),
  );
  await service.sql`update lot set received = received + ((rec_no * 7) % 17) * interval '1 day'`;
  for (const recNo of lots.filter((_, index) => index % 7 === 3))
    await holdLot(service.sql, { recNo, reason: 'x' });
  const shipped = lots.filter((_, index) => index % 5 === 1 && index % 7 !== 3);
  for (const recno of [...shipped.slice(4), ...shipped.slice(0, 4)]) {
    const [lot] = await service.sql`
      select short_id, wid, trim_scale(lot.units) as units from lot join item using (part_no) where rec_no = ${recno}`;
    const body = { itemID: lot!.short_id, wid: lot!.wid, units: Number(lot!.units), reasonCode: 0, recno };
    expect((await client.post('/Inventory/Issue', body)).status).toBe(200);
  }
  await service.sql`
    update stock_level
    set on_order = (part_no * 7) % 11, committed = (part_no * 5) % 7 + 0.5, packed = (part_no * 3) % 5, asn = (part_no * 11) % 13`;
  for (const shortID of [items[3]!, items[22]!]) {
    expect((await client.delete(`/Item/${encodeURIComponent(shortID)}`)).status).toBe(200);
  }
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
    expect(answer.status).toBe(200);
    return answer;
  };

  test('200: 25 records per page unless asked otherwise, with the four headers', async () => {
    const { body, headers } = await read('');
    expect(Object.keys(body)).toEqual(['value', 'totalCount', 'page', 'pageSize', 'pageCount', 'hasMore']);
    expect(body).toMatchObject({ page: 1, pageSize: 25, pageCount: Math.ceil(body.totalCount / 25) });
    expect(body.value).toHaveLength(Math.min(25, body.totalCount));
    expect(headers.get('X-Total-Count')).toBe(String(body.totalCount));
    expect(headers.get('X-Page')).toBe('1');
    expect(headers.get('X-Page-Size')).toBe('25');
    expect(headers.get('X-API-Version')).toBe('v1');
  });

  test('200: page after page until hasMore is false gives every record once', async () => {
    const all = (await read('pageSize=250')).body;
    const seen: number[] = [];
    for (let page = 1; ; page++) {
      const { body } = await read(`pageSize=3&page=${page}`);
      expect(body).toMatchObject({ page, pageSize: 3, totalCount: all.totalCount });
      seen.push(...idsOf(body.value));
      expect(body.hasMore).toBe(page < Math.ceil(all.totalCount / 3));
      if (!body.hasMore) break;
    }
    expect(seen).toEqual(idsOf(all.value));
    expect(new Set(seen).size).toBe(all.totalCount);
  });

  test('200: a pageSize above 250 is capped, and the answer says so', async () => {
    for (const pageSize of ['251', '1000', '99999999999999999999']) {
      const { body, headers } = await read(`pageSize=${pageSize}`);
      expect(body.pageSize).toBe(250);
      expect(headers.get('X-Page-Size')).toBe('250');
    }
    expect((await read('pageSize=250')).body.pageSize).toBe(250);
    expect((await read('pageSize=1')).body.value).toHaveLength(1);
  });

  test.each(['1000', '2147483648', '999999999999999'])('200: page %s, past the end: empty', async (page) => {
    const { totalCount } = (await read('')).body;
    expectAnswer(await read(`page=${page}`), 200, {
      value: [],
      totalCount,
      page: Number(page),
      pageSize: 25,
      pageCount: Math.ceil(totalCount / 25),
      hasMore: false,
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

  test.each([
    'never',
    '2026-02-30',
    '',
    '1700000000',
    '2026-01-01T00:00:00+99:00',
    '0001-01-01T00:00:00%2B01:00',
    '%00',
  ])('400: modifiedSince "%s"', async (value) => {
    expectAnswer(
      await client.get(`${path}?modifiedSince=${value}`),
      400,
      validationError({ modifiedSince: ['modifiedSince must be an ISO 8601 date or datetime.'] }),
    );
  });

  test('200: modifiedSince from the first to the last possible moment', async () => {
    const { totalCount } = (await read('')).body;
    expect((await read('modifiedSince=0001-01-01')).body.totalCount).toBe(totalCount);
    expect((await read('modifiedSince=9999-12-31T23:59:59.999Z')).body).toMatchObject({
      value: [],
      totalCount: 0,
    });
  });

  test('400: a parameter given twice, known or not', async () => {
    for (const name of ['page', 'sort', 'modifiedSince', 'x', 'toString', '__proto__']) {
      expectAnswer(
        await client.get(`${path}?${name}=1&${name}=1`),
        400,
        validationError(Object.fromEntries([[name, [`${name} must be given once.`]]])),
      );
    }
  });

  test('400: a parameter given twice is named beside all other offending ones', async () => {
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

  test('200: parameters of orders, and unknown ones, are ignored', async () => {
    const plain = await read('');
    expect((await read('startDate=x&endDate=y&page[]=0&filter[x]=1&_=1&__proto__=1')).text).toBe(plain.text);
  });

  test('200: an unknown sort is ignored, and direction with it', async () => {
    const plain = await read('');
    for (const sort of [
      'nothing',
      'PARTNO',
      'part_no',
      '1',
      '',
      "units'--",
      'toString',
      '__proto__',
      '%00',
    ]) {
      expect((await read(`sort=${sort}&direction=DESC`)).text).toBe(plain.text);
    }
  });

  test.each(columns)('200: sorted by %s, both directions, empty fields last', async (column) => {
    const all: Row[] = (await read('pageSize=250')).body.value;
    const known = new Set(all.map((row) => row[column]).filter((value) => !isEmpty(value)));
    if (alike.includes(column)) expect(known.size).toBeLessThanOrEqual(1);
    else expect(known.size, 'the records differ').toBeGreaterThan(1);
    for (const direction of ['asc', 'desc'] as const) {
      const expected = sortedBy(all, column, id, direction === 'asc' ? 1 : -1);
      const pages = [];
      for (let page = 1; page <= Math.ceil(all.length / 7); page++) {
        pages.push(
          ...(await read(`pageSize=7&page=${page}&sort=${column}&direction=${direction}`)).body.value,
        );
      }
      const shown = (rows: Row[]) => rows.map((row) => [row[column], row[id]]);
      expect(shown(pages), direction).toEqual(shown(expected));
    }
  });

  test('200: direction alone changes nothing', async () => {
    const plain = await read('');
    const since = await read('modifiedSince=2026-01-01');
    for (const direction of ['DESC', 'desc', 'ASC', 'up', '']) {
      expect((await read(`direction=${direction}`)).text).toBe(plain.text);
      expect((await read(`direction=${direction}&modifiedSince=2026-01-01`)).text).toBe(since.text);
    }
  });

  test('200: a direction other than ASC and DESC, in any case, is ASC', async () => {
    const [column = ''] = columns;
    const ascending = (await read(`sort=${column}&direction=ASC`)).text;
    for (const direction of ['asc', 'Asc', 'up', '', 'DESCENDING', '1']) {
      expect((await read(`sort=${column}&direction=${direction}`)).text).toBe(ascending);
    }
    const descending = (await read(`sort=${column}&direction=DESC`)).text;
    expect(descending).not.toBe(ascending);
    expect((await read(`sort=${column}&direction=dEsC`)).text).toBe(descending);
  });
});

test('200: text is sorted by code point, whatever the database’s own order', async () => {
  const otherwise = await service.sql`
    select table_name, column_name
    from information_schema.columns
    where table_name in ('item', 'warehouse', 'lot') and data_type = 'text' and collation_name is distinct from 'C'`;
  expect([...otherwise]).toEqual([]);
});
