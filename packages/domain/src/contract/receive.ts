import { z } from 'zod';
import { Amount, Code, DateTimeText, Id, ItemName, isReal, lengthMax, text, Units } from './fields.ts';
import { Lot } from './lot.ts';

/** `POST /Inventory/Receive`. */
export const ReceiveRequest = z
  .object({
    itemID: ItemName,
    units: Units.describe('Quantity received'),
    wid: Id.describe('Destination warehouse ID'),
    reasonCode: Code.describe('Reason code of the adjustment'),
    spot: text(lengthMax.label).optional().describe('Bin/location'),
    serial: text(lengthMax.label).optional().describe('Serial or lot number'),
    serial2: text(lengthMax.label).optional().describe('Secondary serial'),
    rfidTag: text(lengthMax.label).optional().describe('RFID tag'),
    reference: text(lengthMax.label).optional().describe('External reference, such as a PO number'),
    remark: text(lengthMax.remark).optional().describe('Notes'),
    netWeight: Amount.optional().describe('Net weight'),
    grossWeight: Amount.optional().describe('Gross weight'),
    price: Amount.optional().describe('Unit cost'),
    expires: DateTimeText.optional().describe(
      'Expiration; without an offset, UTC. A date is good through that day, and kept as its last millisecond.',
    ),
    supplier: Code.optional().describe('Vendor/supplier ID'),
    line: Code.optional().describe('PO line number when receiving against a PO'),
    jobid: Code.optional().describe('Job/project ID'),
  })
  .meta({ id: 'ReceiveRequest' });
export type ReceiveRequest = z.infer<typeof ReceiveRequest>;

/** 201. */
export const ReceiveAnswer = z
  .object({
    recNo: z.int().describe('Record number of the new lot'),
    status: z.literal('received'),
    transactionNo: z.int().describe('Number of this transaction'),
    lot: Lot,
    dryRun: isReal,
  })
  .meta({ id: 'ReceiveAnswer' });
