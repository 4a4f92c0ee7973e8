import { itemSortColumns } from '@inventory/db/lists/list-items';
import { lotSortColumns } from '@inventory/db/lists/list-lots';
import { stockLevelSortColumns } from '@inventory/db/lists/list-stock-levels';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAnswer, inChunks, validationError } from '../harness/answers.ts';
import type { ApiClient } from '../harness/api-client.ts';
import { useService } from '../harness/service.ts';

const service = useService();
let client: ApiClient;

const lists = [
  { path: '/Item', columns: itemSortColumns, id: 'partNo' },
  { path: '/Item/All', columns: itemSortColumns, id: 'partNo' },
  { path: '/Inventory', columns: lotSortColumns, id: 'recNo' },
  { path: '/Inventory/1', columns: lotSortColumns, id: 'recNo' },
  { path: '/Inventory/StockLevels', columns: stockLevelSortColumns, id: 'partNo' },
  { path: '/Inventory/StockLevels/1', columns: stockLevelSortColumns, id: 'partNo' },
];

beforeAll(async () => {
  client = await service.client();
  const colours = ['red', 'Blue', 'äther', ''];
  const items = await inChunks(12, 12, (index) =>
    service.item({
      description: colours[index % 4]!,
      category: index % 3,
      units: (index * 7) % 5,
      uOM: index % 2 === 0 ? 'EA' : 'M',
    }),
  );
  await inChunks(40, 40, (index) =>
    client.post('/Inventory/Receive', {
      itemID: items[index % 10]!,
      units: ((index * 37) % 11) + 0.5,
      wid: 1 + (index % 2),
      reasonCode: 0,
      spot: ['A', 'B', ''][index % 3]!,
      ...(index % 2 === 0 ? { serial2: `S${index % 7}` } : {}),
      jobid: index % 4,
    }),
  );
  await client.post('/Inventory/Issue', { itemID: items[0]!, units: 0.5, wid: 1, reasonCode: 0 });
  await client.delete(`/Item/${items[3]}`);
});

describe.each(lists)('$path', ({ path, columns, id }) => {
  const idsOf = (records: Record<string, number>[]) => records.map((record) => record[id]!);
  const read = async (query: string) => {
    const answer = await client.get(`${path}?${query}`);
    expect(answer.status).toBe(200);
    return answer;
  };

  test('200: 25 records to a page unless asked otherwise, with the four headers', async () => {
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

  test('200: modifiedSince from the first to the last moment there is', async () => {
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

  test('200: parameters of the orders, and unknown ones, are ignored', async () => {
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

  test.each(columns)('200: sorted by %s, either way, every record once', async (column) => {
    const all = (await read('pageSize=250')).body.value;
    const ascending = (await read(`pageSize=250&sort=${column}`)).body.value;
    const descending = (await read(`pageSize=250&sort=${column}&direction=desc`)).body.value;
    expect(idsOf(ascending).sort()).toEqual(idsOf(all).sort());
    expect(idsOf(descending)).toEqual(idsOf(ascending).reverse());
    const values = ascending.map((record: Record<string, unknown>) => record[column]);
    const known = values.filter((value: unknown) => value !== null);
    expect(values.slice(0, known.length), 'null comes last').toEqual(known);
    // Free text is in the order of the database's language; the rest has one order everywhere.
    if (['description', 'uOM', 'putUp', 'remark', 'warehouse'].includes(column)) return;
    const sorted = [...known].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    expect(known).toEqual(sorted);
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

test('200: text is sorted by code point, whatever order the database was made with', async () => {
  const otherwise = await service.sql`
    select table_name, column_name
    from information_schema.columns
    where table_name in ('item', 'warehouse', 'lot') and data_type = 'text' and collation_name is distinct from 'C'`;
  expect([...otherwise]).toEqual([]);
});
