import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFullLot } from '@inventory/db/operator/ledger';
import { ReceiveRequest } from '@inventory/domain/kinds/receive';
import { FullLot } from '@inventory/domain/lot';
import { fieldRows } from '@inventory/domain/lot-fields';
import { expect, test } from 'vitest';
import { untilTaken } from '../harness/contract/answers.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

// All values differ, and none is the default. Moves leave two thirds of weights.
const values = {
  text: (index: number) => `TEXT ${index}`,
  integer: (index: number) => 100 + index,
  numeric: (index: number) => 12.75 + 3 * index,
  timestamptz: () => '2031-05-06',
  boolean: () => true,
};
const sent = fieldRows
  .filter((row) => row.sent !== undefined)
  .map((row, index) => ({ ...row, value: values[row.type](index) }));
const everything = {
  ...{ units: 12, wid: 1, reasonCode: 41 },
  ...Object.fromEntries(sent.map(({ name, value }) => [name, value])),
};

// The columns that part of a lot, or a lot in another place, has for itself.
const ofEach = [
  ...['rec_no', 'from_rec_no', 'wid', 'units', 'shipped', 'active', 'modified'],
  ...sent.filter(({ isKept }) => !isKept).map(({ column }) => column),
];
// The fields that no receipt gives.
const notReceived = ['from_rec_no', 'hold', 'hold_reason', 'shipped'];

test('every field of a receipt is stored, shown, and kept in all lots that moves split off, in its batch and later', async () => {
  const client = await service.client();
  const itemID = await service.item({ dfltOwner: 45 });
  expect([...Object.keys(everything), 'itemID'].sort()).toEqual(Object.keys(ReceiveRequest.shape).sort());
  const move = { op: 'move', itemID, units: 1, wid: 1 };
  const send = (operations: object[]) =>
    untilTaken(() => client.post('/Inventory/Batch', { mode: 'atomic', operations }));
  const received = await send([
    { op: 'receive', itemID, ...everything },
    { ...move, toSpot: 'SAME BATCH' },
    { ...move, shipToWid: 2 },
  ]);
  expect(received.status, received.text).toBe(200);
  const { recNo } = received.body.results[0].body;
  const later = await send([
    { ...move, recno: recNo, toSpot: 'LATER' },
    { ...move, recno: recNo, shipToWid: 2, toSpot: 'LATER' },
  ]);
  expect(later.status, later.text).toBe(200);

  const lots = await service.sql`
    select lot.* from lot join item using (part_no) where short_id = ${itemID} order by rec_no`;
  expect(lots).toHaveLength(5);
  const source = lots.find(({ rec_no }) => Number(rec_no) === recNo)!;
  const isWithout = ([, value]: [string, unknown]) => value === null || value === '' || value === false;
  const empty = Object.entries(source).filter(isWithout);
  expect(empty.map(([column]) => column).sort()).toEqual([...notReceived].sort());
  const alike = (lot: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(lot).filter(([column]) => !ofEach.includes(column)));
  for (const lot of lots) expect(alike(lot)).toEqual(alike(source));

  const { history: _, ...shown } = (await client.get(`/Inventory/Lots/${recNo}`)).body;
  expect(Object.keys(shown).sort()).toEqual(Object.keys(FullLot.shape).sort());
  const left = ({ type, isKept, value }: (typeof sent)[number]) => {
    if (type === 'timestamptz') return '2031-05-06T23:59:59.999Z';
    return type === 'numeric' && !isKept ? (Number(value) * 8) / 12 : value;
  };
  expect(shown).toMatchObject({
    ...{ units: 8, wID: 1, reasonCode: 41, associate: '45' },
    ...Object.fromEntries(sent.map((row) => [row.shownAs, left(row)])),
  });
  // The command line shows all fields of a lot, and the owner as a number.
  const told = (await readFullLot(service.sql, recNo))!;
  expect(Object.keys(told).sort()).toEqual([...Object.keys(FullLot.shape), 'owner'].sort());
  for (const [field, value] of Object.entries(shown)) {
    expect([field, String(told[field])]).toEqual([field, String(value)]);
  }
});

test('the page for people has a word for every field that describes a lot', () => {
  const page = readFileSync(join(import.meta.dirname, '../../apps/console/page/views/lot.js'), 'utf8');
  const named = [...page.matchAll(/^ {2}\['(\w+)', '/gm)].map(([, name]) => name);
  // A mark shows the hold.
  const fields = fieldRows.map(({ shownAs }) => shownAs).filter((name) => name !== 'hold');
  expect(named).toEqual(expect.arrayContaining(fields));
});
