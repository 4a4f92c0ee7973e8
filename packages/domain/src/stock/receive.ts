import { z } from 'zod';
import { formatDateTime, lastMoment, parseDateTime } from '../date-time.ts';
import { Amount, Code, DateTimeText, Id, lengthMax, name, text, Units } from '../fields.ts';
import { Lot } from '../lot.ts';
import { type Quantity, quantityOf } from '../quantity.ts';
import { addLot, adjust, type Batch, hasRoom } from './batch.ts';
import { applied, type Decision, itemOf, noRoom } from './decision.ts';

/** `POST /Inventory/Receive`. */
export const ReceiveRequest = z
  .object({
    itemID: name(lengthMax.shortId).describe('Item ShortID'),
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
      'Expiration; without an offset, UTC. A date is good through the end of that day.',
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
  })
  .meta({ id: 'ReceiveAnswer' });

/** Makes a new lot, always. Refused only when the item does not exist, or its level cannot hold so much. */
export function receive(batch: Batch, request: ReceiveRequest): Decision {
  const item = itemOf(batch, request.itemID);
  if ('code' in item) return { status: 'refused', refusal: item };
  const units = quantityOf(request.units);
  if (!hasRoom(batch, item.partNo, request.wid, units)) return { status: 'refused', refusal: noRoom };
  // After this point it must succeed.
  const lot = addLot(batch, {
    partNo: item.partNo,
    wid: request.wid,
    spot: request.spot ?? '',
    received: batch.now,
    expires: request.expires === undefined ? null : expiryOf(request.expires),
    serial: request.serial ?? '',
    serial2: request.serial2 ?? null,
    rfidTag: request.rfidTag ?? null,
    netWeight: weightOf(request.netWeight),
    grossWeight: weightOf(request.grossWeight),
    hold: false,
    origin: { kind: 'received', request, owner: item.dfltOwner },
  });
  adjust(batch, lot, units);
  return applied([{ lot, wid: lot.wid, spot: lot.spot, delta: units }], (transactionNo) => ({
    recNo: lot.recNo,
    status: 'received',
    transactionNo,
    lot: {
      recNo: lot.recNo,
      partNo: lot.partNo,
      shortID: item.shortId,
      description: item.description,
      associate: associateOf(item.dfltOwner),
      warehouse: batch.warehouses.get(request.wid) ?? '',
      wID: request.wid,
      spot: request.spot ?? '',
      units,
      received: formatDateTime(batch.now),
      shipped: null,
      serial: lot.serial,
      serial2: lot.serial2,
      rFIDTag: request.rfidTag ?? null,
      remark: request.remark ?? '',
      hold: false,
      jobID: request.jobid ?? 0,
      jobName: null,
      active: true,
    },
  }));
}

/** The moment from which a lot counts as expired: a date is good through the end of that UTC day. */
function expiryOf(text: string): number {
  const parsed = parseDateTime(text);
  if (parsed === null) throw new RangeError(`not a datetime: ${text}`);
  return parsed.precision === 'day' ? Math.min(parsed.at + 86_400_000, lastMoment) : parsed.at;
}

function weightOf(weight: number | undefined): Quantity | null {
  return weight === undefined ? null : quantityOf(weight);
}

/** Blank means own stock; the contract names no source of customer names, so another owner shows as its id. */
export function associateOf(owner: number): string {
  return owner === 0 ? '' : String(owner);
}
