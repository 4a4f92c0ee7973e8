import { expect } from 'vitest';
import { expectAnswer } from '../harness/contract/answers.ts';
import { type ItemStock, type StockCall, stockOf, useStock } from '../harness/contract/item-stock.ts';
import { receiveOf } from '../harness/stock/operations.ts';
import { notEnough } from '../harness/stock/stock.ts';

// Examples of the rules; allocation.property compares them with a model in any order of calls.

const { service, test } = useStock();

/** Lots by name, in the order in which they are received: of 1 unit in warehouse 1 unless told otherwise. */
type Lots = Record<string, { units?: number; hold?: true; [field: string]: unknown }>;
/** A call, with a lot by its name as `recno`; the names of the lots it takes, in order, or its refusal. */
type Step = [call: StockCall, fields: { recno?: string; [field: string]: unknown }, taken: string | object];

const marks = { spot: 'A', serial: 'S', serial2: 'T', rfidTag: 'R' };
const { spot: _, ...otherMarks } = marks;
const heldAndExpired = (spot: string): Lots => ({
  [`held ${spot}`]: { units: 2, hold: true, spot },
  [`expired ${spot}`]: { units: 3.5, spot, expires: '2020-01-01' },
  [`both ${spot}`]: { units: 4, hold: true, spot, expires: '2020-01-01' },
});

const cases: Record<string, [Lots, ...Step[]]> = {
  'the earliest expiry first, lots without expiry last, then the oldest': [
    {
      never: {},
      late: { expires: '2090-01-01' },
      early: { expires: '2080-01-01' },
      earlyToo: { expires: '2080-01-01' },
      neverToo: {},
    },
    ['Issue', { units: 5 }, 'early, earlyToo, late, never, neverToo'],
  ],
  'Issue: no expired lot, unless it is named: then it is written off': [
    { expired: { units: 5, expires: '2020-01-01' }, good: {} },
    ['Issue', { units: 2 }, notEnough(2, 1, '5 expired')],
    ['Issue', { units: 1 }, 'good'],
    ['Issue', { units: 5, recno: 'expired' }, 'expired'],
    ['Issue', { units: 1 }, notEnough(1, 0)],
  ],
  'Move: expired lots last': [
    { never: {}, expired: { expires: '2020-01-01' }, late: { expires: '2090-01-01' } },
    ['Move', { units: 3, toSpot: 'B' }, 'late, never, expired'],
  ],
  'no lot on hold; Move takes one that is named': [
    { held: { units: 5, hold: true }, free: {} },
    ['Issue', { units: 2 }, notEnough(2, 1, '5 on hold')],
    ['Issue', { units: 1 }, 'free'],
    ['Move', { units: 1, toSpot: 'B' }, notEnough(1, 0, '5 on hold')],
    ['Move', { units: 2, toSpot: 'B', recno: 'held' }, 'held'],
  ],
  'the refusal counts only matching lots on hold or expired': [
    { ...heldAndExpired('A'), ...heldAndExpired('B') },
    ['Issue', { units: 1 }, notEnough(1, 0, '12 on hold, 7 expired')],
    ['Issue', { units: 1, spot: 'A' }, notEnough(1, 0, '6 on hold, 3.5 expired')],
    ['Issue', { units: 1, spot: 'C' }, notEnough(1, 0)],
    ['Issue', { units: 1, wid: 2 }, notEnough(1, 0)],
  ],
  'only lots that match every filter given': [
    {
      ...Object.fromEntries(Object.keys(marks).map((mark) => [mark, { ...marks, [mark]: 'other' }])),
      wanted: marks,
      wantedToo: marks,
    },
    ['Issue', { units: 3, ...marks }, notEnough(3, 2)],
    ['Issue', { units: 1, ...marks }, 'wanted'],
    ['Move', { units: 2, fromSpot: 'A', ...otherMarks, toSpot: 'B' }, notEnough(2, 1)],
    ['Move', { units: 1, fromSpot: 'A', ...otherMarks, toSpot: 'B' }, 'wantedToo'],
    ['Issue', { units: 3, spot: 'A' }, 'serial, serial2, rfidTag'],
  ],
  'an empty spot as a filter means lots without a spot': [
    { there: { spot: 'A' }, bare: {} },
    ['Issue', { units: 1, spot: '' }, 'bare'],
  ],
  'only the lot that is named': [
    { first: { units: 5 }, second: { units: 5, spot: 'B' } },
    ['Issue', { units: 2, recno: 'second' }, 'second'],
    ['Issue', { units: 4, recno: 'second' }, notEnough(4, 3)],
    ['Issue', { units: 3, recno: 'second', spot: 'B' }, 'second'],
    ['Issue', { units: 1, recno: 'second' }, notEnough(1, 0)],
    ['Move', { units: 1, recno: 'first', fromSpot: '', toSpot: 'B' }, 'first'],
  ],
  'no lot of another warehouse': [
    { other: { units: 5, wid: 2 } },
    ['Issue', { units: 1 }, notEnough(1, 0)],
    ['Move', { units: 1, toSpot: 'B' }, notEnough(1, 0)],
  ],
  'Move: no lot that is at the destination already': [
    { there: { units: 5, spot: 'B' }, away: { spot: 'A' } },
    ['Move', { units: 2, toSpot: 'B' }, notEnough(2, 1)],
    ['Move', { units: 1, toSpot: 'B' }, 'away'],
  ],
  'Move: to the same spot of another warehouse': [
    { away: { spot: 'A', wid: 2 }, here: { spot: 'A' } },
    ['Move', { units: 1, fromSpot: 'A', toSpot: 'A', shipToWid: 2 }, 'here'],
  ],
  'Count: a lot that is named, even if it has expired': [
    { expired: { units: 4, expires: '2020-01-01' }, other: { units: 4 } },
    ['Count', { counted: 1, recno: 'expired' }, 'expired'],
    ['Count', { counted: 6, recno: 'other' }, 'other'],
  ],
};

async function receiveAll(stock: ItemStock, lots: Lots) {
  const named = new Map<string, number>();
  for (const [name, { units = 1, hold, ...fields }] of Object.entries(lots)) {
    named.set(name, await stock.addLot(units, fields));
    if (hold) await stock.hold(named.get(name)!);
  }
  return named;
}

/** The names of the lots that a call took, in order. */
function takenBy(body: { lots: { recNo: number; fromRecNo?: number }[] }, named: Map<string, number>) {
  const names = new Map([...named].map(([name, recNo]) => [recNo, name]));
  return body.lots.map(({ recNo, fromRecNo }) => names.get(fromRecNo ?? recNo)).join(', ');
}

test.for(Object.entries(cases))('%s', async ([, [lots, ...steps]], { stock }) => {
  const named = await receiveAll(stock, lots);
  for (const [call, { recno, ...fields }, taken] of steps) {
    const asked = { ...fields, ...(recno !== undefined && { recno: named.get(recno) }) };
    const answer = await stock.call(call, asked);
    if (typeof taken === 'object') expectAnswer(answer, 409, taken);
    else expect(takenBy(answer.body, named), answer.text).toBe(taken);
  }
});

test('a lot that expires today is good through the end of that day', async () => {
  const client = await service.client();
  const utcDay = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  for (let day = ''; day !== utcDay(0); ) {
    // Once more if midnight passed meanwhile.
    day = utcDay(0);
    const stock = stockOf(service, client, await service.item());
    const lots = { yesterday: { expires: utcDay(-1) }, never: {}, today: { expires: day } };
    const named = await receiveAll(stock, lots);
    const refused = await stock.call('Issue', { units: 3 });
    const moved = await stock.call('Move', { units: 3, toSpot: 'B' });
    const issued = await stock.call('Issue', { units: 1 });
    if (day !== utcDay(0)) continue;
    expectAnswer(refused, 409, notEnough(3, 2, '1 expired'));
    expect(takenBy(moved.body, named)).toBe('today, never, yesterday');
    expect(takenBy(issued.body, named)).toBe('today');
  }
});

test('Move, received: a date matches that UTC day, a datetime that second', async ({ stock }) => {
  const recNo = await stock.addLot(4, { spot: 'A' });
  await service.sql`update lot set received = '2026-01-31T23:59:59.700Z' where rec_no = ${recNo}`;
  const move = (received: string) => stock.call('Move', { units: 1, fromSpot: 'A', received, toSpot: 'B' });
  for (const other of ['2026-01-30', '2026-02-01', '2026-01-31T23:59:58Z', '2026-01-31T23:59:59+01:00'])
    expectAnswer(await move(other), 409, notEnough(1, 0));
  // The last as the list writes it.
  const same = ['2026-01-31', '2026-01-31T23:59:59', '2026-02-01T00:59:59+01:00', '2026-01-31T23:59:59.700Z'];
  for (const received of same) expect((await move(received)).status, received).toBe(200);
});

test('more lots than the first look reads', async ({ client, itemID, stock }) => {
  const operations = Array(40).fill(receiveOf(itemID, 1));
  await client.post('/Inventory/Batch', { mode: 'atomic', operations });
  const { lots } = await stock.done('Issue', { units: 39.5 });
  expect(lots).toHaveLength(40);
  expect(lots.at(-1)).toMatchObject({ units: 0.5, remaining: 0.5 });
});

test('409: "at least 1000 on hold" when there are too many to count', async ({ stock }) => {
  const { lot } = await stock.done('Receive', { units: 1 });
  await service.sql.begin(async (tx) => {
    await tx`
      insert into lot (part_no, wid, units, received, hold, modified)
      select ${lot.partNo}, 1, 1, now(), true, now() from generate_series(1, 1500)`;
    await tx`
      with received as (
        insert into stock_transaction (request_id, client_id, kind, body, status, result)
        values (gen_random_uuid(), 'tests', 'receive', '{}', 'applied', '{}')
        returning transaction_no
      )
      insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta, balance)
      select transaction_no, row_number() over (), rec_no, part_no, wid, spot, units, units
      from lot, received
      where part_no = ${lot.partNo} and hold`;
    await tx`update stock_level set in_stock = 1501, on_hold = 1500 where part_no = ${lot.partNo}`;
  });
  expectAnswer(await stock.call('Issue', { units: 2 }), 409, notEnough(2, 1, 'at least 1000 on hold'));
});
