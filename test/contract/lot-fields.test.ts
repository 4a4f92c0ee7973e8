import { readFullLot } from '@inventory/db/operator/ledger';
import { ReceiveRequest } from '@inventory/domain/kinds/receive';
import { FullLot } from '@inventory/domain/lot';
import { expect, test } from 'vitest';
import { untilTaken } from '../harness/contract/answers.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

// A field of a receipt does not compile without a value here: all values differ, and none is the default.
const everything = {
  ...{
    units: 12,
    wid: 1,
    reasonCode: 41,
    spot: 'SPOT',
    serial: 'SERIAL',
    serial2: 'SERIAL2',
    rfidTag: 'TAG',
  },
  ...{ reference: 'REFERENCE', remark: 'REMARK', netWeight: 24, grossWeight: 36, price: 4.25 },
  ...{ expires: '2031-05-06', supplier: 42, line: 43, jobid: 44 },
} satisfies Required<Omit<ReceiveRequest, 'itemID'>>;

// The fields that part of a lot, or a lot in another place, has for itself.
const ofEach = [
  ...['rec_no', 'from_rec_no', 'wid', 'spot', 'units', 'rfid_tag', 'net_weight', 'gross_weight'],
  ...['shipped', 'active', 'modified'],
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
  expect(shown).toMatchObject({
    ...{ units: 8, wID: 1, reasonCode: 41, spot: 'SPOT' },
    ...{ serial: 'SERIAL', serial2: 'SERIAL2', rFIDTag: 'TAG' },
    ...{ reference: 'REFERENCE', remark: 'REMARK', netWeight: 16, grossWeight: 24, price: 4.25 },
    ...{ expires: '2031-05-06T23:59:59.999Z', supplier: 42, line: 43, jobID: 44, associate: '45' },
  });
  // The command line shows all fields of a lot, and the owner as a number.
  const told = (await readFullLot(service.sql, recNo))!;
  expect(Object.keys(told).sort()).toEqual([...Object.keys(FullLot.shape), 'owner'].sort());
  for (const [field, value] of Object.entries(shown)) {
    expect([field, String(told[field])]).toEqual([field, String(value)]);
  }
});
