import { holdLot, releaseLot } from '@inventory/db/operator/holds';
import { describe, expect, test } from 'vitest';
import { expectAnswer, forbidden, validationError } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();

async function recNosOf(client: ApiClient, path: string): Promise<number[]> {
  const answer = await client.get(path);
  expect(answer.status).toBe(200);
  return answer.body.value.map((lot: { recNo: number }) => lot.recNo);
}

test('200: a page of lots, complete', async () => {
  const client = await service.client();
  const itemID = await service.item({ description: 'Bolt M8', dfltOwner: 12 });
  const { body } = await client.post('/Inventory/Receive', {
    itemID,
    units: 1.5,
    wid: 2,
    reasonCode: 0,
    spot: 'A',
    serial: 'S',
    remark: 'r',
    jobid: 4,
  });
  expectAnswer(await client.get(`/Inventory/2?itemID=${itemID}`), 200, {
    value: [
      {
        recNo: body.recNo,
        partNo: body.lot.partNo,
        shortID: itemID,
        description: 'Bolt M8',
        associate: '12',
        warehouse: 'Overflow',
        wID: 2,
        spot: 'A',
        units: 1.5,
        received: body.lot.received,
        shipped: null,
        serial: 'S',
        serial2: null,
        rFIDTag: null,
        remark: 'r',
        hold: false,
        jobID: 4,
        jobName: null,
        active: true,
      },
    ],
    totalCount: 1,
    page: 1,
    pageSize: 25,
    pageCount: 1,
    hasMore: false,
  });
});

test('200: most recent first, then the higher recNo', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const first = await receiveLot(client, itemID, 1);
  const second = await receiveLot(client, itemID, 1);
  const third = await receiveLot(client, itemID, 1, { wid: 2 });
  expect(await recNosOf(client, `/Inventory?itemID=${itemID}`)).toEqual([third, second, first]);
  await service.sql`update lot set received = '2026-01-01' where rec_no in ${service.sql([first, second, third])}`;
  expect(await recNosOf(client, `/Inventory?itemID=${itemID}`)).toEqual([third, second, first]);
  await service.sql`update lot set received = '2026-01-02' where rec_no = ${first}`;
  expect(await recNosOf(client, `/Inventory?itemID=${itemID}`)).toEqual([first, third, second]);
});

test('200: /Inventory/{wid} has the lots of that warehouse only', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const here = await receiveLot(client, itemID, 1);
  const there = await receiveLot(client, itemID, 1, { wid: 2 });
  expect(await recNosOf(client, `/Inventory/1?itemID=${itemID}`)).toEqual([here]);
  expect(await recNosOf(client, `/Inventory/2?itemID=${itemID}`)).toEqual([there]);
});

test.each([
  '/Inventory/3',
  '/Inventory/999',
  '/Inventory/0',
  '/Inventory/2147483648',
  '/Inventory/99999999999999999999',
])('403: %s, a warehouse out of scope or one that does not exist', async (path) => {
  const client = await service.client();
  expectAnswer(await client.get(path), 403, forbidden.scope);
});

test('200: an empty list for a client without warehouses', async () => {
  const client = await service.client({ warehouses: [] });
  expectAnswer(await client.get('/Inventory'), 200, {
    value: [],
    totalCount: 0,
    page: 1,
    pageSize: 25,
    pageCount: 0,
    hasMore: false,
  });
});

describe('filters (extension)', () => {
  test('inStock, itemID, spot, serial and hold narrow the list, alone and together', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const plain = await receiveLot(client, itemID, 1, { spot: 'F1' });
    const marked = await receiveLot(client, itemID, 1, { spot: 'F1', serial: 'SN1' });
    const held = await receiveLot(client, itemID, 1, { spot: 'F2', serial: 'SN1' });
    await holdLot(service.sql, { recNo: held, reason: 'inspection' });
    const gone = await receiveLot(client, itemID, 1, { spot: 'F2' });
    await client.post('/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0, recno: gone });
    const lots = (filters: string) => recNosOf(client, `/Inventory?itemID=${itemID}${filters}`);
    expect(await lots('')).toEqual([gone, held, marked, plain]);
    expect(await lots('&inStock=true')).toEqual([held, marked, plain]);
    expect(await lots('&inStock=false')).toEqual([gone]);
    expect(await lots('&spot=F1')).toEqual([marked, plain]);
    expect(await lots('&spot=')).toEqual([]);
    expect(await lots('&serial=SN1')).toEqual([held, marked]);
    expect(await lots('&serial=')).toEqual([gone, plain]);
    expect(await lots('&hold=true')).toEqual([held]);
    expect(await lots('&hold=false')).toEqual([gone, marked, plain]);
    expect(await lots('&spot=F2&serial=SN1&hold=true&inStock=true')).toEqual([held]);
    expect(await recNosOf(client, '/Inventory?itemID=NONE')).toEqual([]);
  });

  test('inStock alone splits all lots in two, with exact totals, on any page', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const totals = async () => {
      const answers = ['', '&inStock=true', '&inStock=false'].map((filter) =>
        client.get(`/Inventory?pageSize=1${filter}`),
      );
      return (await Promise.all(answers)).map(({ body }) => body.totalCount);
    };
    const [all, inStock, empty] = await totals();
    expect(inStock + empty).toBe(all);
    const older = await receiveLot(client, itemID, 2);
    const newer = await receiveLot(client, itemID, 1);
    expect(await totals()).toEqual([all + 2, inStock + 2, empty]);
    await client.post('/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0, recno: newer });
    await client.post('/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0, recno: older });
    expect(await totals()).toEqual([all + 2, inStock + 1, empty + 1]);
    const last = (filters: string, page: number) =>
      recNosOf(client, `/Inventory?sort=received&pageSize=1&page=${page}${filters}`);
    expect(await recNosOf(client, '/Inventory?inStock=true&pageSize=1')).toEqual([older]);
    expect(await recNosOf(client, '/Inventory?inStock=false&pageSize=1')).toEqual([newer]);
    expect(await last('&inStock=true', inStock + 1)).toEqual([older]);
    expect(await last('&inStock=false', empty + 1)).toEqual([newer]);
    expect(await last('&inStock=true', inStock + 2)).toEqual([]);
  });

  test.each(['inStock=1', 'inStock=TRUE', 'inStock=', 'hold=yes', 'hold=null'])('400: %s', async (query) => {
    const client = await service.client();
    const [field = ''] = query.split('=');
    expectAnswer(
      await client.get(`/Inventory?${query}`),
      400,
      validationError({ [field]: [`${field} must be true or false.`] }),
    );
  });

  test.each(['itemID', 'spot', 'serial'])('400: %s with U+0000', async (field) => {
    const client = await service.client();
    expectAnswer(
      await client.get(`/Inventory/1?${field}=A%00B`),
      400,
      validationError({ [field]: [`${field} must not contain U+0000 or a lone surrogate.`] }),
    );
  });

  test('a filter is a value, never a pattern or SQL', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await receiveLot(client, itemID, 1, { spot: 'A' });
    for (const spot of ['%', '_', "A' or '1'='1", 'A";--', '\\', '*']) {
      expect(await recNosOf(client, `/Inventory?spot=${encodeURIComponent(spot)}`)).toEqual([]);
    }
  });
});

describe('modifiedSince', () => {
  test('200: a lot counts as modified whenever any column changes', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const recno = await receiveLot(client, itemID, 5, { spot: 'A' });
    const changes: [string, () => Promise<unknown>][] = [
      ['issue', () => client.post('/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0 })],
      ['move of the whole', () => client.post('/Inventory/Move', { itemID, units: 4, wid: 1, toSpot: 'B' })],
      ['hold', () => holdLot(service.sql, { recNo: recno, reason: 'inspection' })],
      ['release', () => releaseLot(service.sql, recno)],
      ['move of a part', () => client.post('/Inventory/Move', { itemID, units: 1, wid: 1, toSpot: 'C' })],
      ['new description of its item', () => client.put('/Item', { shortID: itemID, description: 'another' })],
      ['shipping', () => client.post('/Inventory/Issue', { itemID, units: 3, wid: 1, reasonCode: 0, recno })],
    ];
    for (const [what, change] of changes) {
      const [row] = await service.sql`
        select to_char(greatest((select max(modified) from lot), (select max(modified) from item)) + interval '1 ms',
          'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since`;
      const path = `/Inventory?itemID=${itemID}&modifiedSince=${row!.since}`;
      expect(await recNosOf(client, path), what).not.toContain(recno);
      await expect.poll(async () => Date.now() > Date.parse(row!.since)).toBe(true);
      await change();
      expect(await recNosOf(client, path), what).toContain(recno);
    }
  });

  test('200: every lot of an item with a changed description, once, in the order of the list, and no other lot', async () => {
    const client = await service.client();
    const [itemID, other] = [await service.item({ description: 'before' }), await service.item()];
    const recNos: number[] = [];
    for (let lot = 0; lot < 5; lot++)
      recNos.unshift(await receiveLot(client, itemID, 5, { wid: 1 + (lot % 2) }));
    const otherRecNo = await receiveLot(client, other, 5);
    const [row] = await service.sql`
      select to_char(max(modified) + interval '1 ms', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since
      from lot`;
    const path = `/Inventory?modifiedSince=${row!.since}`;
    await expect.poll(async () => Date.now() > Date.parse(row!.since)).toBe(true);
    // Lots do not show it.
    await client.put('/Item', { shortID: itemID, category: 3, discontinued: true });
    await client.put('/Item', { shortID: other, description: '' });
    expect(await recNosOf(client, path)).toEqual([]);
    await client.put('/Item', { shortID: itemID, description: 'after' });
    // Two of them change themselves, too.
    await client.post('/Inventory/Issue', { itemID, units: 5, wid: 1, reasonCode: 0, recno: recNos[0] });
    await client.post('/Inventory/Issue', { itemID, units: 1, wid: 2, reasonCode: 0, recno: recNos[3] });
    const { body } = await client.get(path);
    expect(body.value.map((lot: { recNo: number }) => lot.recNo)).toEqual(recNos);
    expect(body.value.map((lot: { description: string }) => lot.description)).toEqual(Array(5).fill('after'));
    expect(body.totalCount).toBe(5);
    expect(await recNosOf(client, `${path}&pageSize=2&page=2`)).toEqual(recNos.slice(2, 4));
    expect(await recNosOf(client, `${path}&sort=recNo&direction=ASC`)).toEqual([...recNos].reverse());
    expect(await recNosOf(client, `${path}&inStock=true`)).toEqual(recNos.slice(1));
    expect(await recNosOf(client, `/Inventory/2?modifiedSince=${row!.since}`)).toEqual([
      recNos[1],
      recNos[3],
    ]);
    expect(await recNosOf(client, path)).not.toContain(otherRecNo);
  });

  test('200: a lot modified at that very moment is included', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const recNo = await receiveLot(client, itemID, 5);
    await service.sql`update lot set modified = '2026-02-01T12:00:00.500Z' where rec_no = ${recNo}`;
    const lots = (since: string) => recNosOf(client, `/Inventory?itemID=${itemID}&modifiedSince=${since}`);
    expect(await lots('2026-02-01T12:00:00.500Z')).toEqual([recNo]);
    expect(await lots('2026-02-01T12:00:00.501Z')).toEqual([]);
    expect(await lots('2026-02-01T12:00:00')).toEqual([recNo]);
    expect(await lots('2026-02-01')).toEqual([recNo]);
    expect(await lots('2026-02-02')).toEqual([]);
    expect(await lots('2026-02-01T13:00:00.500%2B01:00')).toEqual([recNo]);
    expect(await lots('2026-02-01T13:00:00.501+01:00')).toEqual([]);
    expect(await lots('2026-02-01T11:00:00.501-01:00')).toEqual([]);
  });

  test.each([
    // Each as written into a URL: there `+` means a space.
    ['2026-02-01T14:00:00.500%2B02', '2026-02-01T14:00:00.501%2B02'],
    ['2026-02-01T14:00:00.500+02', '2026-02-01T14:00:00.501+02'],
    ['2026-02-01T14:00:00.500+0200', '2026-02-01T14:00:00.501+0200'],
    ['2026-02-01t14:00:00.500+02', '2026-02-01t14:00:00.501+02'],
    ['2026-02-01T10:00:00.500-02', '2026-02-01T10:00:00.501-02'],
    ['2026-02-01 12:00:00.500Z', '2026-02-01 12:00:00.501Z'],
    ['2026-02-01+12:00:00.500', '2026-02-01+12:00:00.501'],
    ['2026-02-01%2014:00:00.500+02:00', '2026-02-01%2014:00:00.501+02:00'],
    ['2026-02-01+14:00:00.500+02', '2026-02-01+14:00:00.501+02'],
    ['2026-02-01+12:00', '2026-02-01+12:01'],
    ['2026-02-01+14:00+02', '2026-02-01+14:01+02'],
    ['2026-02-01+10:00:00.500-02:00', '2026-02-01+10:00:00.501-02:00'],
  ])('200: %s', async (moment, later) => {
    const client = await service.client();
    const itemID = await service.item();
    const recNo = await receiveLot(client, itemID, 5);
    await service.sql`update lot set modified = '2026-02-01T12:00:00.500Z' where rec_no = ${recNo}`;
    const lots = (since: string) => recNosOf(client, `/Inventory?itemID=${itemID}&modifiedSince=${since}`);
    expect(await lots(moment)).toEqual([recNo]);
    expect(await lots(later)).toEqual([]);
  });

  test.each([
    '2026-02-01 02',
    '2026-02-01 02 02',
    '2026-02-01T12:00:00++02',
    '2026-02-01T12:00:00+2',
    '2026-02-01T12:00:00+02+02',
    '2026-02-01++12:00',
    '2026-02-01T12:00:00 Z',
  ])('400: %s', async (since) => {
    const client = await service.client();
    expectAnswer(
      await client.get(`/Inventory?modifiedSince=${since}`),
      400,
      validationError({ modifiedSince: ['modifiedSince must be an ISO 8601 date or datetime.'] }),
    );
  });
});
