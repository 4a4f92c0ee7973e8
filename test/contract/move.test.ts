import { holdLot } from '@inventory/db/operator/holds';
import { describe, expect, test } from 'vitest';
import { conflictObject, dateTime, expectAnswer, validationError } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { notEnough, receiveLot } from '../harness/stock/stock.ts';

const service = useService();

const noDestination = validationError({
  toSpot: ['toSpot or shipToWid must name a destination that differs from the source.'],
});

function move(client: ApiClient, itemID: string, units: number, fields: object) {
  return client.post('/Inventory/Move', { itemID, units, wid: 1, ...fields });
}

async function lotsOf(client: ApiClient, itemID: string) {
  return (await client.get(`/Inventory?itemID=${itemID}&sort=recNo`)).body.value;
}

test('200: a whole lot inside its warehouse keeps its record and changes its spot', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const recNo = await receiveLot(client, itemID, 4, { spot: 'A', rfidTag: 'R' });
  const [before] = await lotsOf(client, itemID);
  const answer = await move(client, itemID, 4, {
    fromSpot: 'A',
    toSpot: 'B',
    transitSlip: 'T',
    reference: 'X',
  });
  expectAnswer(answer, 200, {
    recNo,
    status: 'moved',
    transactionNo: expect.any(Number),
    dryRun: false,
    units: 4,
    lots: [{ recNo, fromRecNo: recNo, units: 4, remaining: 4, wID: 1, spot: 'B' }],
  });
  expect(await lotsOf(client, itemID)).toEqual([{ ...before, spot: 'B' }]);
});

test('200: part of a lot is a new record with the same facts, without the RFID tag', async () => {
  const client = await service.client();
  const itemID = await service.item({ dfltOwner: 6 });
  const facts = { spot: 'A', serial: 'S', serial2: 'T', remark: 'fragile', jobid: 3 };
  const recNo = await receiveLot(client, itemID, 4, {
    ...facts,
    rfidTag: 'R',
    price: 2.5,
    expires: '2080-01-01T00:00',
  });
  const [before] = await lotsOf(client, itemID);
  const answer = await move(client, itemID, 1.25, { toSpot: 'B' });
  const part = answer.body.recNo;
  expectAnswer(answer, 200, {
    recNo: part,
    status: 'moved',
    transactionNo: expect.any(Number),
    dryRun: false,
    units: 1.25,
    lots: [{ recNo: part, fromRecNo: recNo, units: 1.25, remaining: 2.75, wID: 1, spot: 'B' }],
  });
  expect(part).toBeGreaterThan(recNo);
  expect(await lotsOf(client, itemID)).toEqual([
    { ...before, units: 2.75 },
    { ...before, recNo: part, units: 1.25, spot: 'B', rFIDTag: null },
  ]);
  const [stored] = await service.sql`
    select price, expires, from_rec_no
    from lot
    where rec_no = ${part}`;
  expect(stored).toEqual({ price: '2.5', expires: new Date('2080-01-01T00:00Z'), from_rec_no: recNo });
});

test('200: a whole lot to another warehouse is a new record; the source is closed at 0', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const recNo = await receiveLot(client, itemID, 4, { spot: 'A', rfidTag: 'R' });
  const [before] = await lotsOf(client, itemID);
  const answer = await move(client, itemID, 4, { shipToWid: 2, toSpot: 'C' });
  const arrived = answer.body.recNo;
  expectAnswer(answer, 200, {
    recNo: arrived,
    status: 'moved',
    transactionNo: expect.any(Number),
    dryRun: false,
    units: 4,
    lots: [{ recNo: arrived, fromRecNo: recNo, units: 4, remaining: 0, wID: 2, spot: 'C' }],
  });
  expect(await lotsOf(client, itemID)).toEqual([
    { ...before, units: 0, shipped: dateTime, active: false, rFIDTag: null },
    { ...before, recNo: arrived, wID: 2, warehouse: 'Overflow', spot: 'C', rFIDTag: 'R' },
  ]);
});

test('200: to another warehouse, without a spot there', async () => {
  const client = await service.client();
  const itemID = await service.item();
  await receiveLot(client, itemID, 4, { spot: 'A' });
  const answer = await move(client, itemID, 1, { shipToWid: 2 });
  expect(answer.body.lots).toEqual([expect.objectContaining({ wID: 2, spot: '' })]);
});

test('200: to the same spot of another warehouse', async () => {
  const client = await service.client();
  const itemID = await service.item();
  await receiveLot(client, itemID, 4, { spot: 'A' });
  const answer = await move(client, itemID, 4, { fromSpot: 'A', toSpot: 'A', shipToWid: 2 });
  expect(answer.status).toBe(200);
});

test('200: several lots, never merged', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const first = await receiveLot(client, itemID, 2, { spot: 'A' });
  const second = await receiveLot(client, itemID, 2, { spot: 'A' });
  const answer = await move(client, itemID, 3, { toSpot: 'B' });
  const part = answer.body.lots[1].recNo;
  expect(answer.body).toMatchObject({
    recNo: first,
    lots: [
      { recNo: first, fromRecNo: first, units: 2, remaining: 2 },
      { recNo: part, fromRecNo: second, units: 1, remaining: 1 },
    ],
  });
  const lots = await lotsOf(client, itemID);
  expect(lots.map((lot: { units: number; spot: string }) => [lot.spot, lot.units])).toEqual([
    ['B', 2],
    ['A', 1],
    ['B', 1],
  ]);
});

describe('which lots are taken', () => {
  test('earliest expiry first, none after those, expired ones last', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const never = await receiveLot(client, itemID, 1);
    const expired = await receiveLot(client, itemID, 1, { expires: '2020-01-01' });
    const late = await receiveLot(client, itemID, 1, { expires: '2090-01-01' });
    const { status, body } = await move(client, itemID, 3, { toSpot: 'B' });
    expect(status).toBe(200);
    expect(body.lots.map((lot: { recNo: number }) => lot.recNo)).toEqual([late, never, expired]);
  });

  test('only lots that match every filter given', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const plain = { spot: 'A', serial: 'S', serial2: 'T', rfidTag: 'R' };
    for (const field of Object.keys(plain))
      await receiveLot(client, itemID, 1, { ...plain, [field]: 'other' });
    const wanted = await receiveLot(client, itemID, 1, plain);
    const filters = { fromSpot: 'A', serial: 'S', serial2: 'T', rfidTag: 'R', toSpot: 'B' };
    expectAnswer(await move(client, itemID, 2, filters), 409, notEnough(2, 1));
    expect((await move(client, itemID, 1, filters)).body.recNo).toBe(wanted);
  });

  test('no lot that is already at the destination', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await receiveLot(client, itemID, 5, { spot: 'B' });
    const away = await receiveLot(client, itemID, 1, { spot: 'A' });
    expectAnswer(await move(client, itemID, 2, { toSpot: 'B' }), 409, notEnough(2, 1));
    expect((await move(client, itemID, 1, { toSpot: 'B' })).body.recNo).toBe(away);
  });

  test('received: a date matches that UTC day, a datetime that second', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const recNo = await receiveLot(client, itemID, 4, { spot: 'A' });
    await service.sql`update lot set received = '2026-01-31T23:59:59.700Z' where rec_no = ${recNo}`;
    for (const received of [
      '2026-01-30',
      '2026-02-01',
      '2026-01-31T23:59:58Z',
      '2026-01-31T23:59:59+01:00',
    ]) {
      expectAnswer(await move(client, itemID, 1, { received, toSpot: 'B' }), 409, notEnough(1, 0));
    }
    for (const received of ['2026-01-31', '2026-01-31T23:59:59', '2026-02-01T00:59:59+01:00']) {
      expect((await move(client, itemID, 1, { fromSpot: 'A', received, toSpot: 'B' })).status).toBe(200);
    }
  });

  test('received: as the list writes it', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const recNos = [await receiveLot(client, itemID, 1), await receiveLot(client, itemID, 1)];
    const [first, second] = recNos as [number, number];
    await service.sql`update lot set received = '2026-01-31T23:59:59.007Z' where rec_no = ${first}`;
    await service.sql`update lot set received = '2026-01-31T23:59:58.999Z' where rec_no = ${second}`;
    const lots: { recNo: number; received: string }[] = await lotsOf(client, itemID);
    expect(lots.map(({ received }) => received)).toEqual([
      '2026-01-31T23:59:59.007Z',
      '2026-01-31T23:59:58.999Z',
    ]);
    for (const { recNo, received } of lots) {
      const answer = await move(client, itemID, 1, { received, toSpot: `at ${recNo}` });
      expect(answer.body).toMatchObject({ recNo, status: 'moved' });
      expect(
        (await lotsOf(client, itemID)).find((lot: { recNo: number }) => lot.recNo === recNo),
      ).toMatchObject({
        received,
        spot: `at ${recNo}`,
      });
    }
  });

  test('a lot that expires today comes before lots that never expire; one that expired yesterday comes after them', async () => {
    const client = await service.client();
    const utcDay = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    for (let day = ''; day !== utcDay(0); ) {
      // Once more if midnight passed meanwhile.
      day = utcDay(0);
      const itemID = await service.item();
      const yesterday = await receiveLot(client, itemID, 1, { expires: utcDay(-1) });
      const never = await receiveLot(client, itemID, 1);
      const today = await receiveLot(client, itemID, 1, { expires: day });
      const { body } = await move(client, itemID, 3, { toSpot: 'B' });
      if (day !== utcDay(0)) continue;
      expect(body.lots.map((lot: { recNo: number }) => lot.recNo)).toEqual([today, never, yesterday]);
    }
  });

  test('no lot on hold, unless it is named by recno: then it keeps the hold', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const held = await receiveLot(client, itemID, 5);
    await holdLot(service.sql, { recNo: held, reason: 'inspection' });
    expectAnswer(await move(client, itemID, 1, { toSpot: 'B' }), 409, notEnough(1, 0, '5 on hold'));
    const part = await move(client, itemID, 2, { recno: held, toSpot: 'B' });
    expect(part.status).toBe(200);
    const away = await move(client, itemID, 3, { recno: held, shipToWid: 2 });
    expect(away.status).toBe(200);
    expect(await lotsOf(client, itemID)).toEqual([
      expect.objectContaining({
        recNo: held,
        units: 0,
        active: false,
        hold: false,
        shipped: expect.any(String),
      }),
      expect.objectContaining({ recNo: part.body.recNo, units: 2, hold: true, wID: 1, spot: 'B' }),
      expect.objectContaining({ recNo: away.body.recNo, units: 3, hold: true, wID: 2 }),
    ]);
    const reasons = await service.sql`
      select hold_reason from lot where rec_no in (${held}, ${away.body.recNo}) order by rec_no`;
    expect([...reasons]).toEqual([{ hold_reason: null }, { hold_reason: 'inspection' }]);
  });

  test('only the lot named by recno, when it matches the other filters', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const recno = await receiveLot(client, itemID, 5, { spot: 'A' });
    const filters = { recno, fromSpot: 'C', serial: 'S', received: '2020-01-01', toSpot: 'B' };
    const refusal = conflictObject(
      'lotDiffers',
      { recNo: recno, present: 5 },
      'The lot does not match fromSpot, serial, received.',
    );
    expectAnswer(await move(client, itemID, 1, filters), 409, refusal);
    expect((await move(client, itemID, 1, { recno, fromSpot: 'A', toSpot: 'B' })).status).toBe(200);
  });
});

test('409: more units than there are; nothing is applied', async () => {
  const client = await service.client();
  const itemID = await service.item();
  await receiveLot(client, itemID, 1);
  const before = await lotsOf(client, itemID);
  expectAnswer(await move(client, itemID, 1.5, { toSpot: 'B' }), 409, notEnough(1.5, 1));
  expect(await lotsOf(client, itemID)).toEqual(before);
});

test.each([
  ['neither toSpot nor shipToWid', {}],
  ['toSpot the same as fromSpot', { fromSpot: 'A', toSpot: 'A' }],
  ['shipToWid the same as wid', { shipToWid: 1 }],
  ['both the same', { fromSpot: 'A', toSpot: 'A', shipToWid: 1 }],
  ['null for both', { toSpot: null, shipToWid: null }],
])('400: a destination that is not a different one: %s', async (_what, fields) => {
  const client = await service.client();
  const itemID = await service.item();
  await receiveLot(client, itemID, 1, { spot: 'A' });
  expectAnswer(await move(client, itemID, 1, fields), 400, noDestination);
});

test('400: a lot named by recno that is already at the destination', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const recno = await receiveLot(client, itemID, 1, { spot: 'A' });
  expectAnswer(
    await move(client, itemID, 1, { recno, toSpot: 'A' }),
    400,
    validationError({ toSpot: ['toSpot must differ from where the lot is.'] }),
  );
});

test('400: every offending field is named, a missing destination too', async () => {
  const client = await service.client();
  expectAnswer(
    await client.post('/Inventory/Move', { units: 0, wid: 1, received: 'x', fromSpot: 3, recno: '1' }),
    400,
    validationError({
      itemID: ['itemID is required.'],
      units: ['units must be greater than 0.'],
      received: ['received must be an ISO 8601 date or datetime.'],
      fromSpot: ['fromSpot must be a string.'],
      recno: ['recno must be an integer.'],
      toSpot: noDestination.details.toSpot!,
    }),
  );
});

test('400: a number that is not an integer does not hide other errors', async () => {
  const client = await service.client();
  expectAnswer(
    await client.post('/Inventory/Move', { itemID: 'X', units: 1, wid: 1.5, recno: -0.5 }),
    400,
    validationError({
      wid: ['wid must be an integer.'],
      recno: ['recno must be an integer.', 'recno must be at least 1.'],
      toSpot: noDestination.details.toSpot!,
    }),
  );
});

test('400: an unknown item', async () => {
  const client = await service.client();
  expectAnswer(
    await move(client, 'NONE', 1, { toSpot: 'B' }),
    400,
    validationError({ itemID: ['itemID is not a known item.'] }),
  );
});

test('400: an unknown recno, or one of another item or warehouse: the same text for all', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const other = await receiveLot(client, await service.item(), 1);
  const elsewhere = await receiveLot(client, itemID, 1, { wid: 2 });
  for (const recno of [2 ** 31 - 1, other, elsewhere]) {
    expectAnswer(
      await move(client, itemID, 1, { recno, toSpot: 'B' }),
      400,
      validationError({ recno: ['recno is not a lot of this item in this warehouse.'] }),
    );
  }
});

test('moves in opposite directions at once end without a deadlock, and nothing is lost', async () => {
  const client = await service.client();
  const itemID = await service.item();
  await receiveLot(client, itemID, 50);
  await receiveLot(client, itemID, 50, { wid: 2 });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      move(client, itemID, 1, index % 2 === 0 ? { wid: 1, shipToWid: 2 } : { wid: 2, shipToWid: 1 }),
    ),
  );
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
  const lots = await client.get(`/Inventory?itemID=${itemID}&inStock=true&pageSize=250`);
  const sum = lots.body.value.reduce((total: number, lot: { units: number }) => total + lot.units, 0);
  expect(sum).toBe(100);
});

describe('weights', () => {
  const weightsOf = async (itemID: string) => {
    const rows = await service.sql<{ units: string; net: string | null; gross: string | null }[]>`
      select lot.units::text, trim_scale(net_weight)::text as net, trim_scale(gross_weight)::text as gross
      from lot
      join item using (part_no)
      where short_id = ${itemID}
      order by rec_no`;
    return rows.map(({ units, net, gross }) => [units, net, gross]);
  };

  test('are split in proportion to the units: source and part add up to the original', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const weights = { netWeight: 1, grossWeight: 2.000001 };
    await receiveLot(client, itemID, 3, { spot: 'A', ...weights });
    expect((await move(client, itemID, 1, { toSpot: 'B' })).status).toBe(200);
    expect(await weightsOf(itemID)).toEqual([
      ['2', '0.666667', '1.333334'],
      ['1', '0.333333', '0.666667'],
    ]);
    expect((await move(client, itemID, 2, { fromSpot: 'A', shipToWid: 2 })).status).toBe(200);
    expect(await weightsOf(itemID)).toEqual([
      ['0', '0', '0'],
      ['1', '0.333333', '0.666667'],
      ['2', '0.666667', '1.333334'],
    ]);
  });

  test('stay with a whole lot that moves inside its warehouse; no weight stays no weight', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await receiveLot(client, itemID, 2, { spot: 'A', netWeight: 7 });
    expect((await move(client, itemID, 2, { toSpot: 'B' })).status).toBe(200);
    expect((await move(client, itemID, 0.5, { toSpot: 'C' })).status).toBe(200);
    expect(await weightsOf(itemID)).toEqual([
      ['1.5', '5.25', null],
      ['0.5', '1.75', null],
    ]);
  });
});
