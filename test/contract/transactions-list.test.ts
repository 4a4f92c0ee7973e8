import { beforeAll, describe, expect, test } from 'vitest';
import { expectAnswer, forbidden, validationError } from '../harness/contract/answers.ts';
import { type ItemStock, stockOf } from '../harness/contract/item-stock.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receiveOf } from '../harness/stock/operations.ts';

const service = useService();

const list = (client: ApiClient, query: string) => client.get(`/Inventory/Transactions?${query}`);

type Done = { transactionNo: number; recNo: number };

describe('GET /Inventory/Transactions', () => {
  let client: ApiClient;
  let other: ApiClient;
  let stock: ItemStock;
  let item: string;
  const serial = uniqueName('SERIAL');
  const reference = uniqueName('SO');
  let received: Done;
  let elsewhere: Done;
  let moved: Done;
  let issued: Done;
  let same: Done;
  let undone: Done;

  beforeAll(async () => {
    client = await service.client();
    other = await service.client({ warehouses: [1, 3] });
    const itemID = await service.item();
    item = `itemID=${itemID}`;
    stock = stockOf(service, client, itemID);
    const others = stockOf(service, other, itemID);
    received = await stock.done('Receive', { units: 10, serial });
    elsewhere = await others.done('Receive', { units: 10, wid: 3, serial, reference });
    moved = await stock.done('Move', { units: 4, shipToWid: 2 });
    issued = await others.done('Issue', { units: 1, reference });
    same = await stock.done('Count', { counted: 4, wid: 2, everywhere: true });
    await stock.call('Issue', { units: 1000, reference });
    undone = await stock.done('Reverse', { transactionNo: issued.transactionNo });
  });

  /** The names of the transactions found, and numbers of others. */
  async function found(query: string, asker = client): Promise<string> {
    const names = Object.entries({ received, elsewhere, moved, issued, same, undone });
    const { status, body, text } = await list(asker, query);
    expect(status, text).toBe(200);
    expect(body.totalCount).toBe(body.value.length);
    const shown = body.value.map(({ transactionNo }: Done) => {
      return names.find(([, each]) => each.transactionNo === transactionNo)?.[0] ?? transactionNo;
    });
    return shown.join(' ');
  }

  const at = async ({ transactionNo }: Done) =>
    (await client.get(`/Inventory/Transactions/${transactionNo}`)).body.at as string;

  test('200: newest first, paged, each as it is shown alone', async () => {
    const { body } = await list(client, `${item}&pageSize=2&page=2`);
    const alone = await Promise.all(
      [issued, moved].map((each) => client.get(`/Inventory/Transactions/${each.transactionNo}`)),
    );
    expect(body).toEqual({
      value: alone.map((answer) => answer.body),
      ...{ totalCount: 5, page: 2, pageSize: 2, pageCount: 3, hasMore: true },
    });
  });

  test('200: the first 100 lines of each, and whether there are more; alone it has all of them', async () => {
    const many = stockOf(service, client, await service.item());
    for (const units of [50, 1]) {
      const operations = Array(50).fill(receiveOf(many.itemID, units, { spot: 'A' }));
      const { body } = await client.post('/Inventory/Batch', { mode: 'atomic', operations });
      expect(body.summary.applied).toBe(50);
    }
    const whole = await many.done('Issue', { units: 50 * 50 + 50 });
    const back = await many.done('Reverse', { transactionNo: whole.transactionNo });
    const one = await many.done('Receive', { units: 1, spot: 'A' });
    const all = await many.done('Issue', { units: 50 * 50 + 51 });
    const { value } = (await list(client, `itemID=${many.itemID}&pageSize=4`)).body;
    type Shown = Done & { lines: object[]; moreLines?: true };
    expect(
      value.map(({ transactionNo, lines, moreLines }: Shown) => [transactionNo, lines.length, moreLines]),
    ).toEqual([
      [all.transactionNo, 100, true],
      [one.transactionNo, 1, undefined],
      [back.transactionNo, 100, undefined],
      [whole.transactionNo, 100, undefined],
    ]);
    const byItself = (await client.get(`/Inventory/Transactions/${all.transactionNo}`)).body;
    expect(byItself.lines).toHaveLength(101);
    expect(byItself.moreLines).toBeUndefined();
    expect(value[0].lines).toEqual(byItself.lines.slice(0, 100));
    // As on a page without a filter.
    expect((await list(client, 'pageSize=1')).body.value).toEqual([value[0]]);
  });

  test('200: each filter, and several together', async () => {
    for (const [query, names] of [
      [item, 'undone same issued moved received'],
      [`${item}&sort=transactionNo`, 'received moved issued same undone'],
      [`${item}&kind=count`, 'same'],
      [`${item}&wid=2`, 'same moved'],
      [`recNo=${received.recNo}`, 'undone issued moved received'],
      [`recNo=${moved.recNo}`, 'moved'],
      [`serial=${serial}`, 'undone issued moved received'],
      [`serial=${serial}&wid=2`, 'moved'],
      [`serial=&${item}`, ''],
      [`reference=${reference}`, 'issued'],
      [`${item}&clientId=${other.clientId}`, 'issued'],
      [`${item}&kind=reverse&clientId=${client.clientId}`, 'undone'],
      ['itemID=NONE', ''],
      ['deviceID=NONE', ''],
      [`recNo=${elsewhere.recNo}`, ''],
      ['recNo=999999999999999', ''],
    ] as const)
      expect(await found(query), query).toBe(names);
  });

  test('200: by the device that noted it', async () => {
    const deviceID = uniqueName('s');
    const operations = [receiveOf(await service.item(), 1, { deviceID })];
    const { body } = await client.post('/Inventory/Batch', { mode: 'each', operations });
    const { transactionNo } = body.results[0].body;
    expect(await found(`deviceID=${deviceID}`)).toBe(String(transactionNo));
  });

  test('200: by the moment it was applied, both bounds included; a date is its whole day', async () => {
    const [from, to] = [await at(moved), await at(issued)];
    const within = await found(`${item}&startDate=${from}&endDate=${to}`);
    expect(within).toContain('issued moved');
    const later = new Date(Date.parse(to) + 1).toISOString();
    expect(await found(`${item}&startDate=${later}`)).not.toContain('issued');
    expect(await found(`${item}&endDate=${to.slice(0, 10)}`)).toContain('issued');
    expect(await found(`${item}&endDate=2020-01-01`)).toBe('');
  });

  test('200: modifiedSince includes transactions that were reversed since', async () => {
    const since = await at(undone);
    // Found by the filters of its item, and by its reversal.
    for (const narrowed of [`${item}&`, '']) {
      const { body } = await list(client, `${narrowed}modifiedSince=${since}&pageSize=250`);
      const numbers = body.value.map(({ transactionNo }: Done) => transactionNo);
      expect(numbers).toEqual(expect.arrayContaining([undone.transactionNo, issued.transactionNo]));
      expect(numbers).not.toContain(received.transactionNo);
    }
    expect(await found(`${item}&modifiedSince=2000-01-01`)).toBe('undone same issued moved received');
  });

  test('200: totals and lines count the scope alone', async () => {
    const of = (...warehouses: number[]) => service.client({ warehouses });
    expect(await found(item, await of(2))).toBe('same moved');
    expect(await found(item, await of(3))).toBe('elsewhere');
    expect(await found(item, await of())).toBe('');
    const { value } = (await list(await of(2), item)).body;
    expect(value).toMatchObject([{ lines: [] }, { lines: [{ wID: 2 }] }]);
    expect(value[1].lines).toHaveLength(1);
    for (const wid of [1, 2]) {
      const { totalCount } = (await list(await of(wid), '')).body;
      expect((await list(client, `wid=${wid}`)).body.totalCount).toBe(totalCount);
    }
  });

  test('403: a warehouse outside the scope, or none', async () => {
    for (const query of ['wid=3', 'wid=4000', 'wid=0&itemID=NONE'])
      expectAnswer(await list(client, query), 403, forbidden.scope);
  });

  test('400: filters that cannot be read, all of them named', async () => {
    const query = 'kind=release&wid=x&recNo=1.5&startDate=soon&endDate=T&modifiedSince=x&itemID=%00';
    const names = [...query.matchAll(/(\w+)=/g)].map(([, name]) => [name, expect.anything()]);
    expectAnswer(await list(client, query), 400, validationError(Object.fromEntries(names)));
  });
});
