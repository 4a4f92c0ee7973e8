import type { ReceiveRequest } from '../contract/receive.ts';
import { formatDateTime, parseDateTime } from '../date-time.ts';
import { type Decimal, type Quantity, quantityOf } from '../quantity.ts';
import { addLot, adjust, type Batch, recNoOf, refuseLevel } from './batch.ts';
import { applied, type Decision, itemOf } from './decision.ts';

/** Always creates a new lot. Refused only if the item does not exist or its level cannot hold this much. */
export function receive(batch: Batch, request: ReceiveRequest): Decision {
  const item = itemOf(batch, request.itemID);
  if ('code' in item) return { status: 'refused', refusal: item };
  const units = quantityOf(request.units);
  const refusal = refuseLevel(batch, item.partNo, request.wid, units);
  if (refusal !== null) return { status: 'refused', refusal };
  // From here on it must succeed.
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
  return applied([{ lot, wid: lot.wid, spot: lot.spot, delta: units, balance: units }], (transactionNo) => ({
    recNo: recNoOf(lot),
    status: 'received',
    transactionNo,
    lot: {
      recNo: recNoOf(lot),
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

/** The last moment of a lot. A date means the end of its UTC day, so that answers show the same date. */
function expiryOf(text: string): number {
  const parsed = parseDateTime(text);
  if (parsed === null) throw new RangeError(`not a datetime: ${text}`);
  return parsed.precision === 'day' ? parsed.at + 86_400_000 - 1 : parsed.at;
}

function weightOf(weight: Decimal | undefined): Quantity | null {
  return weight === undefined ? null : quantityOf(weight);
}

/**
 * Blank means own stock. The contract has no source of customer names, so another owner is shown as its id.
 */
function associateOf(owner: number): string {
  return owner === 0 ? '' : String(owner);
}
