import { holdLot } from '@inventory/db/operator/holds';
import { describe, expect, test } from 'vitest';
import {
  conflictObject,
  errorObject,
  expectAnswer,
  forbidden,
  validationError,
} from '../harness/contract/answers.ts';
import { type ApiClient, untilAnswered } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();

async function done(client: ApiClient, path: string, body: object) {
  const answer = await client.post(`/Inventory/${path}`, { wid: 1, reasonCode: 0, ...body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

const reverse = (client: ApiClient, transactionNo: number, fields: object = {}) =>
  client.post('/Inventory/Reverse', { transactionNo, ...fields });

const reversedAlready = (transactionNo: number) =>
  conflictObject('alreadyReversed', { transactionNo }, `Transaction ${transactionNo} is reversed already.`);
const onHold = (recNo: number, units: number) =>
  conflictObject('onHold', { recNo, onHold: units }, `Lot ${recNo} is on hold, with ${units} units.`);
const movedOn = (recNo: number, asked: number, present: number) =>
  conflictObject(
    'unitsMovedOn',
    { recNo, asked, present },
    `The units have moved on: lot ${recNo} has ${present}, and ${asked} would go back.`,
  );
const notFound = errorObject(404, 'not_found', 'There is no such transaction.');

/** Every lot of an item, with the fields a reversal must restore. */
async function lotsOf(itemID: string) {
  const lots = await service.sql`
    select rec_no, wid, spot, lot.units::text, received, shipped is not null as is_shipped, active, hold, hold_reason, rfid_tag,
      net_weight::float8, gross_weight::float8, from_rec_no
    from lot
    join item using (part_no)
    where short_id = ${itemID}
    order by rec_no`;
  return lots.map((lot) => ({ ...lot }));
}

async function levelsOf(itemID: string) {
  const levels = await service.sql`
    select wid, in_stock::text, on_hold::text from stock_level join item using (part_no) where short_id = ${itemID} order by wid`;
  return levels.map((level) => ({ ...level }));
}

const hold = (recNo: number) => holdLot(service.sql, { recNo, reason: 'inspection' });

describe('POST /Inventory/Reverse', () => {
  test('200: an issue: the units are back, and shipped lots are in stock again under their old recNo', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const first = await done(client, 'Receive', { itemID, units: 2, netWeight: 3 });
    const second = await done(client, 'Receive', { itemID, units: 4 });
    const before = await lotsOf(itemID);
    const issued = await done(client, 'Issue', { itemID, units: 3.5 });
    const answer = await reverse(client, issued.transactionNo, { remark: 'wrong order' });
    expectAnswer(answer, 200, {
      recNo: first.recNo,
      status: 'reversed',
      transactionNo: expect.any(Number),
      dryRun: false,
      reverses: issued.transactionNo,
      lots: [
        { recNo: first.recNo, units: 2, remaining: 2 },
        { recNo: second.recNo, units: 1.5, remaining: 4 },
      ],
    });
    expect(await lotsOf(itemID)).toEqual(before);
    const [stored] = await service.sql`
      select kind, reverses, body::text from stock_transaction where transaction_no = ${answer.body.transactionNo}`;
    expect(stored).toEqual({
      kind: 'reverse',
      reverses: issued.transactionNo,
      body: JSON.stringify({ transactionNo: issued.transactionNo, remark: 'wrong order' }),
    });
  });

  test('200: an issue from a lot that is empty by now: the units return to the spot they left, wherever the lot moved since', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await done(client, 'Receive', { itemID, units: 10, spot: 'X' });
    const issued = await done(client, 'Issue', { itemID, units: 4 });
    await done(client, 'Move', { itemID, units: 6, toSpot: 'Y' });
    await done(client, 'Issue', { itemID, units: 6 });
    expect((await reverse(client, issued.transactionNo)).status).toBe(200);
    expect(await lotsOf(itemID)).toMatchObject([{ spot: 'X', units: '4', is_shipped: false }]);
    const [line] = await service.sql`
      select spot, delta::text from stock_entry join item using (part_no) where short_id = ${itemID} order by stock_entry.transaction_no desc limit 1`;
    expect(line).toEqual({ spot: 'X', delta: '4' });
  });

  test('200: a receipt: its lot is shipped, but units that a count added stay', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const first = await done(client, 'Receive', { itemID, units: 2 });
    const second = await done(client, 'Receive', { itemID, units: 2 });
    await done(client, 'Count', { itemID, recno: second.recNo, counted: 5 });
    const { body } = await reverse(client, first.transactionNo);
    expect(body.lots).toEqual([{ recNo: first.recNo, units: -2, remaining: 0 }]);
    expect((await reverse(client, second.transactionNo)).body.lots).toEqual([
      { recNo: second.recNo, units: -2, remaining: 3 },
    ]);
    expect(await lotsOf(itemID)).toMatchObject([
      { units: '0', is_shipped: true },
      { units: '3', is_shipped: false },
    ]);
  });

  test.each([
    ['part of a lot to another spot', { units: 2, toSpot: 'B' }],
    ['part of a lot to another warehouse', { units: 2, shipToWid: 2, toSpot: 'B' }],
    ['a whole lot to another spot', { units: 3, toSpot: 'B' }],
    ['a whole lot to another warehouse', { units: 3, shipToWid: 2 }],
    ['several lots to another spot', { units: 6.5, toSpot: 'B' }],
    ['several lots to another warehouse', { units: 6.5, shipToWid: 2, toSpot: 'B' }],
  ])('200: a move of %s: everything is as before, including weights and tags', async (_title, move) => {
    const client = await service.client();
    const itemID = await service.item();
    await done(client, 'Receive', {
      itemID,
      units: 3,
      spot: 'A',
      netWeight: 1,
      grossWeight: 2.5,
      rfidTag: 'R',
    });
    await done(client, 'Receive', { itemID, units: 7, spot: 'C', netWeight: 0.000001 });
    const before = await lotsOf(itemID);
    const moved = await done(client, 'Move', { itemID, ...move });
    const { status, body } = await reverse(client, moved.transactionNo);
    expect(status, JSON.stringify(body)).toBe(200);
    const after = await lotsOf(itemID);
    expect(after.slice(0, before.length)).toEqual(before);
    // The part that was split off is closed and has no weight left.
    for (const lot of after.slice(before.length)) {
      expect(lot).toMatchObject({ units: '0', active: false, is_shipped: true, hold: false });
      expect(lot.net_weight || 0).toBe(0);
    }
    expect((await levelsOf(itemID))[0]).toEqual({ wid: 1, in_stock: '10', on_hold: '0' });
  });

  test('200: a held lot that was moved whole returns with its hold and its reason', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const { recNo } = await done(client, 'Receive', { itemID, units: 3 });
    await hold(recNo);
    const before = await lotsOf(itemID);
    const moved = await done(client, 'Move', { itemID, units: 3, shipToWid: 2, recno: recNo });
    await reverse(client, moved.transactionNo);
    expect((await lotsOf(itemID))[0]).toEqual(before[0]);
    expect(await levelsOf(itemID)).toEqual([
      { wid: 1, in_stock: '3', on_hold: '3' },
      { wid: 2, in_stock: '0', on_hold: '0' },
    ]);
  });

  test('200: a held lot that moved several times keeps its reason when one atomic batch reverses all moves', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const { recNo } = await done(client, 'Receive', { itemID, units: 3 });
    await hold(recNo);
    const before = await lotsOf(itemID);
    const first = await done(client, 'Move', { itemID, units: 3, shipToWid: 2, recno: recNo });
    const second = await done(client, 'Move', { itemID, units: 3, wid: 2, shipToWid: 1, recno: first.recNo });
    const operations = [second, first].map(({ transactionNo }) => ({ op: 'reverse', transactionNo }));
    const { status, text } = await client.post('/Inventory/Batch', { mode: 'atomic', operations });
    expect(status, text).toBe(200);
    expect((await lotsOf(itemID))[0]).toEqual(before[0]);
  });

  test('200: counts: taken units return, the new lot is closed, and a count without a difference is reversed without one', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await done(client, 'Receive', { itemID, units: 3 });
    const before = await lotsOf(itemID);
    const less = await done(client, 'Count', { itemID, counted: 1, everywhere: true });
    expect((await reverse(client, less.transactionNo)).body.lots).toEqual([
      { recNo: less.recNo, units: 2, remaining: 3 },
    ]);
    expect(await lotsOf(itemID)).toEqual(before);
    const more = await done(client, 'Count', { itemID, counted: 4, everywhere: true });
    expect((await reverse(client, more.transactionNo)).body.lots).toEqual([
      { recNo: more.recNo, units: -1, remaining: 0 },
    ]);
    const same = await done(client, 'Count', { itemID, counted: 3, everywhere: true });
    expect((await reverse(client, same.transactionNo)).body).toMatchObject({ recNo: null, lots: [] });
    expectAnswer(await reverse(client, same.transactionNo), 409, reversedAlready(same.transactionNo));
  });

  test('an RFID tag is on one lot at a time: it goes with a whole lot, and returns with the reversal', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const tagged = async () => {
      const { body } = await client.get(`/Inventory?itemID=${itemID}&sort=recNo`);
      const lots = body.value as { recNo: number; rFIDTag: string | null; active: boolean }[];
      return lots.filter(({ rFIDTag }) => rFIDTag === 'T').map(({ recNo, active }) => [recNo, active]);
    };
    const { recNo } = await done(client, 'Receive', { itemID, units: 5, rfidTag: 'T' });
    const issued = await done(client, 'Issue', { itemID, units: 2 });
    const moved = await done(client, 'Move', { itemID, units: 3, shipToWid: 2 });
    expect(await tagged()).toEqual([[moved.recNo, true]]);
    // The first lot is in stock again, without the tag.
    const reopened = await reverse(client, issued.transactionNo);
    expect(reopened.status).toBe(200);
    expect(await tagged()).toEqual([[moved.recNo, true]]);
    const part = await done(client, 'Move', { itemID, units: 1, wid: 2, toSpot: 'X' });
    expect(await tagged()).toEqual([[moved.recNo, true]]);
    expect((await reverse(client, part.transactionNo)).status).toBe(200);
    expect((await reverse(client, moved.transactionNo)).status).toBe(200);
    expect(await tagged()).toEqual([[recNo, true]]);
  });

  test('409: a second reversal; with ten at once, one is applied', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await done(client, 'Receive', { itemID, units: 50 });
    const issued = await done(client, 'Issue', { itemID, units: 3 });
    // With a key, so that asking again settles a slow machine's "not known".
    const reverseOnce = () => {
      const headers = { 'Idempotency-Key': uniqueName('reversal') };
      const { transactionNo } = issued;
      return untilAnswered(() => client.post('/Inventory/Reverse', { transactionNo }, headers));
    };
    const answers = await Promise.all(Array.from({ length: 10 }, reverseOnce));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expectAnswer(await reverse(client, issued.transactionNo), 409, reversedAlready(issued.transactionNo));
    expect(await levelsOf(itemID)).toMatchObject([{ in_stock: '50' }]);
  });

  test('409: a reversal cannot be reversed', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const received = await done(client, 'Receive', { itemID, units: 5 });
    const { body } = await reverse(client, received.transactionNo);
    expectAnswer(
      await reverse(client, body.transactionNo),
      409,
      conflictObject('isReversal', { transactionNo: body.transactionNo }, 'A reversal cannot be reversed.'),
    );
  });

  test('409 with figures: the units have moved on since; nothing is applied', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const received = await done(client, 'Receive', { itemID, units: 5, spot: 'A' });
    const lot = received.recNo;
    const moved = await done(client, 'Move', { itemID, units: 5, toSpot: 'B' });
    expectAnswer(
      await reverse(client, received.transactionNo),
      409,
      conflictObject(
        'unitsMovedOn',
        { recNo: lot, present: 5 },
        `The units have moved on: lot ${lot} has 5 at B, not at A.`,
      ),
    );
    await done(client, 'Issue', { itemID, units: 1.5 });
    const figures = movedOn(lot, 5, 3.5);
    expectAnswer(await reverse(client, received.transactionNo), 409, figures);
    expectAnswer(await reverse(client, moved.transactionNo), 409, figures);
    const split = await done(client, 'Move', { itemID, units: 2, shipToWid: 2 });
    await done(client, 'Issue', { itemID, units: 1, wid: 2 });
    expectAnswer(await reverse(client, split.transactionNo), 409, movedOn(split.recNo, 2, 1));
    // After the later ones are reversed, the earlier ones can be.
    const back = await done(client, 'Move', { itemID, units: 1.5, toSpot: 'C' });
    expect((await reverse(client, back.transactionNo)).status).toBe(200);
  });

  test('409: a hold is in the way', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const received = await done(client, 'Receive', { itemID, units: 5 });
    const moved = await done(client, 'Move', { itemID, units: 2, toSpot: 'B' });
    await hold(moved.recNo);
    const held = onHold(moved.recNo, 2);
    expectAnswer(await reverse(client, moved.transactionNo), 409, held);
    await hold(received.recNo);
    expect((await reverse(client, moved.transactionNo)).status).toBe(200);
    expectAnswer(await reverse(client, received.transactionNo), 409, onHold(received.recNo, 5));
  });

  test('403: without the permission for the opposite', async () => {
    const keeper = await service.client();
    const itemID = await service.item();
    const received = await done(keeper, 'Receive', { itemID, units: 5 });
    const moved = await done(keeper, 'Move', { itemID, units: 5, toSpot: 'B' });
    const issued = await done(keeper, 'Issue', { itemID, units: 1 });
    const counted = await done(keeper, 'Count', { itemID, counted: 3, everywhere: true });
    const needed: [number, number[]][] = [
      [counted.transactionNo, [88, 95]],
      [issued.transactionNo, [95]],
      [moved.transactionNo, [15]],
    ];
    for (const [transactionNo, permissions] of needed) {
      for (const missing of permissions) {
        const others = [11, 15, 88, 95, 116].filter((each) => each !== missing);
        const client = await service.client({ permissions: others });
        expectAnswer(await reverse(client, transactionNo), 403, forbidden.permission);
      }
      const client = await service.client({ permissions });
      expect((await reverse(client, transactionNo)).status).toBe(200);
    }
    const receiver = await service.client({ permissions: [15, 95] });
    expectAnswer(await reverse(receiver, received.transactionNo), 403, forbidden.permission);
  });

  test('404: not there, or with a warehouse out of scope, alike, with any permission', async () => {
    const keeper = await service.client({ warehouses: [1, 2, 3] });
    const itemID = await service.item();
    const received = await done(keeper, 'Receive', { itemID, units: 5 });
    const there = await done(keeper, 'Move', { itemID, units: 2, shipToWid: 3 });
    const elsewhere = await done(keeper, 'Receive', { itemID, units: 5, wid: 3 });
    const { body } = await reverse(keeper, elsewhere.transactionNo);
    const { recNo } = await done(keeper, 'Receive', { itemID, units: 5 });
    await hold(recNo);
    const [held] =
      await service.sql`select max(transaction_no) as no from stock_transaction where kind = 'hold'`;
    const client = await service.client();
    const weak = await service.client({ permissions: [15] });
    const hidden = [there.transactionNo, elsewhere.transactionNo, body.transactionNo, held!.no, 2 ** 52];
    for (const transactionNo of hidden) {
      for (const each of [client, weak]) expectAnswer(await reverse(each, transactionNo), 404, notFound);
    }
    expectAnswer(await reverse(weak, received.transactionNo), 403, forbidden.permission);
    expectAnswer(await reverse(client, received.transactionNo), 409, expect.anything());
  });

  test('400: every offending field is named', async () => {
    const client = await service.client();
    expectAnswer(
      await client.post('/Inventory/Reverse', { transactionNo: 0, reference: 7 }),
      400,
      validationError({
        transactionNo: ['transactionNo must be at least 1.'],
        reference: ['reference must be a string.'],
      }),
    );
  });

  test('a resend with its key gives the first answer; 409: the key with another transaction', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const received = await done(client, 'Receive', { itemID, units: 5 });
    const other = await done(client, 'Receive', { itemID, units: 5 });
    const key = { 'Idempotency-Key': `reverse-${itemID}` };
    const send = (transactionNo: number) => client.post('/Inventory/Reverse', { transactionNo }, key);
    const first = await send(received.transactionNo);
    const again = await send(received.transactionNo);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(again.text).toBe(first.text);
    expect((await send(other.transactionNo)).status).toBe(409);
  });
});
