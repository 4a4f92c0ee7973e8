import type { IssueRequest } from '../contract/issue.ts';
import { quantityOf } from '../quantity.ts';
import { allocate } from './allocate.ts';
import { adjust, type Batch, recNoOf } from './batch.ts';
import { applied, type Decision, itemOf, undecided } from './decision.ts';
import type { LotFilter } from './lot-filter.ts';

export function issuePick(partNo: number, request: IssueRequest): LotFilter {
  return {
    partNo,
    wid: request.wid,
    recNo: request.recno,
    spot: request.spot,
    spotField: 'spot',
    serial: request.serial,
    serial2: request.serial2,
    rfidTag: request.rfidTag,
    // An issue that names an expired lot writes it off.
    expiredToo: request.recno !== undefined,
    heldToo: false,
  };
}

/** Takes units from lots in the order of allocation, all of them or none. */
export function issue(batch: Batch, request: IssueRequest): Decision {
  const item = itemOf(batch, request.itemID);
  if ('code' in item) return { status: 'refused', refusal: item };
  const units = quantityOf(request.units);
  const parts = allocate(batch, issuePick(item.partNo, request), units);
  if (parts === 'undecided') return undecided;
  if ('code' in parts) return { status: 'refused', refusal: parts };
  // From here on it must succeed.
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
      balance: part.remaining,
    })),
    (transactionNo) => ({
      recNo: recNoOf(parts[0]!.lot),
      status: 'issued',
      transactionNo,
      units,
      lots: taken.map((part) => ({
        recNo: recNoOf(part.lot),
        units: part.units,
        remaining: part.remaining,
      })),
    }),
  );
}
