import { beforeAll, describe, expect, test } from 'vitest';
import { expectAnswer, forbidden, validationError } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();

async function done(
  client: ApiClient,
  path: string,
  body: object,
): Promise<{ transactionNo: number; recNo: number }> {
  const answer = await client.post(`/Inventory/${path}`, { wid: 1, reasonCode: 0, ...body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

const list = (client: ApiClient, query: string) => client.get(`/Inventory/Transactions?${query}`);
const numbersOf = async (client: ApiClient, query: string): Promise<number[]> => {
  const { status, body, text } = await list(client, query);
  expect(status, text).toBe(200);
  expect(body.totalCount).toBe(body.value.length);
  return body.value.map((each: { transactionNo: number }) => each.transactionNo);
};
const at = async (transactionNo: number) => {
  const [row] = await service.sql<{ at: Date }[]>`
    select at from stock_transaction where transaction_no = ${transactionNo}`;
  return row!.at.toISOString();
};

describe('GET /Inventory/Transactions', () => {
  let client: ApiClient;
  let other: ApiClient;
  let itemID: string;
  let serial: string;
  let reference: string;
  let received: { transactionNo: number; recNo: number };
  let elsewhere: { transactionNo: number; recNo: number };
  let moved: { transactionNo: number; recNo: number };
  let issued: { transactionNo: number; recNo: number };
  let same: { transactionNo: number };
  let undone: number;

  beforeAll(async () => {
    client = await service.client();
    other = await service.client({ warehouses: [1, 3] });
    itemID = await service.item();
    serial = uniqueName('SERIAL');
    reference = uniqueName('SO');
    received = await done(client, 'Receive', { itemID, units: 10, serial });
    elsewhere = await done(other, 'Receive', { itemID, units: 10, wid: 3, serial, reference });
    moved = await done(client, 'Move', { itemID, units: 4, shipToWid: 2 });
    issued = await done(other, 'Issue', { itemID, units: 1, reference });
    same = await done(client, 'Count', { itemID, counted: 4, wid: 2, everywhere: true });
    await client.post('/Inventory/Issue', { itemID, units: 1000, wid: 1, reasonCode: 0, reference });
    undone = (await client.post('/Inventory/Reverse', { transactionNo: issued.transactionNo })).body
      .transactionNo;
  });

  test('200: newest first, paged, each as it is shown alone', async () => {
    const { body, headers } = await list(client, `itemID=${itemID}&pageSize=2&page=2`);
    const expected = [issued.transactionNo, moved.transactionNo];
    const alone = await Promise.all(expected.map((no) => client.get(`/Inventory/Transactions/${no}`)));
    expect(body).toEqual({
      value: alone.map((answer) => answer.body),
      ...{ totalCount: 5, page: 2, pageSize: 2, pageCount: 3, hasMore: true },
    });
    expect(headers.get('X-Total-Count')).toBe('5');
  });

  test('200: the first 100 lines of each, and whether there are more; alone it has all of them', async () => {
    const many = await service.item();
    for (const units of [50, 1]) {
      const lots = Array(50).fill({ op: 'receive', itemID: many, units, wid: 1, reasonCode: 0, spot: 'A' });
      const { body } = await client.post('/Inventory/Batch', { mode: 'atomic', operations: lots });
      expect(body.summary.applied).toBe(50);
    }
    const whole = await done(client, 'Issue', { itemID: many, units: 50 * 50 + 50 });
    const back = (await client.post('/Inventory/Reverse', { transactionNo: whole.transactionNo })).body;
    const one = await done(client, 'Receive', { itemID: many, units: 1, spot: 'A' });
    const all = await done(client, 'Issue', { itemID: many, units: 50 * 50 + 51 });
    const { value } = (await list(client, `itemID=${many}&pageSize=4`)).body;
    const shown = value.map(
      ({ transactionNo, lines, moreLines }: { transactionNo: number; lines: object[]; moreLines?: true }) => [
        transactionNo,
        lines.length,
        moreLines,
      ],
    );
    expect(shown).toEqual([
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
    const unfiltered = (await list(client, 'pageSize=1')).body.value;
    expect(unfiltered).toEqual([value[0]]);
  });

  test('200: each filter, and several together', async () => {
    const of = (query: string) => numbersOf(client, `${query}`);
    const [r, m, i, s, u] = [received, moved, issued, same, { transactionNo: undone }].map(
      (each) => each.transactionNo,
    );
    expect(await of(`itemID=${itemID}`)).toEqual([u, s, i, m, r]);
    expect(await of(`itemID=${itemID}&sort=transactionNo`)).toEqual([r, m, i, s, u]);
    expect(await of(`itemID=${itemID}&kind=count`)).toEqual([s]);
    expect(await of(`itemID=${itemID}&wid=2`)).toEqual([s, m]);
    expect(await of(`recNo=${received.recNo}`)).toEqual([u, i, m, r]);
    expect(await of(`recNo=${moved.recNo}`)).toEqual([m]);
    expect(await of(`serial=${serial}`)).toEqual([u, i, m, r]);
    expect(await of(`serial=${serial}&wid=2`)).toEqual([m]);
    expect(await of(`serial=&itemID=${itemID}`)).toEqual([]);
    expect(await of(`reference=${reference}`)).toEqual([i]);
    expect(await of(`itemID=${itemID}&clientId=${other.clientId}`)).toEqual([i]);
    expect(await of(`itemID=${itemID}&kind=reverse&clientId=${client.clientId}`)).toEqual([u]);
    expect(await of('itemID=NONE')).toEqual([]);
    expect(await of('deviceID=NONE')).toEqual([]);
    expect(await of(`recNo=${elsewhere.recNo}`)).toEqual([]);
    expect(await of('recNo=999999999999999')).toEqual([]);
  });

  test('200: by the device that noted it', async () => {
    const deviceID = uniqueName('s');
    const operation = {
      op: 'receive',
      itemID: await service.item(),
      units: 1,
      wid: 1,
      reasonCode: 0,
      deviceID,
    };
    const { body } = await client.post('/Inventory/Batch', { mode: 'each', operations: [operation] });
    expect(await numbersOf(client, `deviceID=${deviceID}`)).toEqual([body.results[0].body.transactionNo]);
  });

  test('200: by the moment it was applied, both bounds included; a date is its whole day', async () => {
    const [from, to] = [await at(moved.transactionNo), await at(issued.transactionNo)];
    const within = await numbersOf(client, `itemID=${itemID}&startDate=${from}&endDate=${to}`);
    expect(within).toEqual(expect.arrayContaining([issued.transactionNo, moved.transactionNo]));
    const later = new Date(Date.parse(to) + 1).toISOString();
    expect(await numbersOf(client, `itemID=${itemID}&startDate=${later}`)).not.toContain(
      issued.transactionNo,
    );
    const day = to.slice(0, 10);
    expect(await numbersOf(client, `itemID=${itemID}&endDate=${day}`)).toContain(issued.transactionNo);
    expect(await numbersOf(client, `itemID=${itemID}&endDate=2020-01-01`)).toEqual([]);
  });

  test('200: modifiedSince includes transactions that were reversed since', async () => {
    const since = await at(undone);
    // Found by the filters of its item, and by its reversal.
    for (const narrowed of [`itemID=${itemID}&`, '']) {
      const numbers = await numbersOf(client, `${narrowed}modifiedSince=${since}&pageSize=250`);
      expect(numbers).toEqual(expect.arrayContaining([undone, issued.transactionNo]));
      expect(numbers).not.toContain(received.transactionNo);
    }
    expect(await numbersOf(client, `itemID=${itemID}&modifiedSince=2000-01-01`)).toHaveLength(5);
  });

  test('200: totals and lines count the scope alone', async () => {
    const scoped = async (warehouses: number[]) => {
      const { body } = await list(await service.client({ warehouses }), `itemID=${itemID}`);
      return body.value.map(
        ({ transactionNo, lines }: { transactionNo: number; lines: { wID: number }[] }) => [
          transactionNo,
          lines.map(({ wID }) => wID),
        ],
      );
    };
    expect(await scoped([2])).toEqual([
      [same.transactionNo, []],
      [moved.transactionNo, [2]],
    ]);
    expect(await scoped([3])).toEqual([[elsewhere.transactionNo, [3]]]);
    expect(await scoped([])).toEqual([]);
    // A move between two of the scope is one transaction.
    for (const warehouses of [[1], [2], [1, 2], [1, 2, 3]]) {
      const one = await service.client({ warehouses });
      const [row] = await service.sql<{ count: number }[]>`
        select count(distinct transaction_no)
        from stock_transaction
        left join stock_entry using (transaction_no)
        where status = 'applied' and (stock_entry.wid = any(${warehouses}) or stock_transaction.wid = any(${warehouses}))`;
      const { body } = await list(one, '');
      expect(body.totalCount, String(warehouses)).toBe(row!.count);
      if (warehouses.length === 1) {
        expect((await list(client, `wid=${warehouses[0]}`)).body.totalCount).toBe(row!.count);
      }
    }
  });

  test('403: a warehouse outside the scope', async () => {
    expectAnswer(await list(client, 'wid=3'), 403, forbidden.scope);
    expectAnswer(await list(client, 'wid=4000'), 403, forbidden.scope);
    expectAnswer(await list(client, 'wid=0&itemID=NONE'), 403, forbidden.scope);
  });

  test('400: filters that cannot be read, all of them named', async () => {
    const answer = await list(
      client,
      'kind=hold&wid=x&recNo=1.5&startDate=soon&endDate=T&modifiedSince=x&itemID=%00',
    );
    expectAnswer(
      answer,
      400,
      validationError({
        ...{
          kind: expect.anything(),
          wid: expect.anything(),
          recNo: expect.anything(),
          startDate: expect.anything(),
        },
        ...{ endDate: expect.anything(), modifiedSince: expect.anything(), itemID: expect.anything() },
      }),
    );
  });
});
