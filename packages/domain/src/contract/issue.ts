import { z } from 'zod';
import {
  Amount,
  Code,
  Id,
  ItemName,
  isReal,
  lengthMax,
  NamedOtherwise,
  RecordNo,
  text,
  UnitsOfLots,
} from './fields.ts';

/** `POST /Inventory/Issue`. */
export const IssueRequest = z
  .object({
    itemID: ItemName,
    units: UnitsOfLots.describe('Quantity to issue'),
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
    recno: RecordNo.optional().describe('Specific lot record to issue from'),
    line: Code.optional().describe('Order line number'),
  })
  .meta({ id: 'IssueRequest' });
export type IssueRequest = z.infer<typeof IssueRequest>;

/** 200. */
export const IssueAnswer = z
  .object({
    recNo: z.int().describe('Record number of the first lot that units were taken from'),
    status: z.literal('issued'),
    transactionNo: z.int().describe('Number of this transaction'),
    units: z.number().describe('Quantity issued'),
    lots: z.array(
      z.object({
        recNo: z.int(),
        units: z.number().describe('Units taken from this lot'),
        remaining: z.number().describe('Units left in this lot; at 0 it is shipped'),
      }),
    ),
    shortID: NamedOtherwise,
    dryRun: isReal,
  })
  .meta({ id: 'IssueAnswer' });
