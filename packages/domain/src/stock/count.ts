import { countDiffers, heldNotCounted, tooManyLotsToCount } from '../contract/conflict.ts';
import type { CountRequest } from '../contract/count.ts';
import type { Refusal } from '../contract/refused.ts';
import { type Quantity, quantityOf } from '../quantity.ts';
import { lotsMatching, lotsPerTransactionMax } from './allocate.ts';
import {
  addLot,
  adjust,
  type Batch,
  type Entry,
  type ItemFacts,
  type LotState,
  recNoOf,
  refuseLevel,
  refuseLot,
} from './batch.ts';
import { applied, type Decision, itemOf, undecided } from './decision.ts';
import type { LotFilter } from './lot-filter.ts';

/**
 * The lots that a count covers, including expired ones. A lot named by its recNo is covered whatever its
 * state.
 */
export function countPick(partNo: number, request: CountRequest): LotFilter {
  return {
    partNo,
    wid: request.wid,
    recNo: request.recno,
    spot: request.spot,
    spotField: 'spot',
    serial: request.serial,
    expiredToo: true,
    heldToo: true,
  };
}

/**
 * Sets the stock at a place to the counted quantity. Missing units are taken in the order of allocation,
 * never from a lot on hold. Surplus units become a new lot, or are added to the named lot.
 */
export function count(batch: Batch, request: CountRequest): Decision {
  const item = itemOf(batch, request.itemID);
  if ('code' in item) return { status: 'refused', refusal: item };
  const lots = lotsMatching(batch, countPick(item.partNo, request));
  if (lots === 'undecided') return undecided;
  if ('code' in lots) return { status: 'refused', refusal: lots };
  const before = lots.reduce((sum, lot) => sum + lot.units, 0n);
  const refusal = refuseCount(batch, request, item, lots, before);
  if (refusal !== null) return { status: 'refused', refusal };
  // From here on it must succeed.
  const counted = quantityOf(request.counted);
  const difference = counted - before;
  const changed =
    difference < 0n ? takeOut(batch, lots, -difference) : putIn(batch, request, item, lots, difference);
  return applied(changed, (transactionNo) => ({
    recNo: changed[0] === undefined ? null : recNoOf(changed[0].lot),
    status: 'counted',
    transactionNo,
    before,
    counted,
    difference,
    lots: changed.map(({ lot, delta, balance }) => ({
      recNo: recNoOf(lot),
      units: delta,
      remaining: balance,
    })),
  }));
}

function refuseCount(
  batch: Batch,
  request: CountRequest,
  item: ItemFacts,
  lots: readonly LotState[],
  before: Quantity,
): Refusal | null {
  if (lots.length > lotsPerTransactionMax) return tooManyLotsToCount(lotsPerTransactionMax);
  const { expected } = request;
  if (expected !== undefined && quantityOf(expected) !== before) {
    return countDiffers(quantityOf(expected), before);
  }
  const counted = quantityOf(request.counted);
  if (counted > before) {
    const more = counted - before;
    const lot = request.recno === undefined ? null : lots[0]!;
    return refuseLot(lot, more) ?? refuseLevel(batch, item.partNo, request.wid, more);
  }
  const held = lots.filter((lot) => lot.hold);
  const heldUnits = held.reduce((sum, lot) => sum + lot.units, 0n);
  if (counted === before || counted >= heldUnits) return null;
  return heldNotCounted(counted, heldUnits, held.map(recNoOf));
}

function takeOut(batch: Batch, lots: readonly LotState[], units: Quantity): Entry[] {
  const entries: Entry[] = [];
  let missing = units;
  for (const lot of lots) {
    if (missing === 0n) break;
    if (lot.hold) continue;
    const taken = lot.units < missing ? lot.units : missing;
    missing -= taken;
    entries.push(changeUnits(batch, lot, -taken));
  }
  return entries;
}

function putIn(
  batch: Batch,
  request: CountRequest,
  item: ItemFacts,
  lots: readonly LotState[],
  units: Quantity,
): Entry[] {
  if (units === 0n) return [];
  const { itemID, wid, reasonCode, remark, reference } = request;
  const lot =
    request.recno !== undefined
      ? lots[0]!
      : addLot(batch, {
          partNo: item.partNo,
          wid,
          spot: request.spot ?? '',
          received: batch.now,
          expires: null,
          serial: request.serial ?? '',
          serial2: null,
          rfidTag: null,
          netWeight: null,
          grossWeight: null,
          hold: false,
          origin: {
            kind: 'received',
            request: { itemID, units: 0, wid, reasonCode, remark, reference },
            owner: item.dfltOwner,
          },
        });
  return [changeUnits(batch, lot, units)];
}

function changeUnits(batch: Batch, lot: LotState, delta: Quantity): Entry {
  adjust(batch, lot, delta);
  return { lot, wid: lot.wid, spot: lot.spot, delta, balance: lot.units };
}
