import { z } from 'zod';
import {
  DateTimeText,
  Id,
  ItemName,
  isObject,
  isReal,
  lengthMax,
  NamedOtherwise,
  RecordNo,
  text,
  Units,
} from './fields.ts';

/** `POST /Inventory/Move`. */
export const MoveRequest = z
  .object({
    itemID: ItemName,
    units: Units.describe('Quantity to move'),
    wid: Id.describe('Source warehouse ID'),
    fromSpot: text(lengthMax.label).optional().describe('Source bin/location'),
    toSpot: text(lengthMax.label).optional().describe('Destination bin/location'),
    shipToWid: Id.optional().describe('Destination warehouse, for a move between warehouses'),
    transitSlip: text(lengthMax.label).optional().describe('Transit slip reference'),
    serial: text(lengthMax.label).optional().describe('Serial/lot to move'),
    serial2: text(lengthMax.label).optional().describe('Secondary serial'),
    rfidTag: text(lengthMax.label).optional().describe('RFID tag'),
    reference: text(lengthMax.label).optional().describe('External reference'),
    recno: RecordNo.optional().describe('Specific lot record to move'),
    received: DateTimeText.optional().describe(
      'Received on this UTC day (a date) or in this second (a datetime)',
    ),
  })
  .refine((body) => hasDestination(body), {
    path: ['toSpot'],
    error: 'or shipToWid must name a destination that differs from the source.',
    when: isObject,
  })
  .meta({ id: 'MoveRequest' });
export type MoveRequest = z.infer<typeof MoveRequest>;

/** 200. */
export const MoveAnswer = z
  .object({
    recNo: z.int().describe('Record number of the first destination lot'),
    status: z.literal('moved'),
    transactionNo: z.int().describe('Number of this transaction'),
    units: z.number().describe('Quantity moved'),
    lots: z.array(
      z.object({
        recNo: z.int().describe('Destination lot'),
        fromRecNo: z.int().describe('Source lot; the same lot if a whole lot moved inside its warehouse'),
        units: z.number().describe('Units moved'),
        remaining: z.number().describe('In the lot `fromRecNo` afterwards'),
        wID: z.int(),
        spot: z.string(),
      }),
    ),
    shortID: NamedOtherwise,
    dryRun: isReal,
  })
  .meta({ id: 'MoveAnswer' });

type Destination = { [F in 'wid' | 'fromSpot' | 'toSpot' | 'shipToWid']: MoveRequest[F] };

function hasDestination(body: Destination): boolean {
  if (body.shipToWid !== undefined && body.shipToWid !== body.wid) return true;
  return body.toSpot !== undefined && body.toSpot !== body.fromSpot;
}
