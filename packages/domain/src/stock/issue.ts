import { z } from 'zod';
import { Amount, Code, Id, lengthMax, name, text, Units } from '../fields.ts';
import { quantityOf } from '../quantity.ts';
import { allocate, type Pick } from './allocate.ts';
import { adjust, type Batch } from './batch.ts';
import { applied, type Decision, itemOf, undecided } from './decision.ts';

/** `POST /Inventory/Issue`. */
export const IssueRequest = z
  .object({
    itemID: name(lengthMax.shortId).describe('Item ShortID'),
    units: Units.describe('Quantity to issue'),
    wid: Id.describe('Source warehouse ID'),
    reasonCode: Code.describe('Reason code of the adjustment'),
    spot: text(lengthMax.label).optional().describe('Bin/location to issue from'),
    serial: text(lengthMax.label).optional().describe('Serial/lot number'),
    serial2: text(lengthMax.label).optional().describe('Secondary serial'),
    rfidTag: text(lengthMax.label).optional().describe('RFID tag'),
    reference: text(lengthMax.label).optional().describe('External reference'),
    remark: text(lengthMax.remark).optional().describe('Notes'),
    netWeight: Amount.optional().describe('Net weight'),
    shipto: Code.optional().describe('Ship-to customer ID'),
    prodID: text(lengthMax.label).optional().describe('Production/assembly ID'),
    recno: Id.optional().describe('Specific lot record to issue from'),
    line: Code.optional().describe('Order line number'),
  })
  .meta({ id: 'IssueRequest' });
export type IssueRequest = z.infer<typeof IssueRequest>;

/** 200. */
export const IssueAnswer = z
  .object({
    recNo: z.int().describe('Record number of the first lot taken from'),
    status: z.literal('issued'),
    transactionNo: z.int().describe('Number of this transaction'),
    units: z.number().describe('Quantity issued'),
    lots: z.array(
      z.object({
        recNo: z.int(),
        units: z.number().describe('Taken from this lot'),
        remaining: z.number().describe('Left in this lot; at 0 it is shipped'),
      }),
    ),
  })
  .meta({ id: 'IssueAnswer' });

export function issuePick(partNo: number, request: IssueRequest): Pick {
  return {
    partNo,
    wid: request.wid,
    recNo: request.recno,
    spot: request.spot,
    spotField: 'spot',
    serial: request.serial,
    serial2: request.serial2,
    rfidTag: request.rfidTag,
    // Named, it is written off.
    expiredToo: request.recno !== undefined,
    heldToo: false,
  };
}

/** Takes units out of lots in the order of allocation; all of them or none. */
export function issue(batch: Batch, request: IssueRequest): Decision {
  const item = itemOf(batch, request.itemID);
  if ('code' in item) return { status: 'refused', refusal: item };
  const units = quantityOf(request.units);
  const parts = allocate(batch, issuePick(item.partNo, request), units);
  if (parts === 'undecided') return undecided;
  if ('code' in parts) return { status: 'refused', refusal: parts };
  // After this point it must succeed.
  const taken = parts.map((part) => {
    adjust(batch, part.lot, -part.units);
    return { ...part, remaining: part.lot.units };
  });
  return applied(
    taken.map((part) => ({
      lot: part.lot,
      wid: part.lot.wid,
      spot: part.lot.spot,
      delta: -part.units,
    })),
    (transactionNo) => ({
      recNo: parts[0]!.lot.recNo,
      status: 'issued',
      transactionNo,
      units,
      lots: taken.map((part) => ({
        recNo: part.lot.recNo,
        units: part.units,
        remaining: part.remaining,
      })),
    }),
  );
}
