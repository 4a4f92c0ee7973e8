import type { Quantity } from '../quantity.ts';
import {
  lotDiffers,
  namedLotOnHold,
  notEnough as notEnoughStock,
  tooManyLotsForUnits,
  tooManyToLookAt,
  type Untaken,
} from '../refusals/conflict.ts';
import { invalid, type Refusal } from '../refusals/refused.ts';
import { allocationOrder, type Batch, gateKey, isExpired, type LotState, type Tally } from './batch.ts';
import { askKey, type LotFilter, pickKey } from './lot-filter.ts';

export type Taking = { lot: LotState; units: Quantity };

/** The most lots that one transaction may take. This bounds the time for which its gates are locked. */
export const lotsPerTransactionMax = 1000;

/** The most lots that may be examined to find those of one transaction, by all of its fields together. */
export const lotsLookedAtMax = 10_000;

const tooMany = tooManyToLookAt(lotsLookedAtMax);

/**
 * Selects the lots that give `units`, in the order of allocation, with the part taken from each. Changes
 * nothing. Refuses with `validation_error` if the named lot does not belong to the item and warehouse.
 * Refuses with `conflict` if the named lot is on hold, does not match the other filters or has too few units;
 * if all matching lots together have too few; if more than {@link lotsPerTransactionMax} lots are needed; or
 * if more than {@link lotsLookedAtMax} must be examined. `undecided` if it needs lots that this batch has not
 * read; as the first request of another batch it will be decided.
 */
export function allocate(batch: Batch, pick: LotFilter, units: Quantity): Taking[] | Refusal | 'undecided' {
  const candidates = candidatesOf(batch, pick, units);
  if ('code' in candidates) return candidates;
  const key = pickKey(pick);
  if (batch.unread.has(key)) return batch.cut.has(key) ? tooMany : 'undecided';
  const horizon = batch.horizons.get(key);
  const order = allocationOrder(batch.now);
  const parts: Taking[] = [];
  let missing = units;
  for (const lot of candidates) {
    batch.looks += 1;
    if (!matches(lot, pick, batch.now)) continue;
    // Unread lots may come before this one.
    if (horizon !== undefined && order(lot, horizon) > 0) break;
    const taken = lot.units < missing ? lot.units : missing;
    parts.push({ lot, units: taken });
    missing -= taken;
    if (missing > 0n) continue;
    if (parts.length <= lotsPerTransactionMax) return parts;
    return tooManyLots(parts, { lots: parts.length, units, more: false }, units);
  }
  if (horizon === undefined) return notEnough(batch, pick, units, units - missing);
  if (batch.cut.has(key)) return tooMany;
  const tally = batch.tallies.get(askKey(pick, units));
  // The tally was counted before the batch changed anything.
  if (tally === undefined || batch.touched.has(gateKey(pick.partNo, pick.wid))) return 'undecided';
  if (tally.units < units && !tally.more) return notEnough(batch, pick, units, tally.units);
  return tooManyLots(parts, tally, units);
}

/**
 * All matching lots in stock, in the order of allocation. A lot named by its recNo is returned whatever its
 * state. At most one more than {@link lotsPerTransactionMax}, which means too many. Refuses if the named lot
 * does not belong to the item and warehouse, or does not match the other filters.
 */
export function lotsMatching(batch: Batch, pick: LotFilter): readonly LotState[] | Refusal | 'undecided' {
  const candidates = candidatesOf(batch, pick, 0n);
  if ('code' in candidates || pick.recNo !== undefined) return candidates;
  const key = pickKey(pick);
  if (batch.unread.has(key)) return batch.cut.has(key) ? tooMany : 'undecided';
  batch.looks += candidates.length;
  const matching = candidates.filter((lot) => matches(lot, pick, batch.now));
  if (matching.length > lotsPerTransactionMax) return matching.slice(0, lotsPerTransactionMax + 1);
  if (!batch.horizons.has(key)) return matching;
  return batch.cut.has(key) ? tooMany : 'undecided';
}

function notEnough(batch: Batch, pick: LotFilter, asked: Quantity, available: Quantity): Refusal {
  const refusal = notEnoughStock(asked, available, nothingUntaken);
  // A named lot is the only one that can match.
  if (pick.recNo !== undefined) return refusal;
  const changed = untakenByBatch(batch, pick);
  const complete = ({ held, expired, atDestination, ...more }: Untaken) => {
    const untaken = {
      held: held + changed.held,
      expired: expired + changed.expired,
      atDestination: atDestination + changed.atDestination,
      ...more,
    };
    Object.assign(refusal, notEnoughStock(asked, available, untaken));
  };
  batch.shortages.push({ pick, complete });
  return refusal;
}

const nothingUntaken: Untaken = {
  ...{ held: 0n, expired: 0n, more: false },
  ...{ atDestination: 0n, moreAtDestination: false },
};

/** Further units that cannot be taken because of changes by this batch. */
function untakenByBatch(batch: Batch, pick: LotFilter): Untaken {
  const now = { ...nothingUntaken };
  const anywhere = { ...pick, notAtSpot: undefined };
  const add = (lot: LotState, sign: 1n | -1n) => {
    if (!matchesFields(lot, anywhere)) return;
    if (lot.spot === pick.notAtSpot) {
      if (!lot.hold) now.atDestination += sign * lot.units;
      return;
    }
    if (lot.hold) now.held += sign * lot.units;
    else if (!pick.expiredToo && isExpired(lot, batch.now)) now.expired += sign * lot.units;
  };
  for (const lot of batch.lots.get(gateKey(pick.partNo, pick.wid)) ?? []) {
    if (!lot.changed) continue;
    if (lot.origin.kind === 'stored') add({ ...lot, ...lot.origin }, -1n);
    add(lot, 1n);
  }
  return now;
}

function tooManyLots(parts: readonly Taking[], { lots, more }: Tally, units: Quantity): Refusal {
  const first = parts.slice(0, lotsPerTransactionMax).reduce((sum, part) => sum + part.units, 0n);
  return tooManyLotsForUnits(units, lots, more, lotsPerTransactionMax, first);
}

function candidatesOf(batch: Batch, pick: LotFilter, asked: Quantity): readonly LotState[] | Refusal {
  if (pick.recNo === undefined) return batch.lots.get(gateKey(pick.partNo, pick.wid)) ?? [];
  const lot = batch.lotsByRecNo.get(pick.recNo);
  // The same text for all three cases, so that it reveals nothing about lots in other warehouses.
  if (lot === undefined || lot.partNo !== pick.partNo || lot.wid !== pick.wid) {
    return invalid({ recno: ['is not a lot of this item in this warehouse.'] });
  }
  if (lot.hold && !pick.heldToo) return namedLotOnHold(lot.recNo, asked, lot.units);
  if (lot.units > 0n && pick.notAtSpot !== undefined && lot.spot === pick.notAtSpot) {
    return invalid({ toSpot: ['must differ from where the lot is.'] });
  }
  const unmatched = unmatchedFields(lot, pick);
  if (unmatched.length > 0) return lotDiffers(lot.recNo, lot.units, unmatched);
  return [lot];
}

/** Whether a lot may be taken. The statement that reads candidates checks the same conditions. */
function matches(lot: LotState, pick: LotFilter, now: number): boolean {
  return (
    lot.units > 0n &&
    (pick.heldToo || !lot.hold) &&
    (pick.expiredToo || !isExpired(lot, now)) &&
    matchesFields(lot, pick)
  );
}

function matchesFields(lot: LotState, pick: LotFilter): boolean {
  // Named one by one for speed: this runs for each lot and each operation of a batch.
  const { spot, serial, serial2, rfidTag } = pick;
  return (
    (spot === undefined || lot.spot === spot) &&
    (serial === undefined || lot.serial === serial) &&
    (serial2 === undefined || lot.serial2 === serial2) &&
    (rfidTag === undefined || lot.rfidTag === rfidTag) &&
    isReceivedWithin(lot, pick) &&
    (pick.notAtSpot === undefined || lot.spot !== pick.notAtSpot)
  );
}

const fields = ['spot', 'serial', 'serial2', 'rfidTag'] as const;

function hasField(lot: LotState, pick: LotFilter, field: (typeof fields)[number]): boolean {
  return pick[field] === undefined || lot[field] === pick[field];
}

function isReceivedWithin(lot: LotState, { received }: LotFilter): boolean {
  return received === undefined || (lot.received >= received[0] && lot.received < received[1]);
}

/** The filters, named as in the request, that a lot named by its recNo does not match. */
function unmatchedFields(lot: LotState, pick: LotFilter): string[] {
  const unmatched = fields.filter((field) => !hasField(lot, pick, field));
  return [
    ...unmatched.map((field) => (field === 'spot' ? pick.spotField : field)),
    ...(isReceivedWithin(lot, pick) ? [] : ['received']),
  ];
}
