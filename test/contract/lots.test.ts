import { holdLot, releaseLot } from '@inventory/db/operator/holds';
import { describe, expect } from 'vitest';
import { expectAnswer, invalid, plainLot } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const { service, test } = useStock();

const notUtf8 = 'must be percent-encoded UTF-8.';

async function recNosOf(client: ApiClient, path: string): Promise<number[]> {
  const { status, body, text } = await client.get(path);
  expect(status, text).toBe(200);
  return body.value.map((lot: { recNo: number }) => lot.recNo);
}

/** A moment after everything that has happened, to the millisecond; and until it is past. */
async function nextMoment() {
  const [row] = await service.sql<{ since: Date }[]>`
    select date_trunc('milliseconds', greatest((select max(modified) from lot), (select max(modified) from item)))
      + interval '1 ms' as since`;
  const since = row!.since.toISOString();
  return { since, come: () => expect.poll(async () => Date.now() > Date.parse(since)).toBe(true) };
}

test('200: a page of lots, complete', async ({ client }) => {
  const shortID = await service.item({ description: 'Bolt M8', dfltOwner: 12 });
  const fields = { spot: 'A', serial: 'S', remark: 'r' };
  const received = { itemID: shortID, units: 1.5, wid: 2, reasonCode: 0, jobid: 4, ...fields };
  const { recNo } = (await client.post('/Inventory/Receive', received)).body;
  const own = { recNo, shortID, units: 1.5, ...fields, jobID: 4, wID: 2, warehouse: 'Overflow' };
  expectAnswer(await client.get(`/Inventory/2?itemID=${shortID}`), 200, {
    value: [{ ...plainLot, ...own, description: 'Bolt M8', associate: '12' }],
    ...{ totalCount: 1, page: 1, pageSize: 25, pageCount: 1, hasMore: false },
  });
});

test('200: most recent first, then the higher recNo', async ({ client, itemID, stock }) => {
  const lots = [await stock.addLot(1), await stock.addLot(1), await stock.addLot(1, { wid: 2 })];
  const [first, second, third] = lots;
  const list = `/Inventory?itemID=${itemID}`;
  expect(await recNosOf(client, list)).toEqual([third, second, first]);
  await service.sql`update lot set received = '2026-01-01' where rec_no = any(${lots})`;
  expect(await recNosOf(client, list)).toEqual([third, second, first]);
  await service.sql`update lot set received = '2026-01-02' where rec_no = ${first!}`;
  expect(await recNosOf(client, list)).toEqual([first, third, second]);
});

test('200: /Inventory/{wid} has the lots of that warehouse only', async ({ client, itemID, stock }) => {
  const [here, there] = [await stock.addLot(1), await stock.addLot(1, { wid: 2 })];
  expect(await recNosOf(client, `/Inventory/1?itemID=${itemID}`)).toEqual([here]);
  expect(await recNosOf(client, `/Inventory/2?itemID=${itemID}`)).toEqual([there]);
});

describe('filters (extension)', () => {
  test('200: they narrow the list, alone and together', async ({ client, itemID, stock }) => {
    const keeper = await service.client({ warehouses: [3] });
    const tags = { rfidTag: `R-${itemID}`, serial2: `T-${itemID}`, jobid: 4711 };
    const lots = {
      plain: await stock.addLot(1, { spot: 'F1', expires: '2031-01-01T00:00:00Z' }),
      marked: await stock.addLot(1, { spot: 'F1', serial: 'SN1' }),
      held: await stock.addLot(1, { spot: 'F2', serial: 'SN1' }),
      gone: await stock.addLot(1, { spot: 'F2' }),
      tagged: await stock.addLot(1, { ...tags, expires: '2030-01-01T00:00:00Z' }),
      foreign: await receiveLot(keeper, itemID, 1, { wid: 3, ...tags }),
    };
    await stock.hold(lots.held);
    await stock.done('Issue', { units: 1, recno: lots.gone });
    const item = `itemID=${itemID}`;
    for (const [query, names] of [
      [item, 'plain marked held gone tagged'],
      [`${item}&inStock=true`, 'plain marked held tagged'],
      [`${item}&inStock=false`, 'gone'],
      [`${item}&spot=F1`, 'plain marked'],
      [`${item}&spot=`, 'tagged'],
      [`${item}&serial=SN1`, 'marked held'],
      [`${item}&serial=`, 'plain gone tagged'],
      [`${item}&hold=true`, 'held'],
      [`${item}&hold=false`, 'plain marked gone tagged'],
      [`${item}&spot=F2&serial=SN1&hold=true&inStock=true`, 'held'],
      [`recNo=${lots.marked}`, 'marked'],
      [`recNo=${lots.foreign}`, ''],
      [`rfidTag=R-${itemID}`, 'tagged'],
      [`serial2=T-${itemID}`, 'tagged'],
      ['jobID=4711', 'tagged'],
      [`${item}&jobID=0`, 'plain marked held gone'],
      [`${item}&expiresBefore=2030-01-01T00:00:00Z`, ''],
      [`${item}&expiresBefore=2030-06-01`, 'tagged'],
      [`${item}&expiresBefore=2032-01-01`, 'plain tagged'],
      ['itemID=NONE', ''],
      ...['%', '_', "A' or '1'='1", 'A";--', '\\', '*'].map((spot) => [
        `spot=${encodeURIComponent(spot)}`,
        '',
      ]),
    ] as [string, string][]) {
      const { body } = await client.get(`/Inventory?${query}&sort=recNo`);
      const shown = body.value.map(({ recNo }: { recNo: number }) => {
        return Object.entries(lots).find(([, each]) => each === recNo)?.[0] ?? recNo;
      });
      expect([shown.join(' '), body.totalCount], query).toEqual([names, shown.length]);
    }
  });

  test.for<[query: string, said: Record<string, string>]>([
    ...['inStock=1', 'inStock=TRUE', 'inStock=', 'hold=yes', 'hold=null'].map(
      (query): [string, Record<string, string>] => [
        query,
        { [query.split('=')[0]!]: 'must be true or false.' },
      ],
    ),
    [
      'itemID=%00&spot=A%00B&serial=%00&rfidTag=%00&serial2=%00',
      Object.fromEntries(
        ['itemID', 'spot', 'serial', 'rfidTag', 'serial2'].map((field) => {
          return [field, 'must not contain U+0000 or a lone surrogate.'];
        }),
      ),
    ],
    [
      'recNo=x&jobID=-1&expiresBefore=soon&view=some',
      {
        recNo: 'must be a plain integer.',
        jobID: 'must be a plain integer.',
        expiresBefore: 'must be an ISO 8601 date or datetime.',
        view: 'must be full.',
      },
    ],
    ...['9007199254740992', '9'.repeat(400)].map((number): [string, Record<string, string>] => [
      `recNo=${number}&jobID=${number}&page=${number}`,
      {
        recNo: 'must be at most 9007199254740991.',
        jobID: 'must be at most 2147483647.',
        page: 'must be from 1 to 999999999999999.',
      },
    ]),
    // One byte of Latin-1, half a character, a lone surrogate, a NUL in two bytes.
    ...['M%FCller', 'a%e2%82', '%ED%A0%80', '%C0%80', '%%FF', '%FF%'].map(
      (text): [string, Record<string, string>] => [
        `serial=${text}&x=${text}&view=some`,
        { serial: notUtf8, x: notUtf8, view: 'must be full.' },
      ],
    ),
    ['M%FCller', { 'M\ufffdller': notUtf8 }],
  ])('400: %s', async ([query, said], { client }) => {
    for (const path of ['/Inventory', '/Inventory/1'])
      expectAnswer(await client.get(`${path}?${query}`), 400, invalid(said));
  });

  test('200: a filter finds what was encoded as UTF-8, and a % that encodes nothing is itself', async ({
    stock,
    client,
  }) => {
    for (const [serial, written] of [
      ['Müller', 'M%C3%BCller'],
      ['\ufffd', '%EF%BF%BD'],
      ['\u{1f4e6}', '%f0%9f%93%a6'],
      ['50%', '50%'],
      ['%zz % %4', '%zz+%+%4'],
    ] as const) {
      const recNo = await stock.addLot(1, { serial });
      const { body } = await client.get(`/Inventory?itemID=${stock.itemID}&serial=${written}`);
      expect(
        body.value.map((lot: { recNo: number }) => lot.recNo),
        written,
      ).toEqual([recNo]);
    }
  });

  test('200: view=full shows each lot as it is shown alone, on any page', async ({ stock }) => {
    const { client, itemID } = stock;
    await stock.addLot(10, { price: 1.000001, netWeight: 2.5 });
    const { recNo } = await stock.done('Move', { units: 4, shipToWid: 2 });
    const { history: _, ...alone } = (await client.get(`/Inventory/Lots/${recNo}`)).body;
    expect(alone.fromRecNo).not.toBeNull();
    for (const path of ['/Inventory?', '/Inventory/2?']) {
      for (const query of ['', `itemID=${itemID}`, 'sort=units', `sort=shortID&itemID=${itemID}`]) {
        const { body } = await client.get(`${path}${query}&pageSize=250&view=full`);
        const found = body.value.find((each: { recNo: number }) => each.recNo === recNo);
        expect(found, `${path}${query}`).toEqual(alone);
      }
    }
    expect((await stock.lots())[0]).not.toHaveProperty('price');
  });
});

describe('modifiedSince', () => {
  test('200: a lot counts as modified whenever any column changes', async ({ client, itemID, stock }) => {
    const recno = await stock.addLot(5, { spot: 'A' });
    const changes: Record<string, () => Promise<unknown>> = {
      issue: () => stock.done('Issue', { units: 1 }),
      'move of the whole': () => stock.done('Move', { units: 4, toSpot: 'B' }),
      hold: () => holdLot(service.sql, { recNo: recno, reason: 'inspection' }),
      release: () => releaseLot(service.sql, recno),
      'move of a part': () => stock.done('Move', { units: 1, toSpot: 'C' }),
      'new description of its item': () => client.put('/Item', { shortID: itemID, description: 'another' }),
      shipping: () => stock.done('Issue', { units: 3, recno }),
    };
    for (const [what, change] of Object.entries(changes)) {
      const { since, come } = await nextMoment();
      const path = `/Inventory?itemID=${itemID}&modifiedSince=${since}`;
      expect(await recNosOf(client, path), what).not.toContain(recno);
      await come();
      await change();
      expect(await recNosOf(client, path), what).toContain(recno);
    }
  });

  test('200: every lot of an item with a changed description, once, in order', async ({ stock }) => {
    const { client, itemID } = stock;
    const other = await service.item();
    const recNos: number[] = [];
    for (let lot = 0; lot < 5; lot++) recNos.unshift(await stock.addLot(5, { wid: 1 + (lot % 2) }));
    await receiveLot(client, other, 5);
    const { since, come } = await nextMoment();
    const changed = (query = '', path = '/Inventory') =>
      recNosOf(client, `${path}?modifiedSince=${since}${query}`);
    await come();
    // Lots do not show these.
    await client.put('/Item', { shortID: itemID, category: 3, discontinued: true });
    await client.put('/Item', { shortID: other, description: '' });
    expect(await changed()).toEqual([]);
    await client.put('/Item', { shortID: itemID, description: 'after' });
    // Two of them change themselves, too.
    await stock.done('Issue', { units: 5, recno: recNos[0] });
    await stock.done('Issue', { units: 1, wid: 2, recno: recNos[3] });
    expect(await changed()).toEqual(recNos);
    expect(await changed('&pageSize=2&page=2')).toEqual(recNos.slice(2, 4));
    expect(await changed('&sort=recNo&direction=ASC')).toEqual([...recNos].reverse());
    expect(await changed('&inStock=true')).toEqual(recNos.slice(1));
    expect(await changed('', '/Inventory/2')).toEqual([recNos[1], recNos[3]]);
  });
});
