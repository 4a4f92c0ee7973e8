import { alreadyReversed, isReversal, lotOnHold, unitsElsewhere, unitsGone } from '../contract/conflict.ts';
import type { Refusal } from '../contract/refused.ts';
import type { ReverseRequest } from '../contract/reverse.ts';
import type { Quantity } from '../quantity.ts';
import {
  adjust,
  type Batch,
  change,
  type Entry,
  type LotState,
  type PastEntry,
  recNoOf,
  refuseLevel,
  refuseLot,
} from './batch.ts';
import { applied, type Decision, undecided } from './decision.ts';
import type { Original } from './request.ts';
import { less, plus, shareOf } from './weights.ts';

const refused = (refusal: Refusal): Decision => ({ status: 'refused', refusal });

/**
 * Applies the exact opposite of a transaction to the same lots, each where the transaction left it,
 * completely or not at all. Refused if it was reversed before, or if units have moved since.
 */
export function reverse(batch: Batch, { transactionNo: reverses }: ReverseRequest, of: Original): Decision {
  if (of.kind === 'reverse') return refused(isReversal(reverses));
  const past = batch.past.get(reverses);
  if (past === undefined) return undecided;
  if (past.isReversed) return refused(alreadyReversed(reverses));
  const steps = of.kind === 'move' ? stepsBack(past.entries) : past.entries.map(opposite);
  const refusal = refuse(batch, steps);
  if (refusal !== null) return refused(refusal);
  // From here on it must succeed.
  past.isReversed = true;
  const entries = steps.flatMap((step) => undo(batch, step));
  const lots = gainsOf(entries);
  return applied(entries, (transactionNo) => ({
    recNo: lots[0] === undefined ? null : recNoOf(lots[0].lot),
    status: 'reversed',
    transactionNo,
    reverses,
    lots: lots.map(({ lot, gain, remaining }) => ({ recNo: recNoOf(lot), units: gain, remaining })),
  }));
}

/** Units that leave a lot, come back to one, or both: moved units go back to their source. */
type Step = { units: Quantity; from: Place | null; to: Place | null };
type Place = { lot: LotState; spot: string };

function opposite({ lot, spot, delta }: PastEntry): Step {
  return delta > 0n
    ? { units: delta, from: { lot, spot }, to: null }
    : { units: -delta, from: null, to: { lot, spot } };
}

/** A move has two lines for each lot: the units that leave, then the units that arrive. */
function stepsBack(entries: readonly PastEntry[]): Step[] {
  const steps: Step[] = [];
  for (let index = 0; index + 1 < entries.length; index += 2) {
    const out = entries[index]!;
    const into = entries[index + 1]!;
    steps.push({ units: into.delta, from: into, to: out });
  }
  return steps;
}

function refuse(batch: Batch, steps: readonly Step[]): Refusal | null {
  let more = 0n;
  for (const { units, from, to } of steps) {
    const refusal =
      (from && refuseTaking(from, units, to)) ??
      (to && to.lot !== from?.lot ? refuseGiving(to, units, from) : null);
    if (refusal !== null) return refusal;
    if (to !== null && to.lot.wid !== from?.lot.wid) more += units;
  }
  // All lots of a transaction that receive units from elsewhere have the same gate.
  const gate = steps.find(({ to }) => to !== null)?.to?.lot;
  return gate === undefined ? null : refuseLevel(batch, gate.partNo, gate.wid, more);
}

function refuseTaking({ lot, spot }: Place, units: Quantity, to: Place | null): Refusal | null {
  // A whole lot that moved inside its warehouse goes back as a whole.
  if (lot.units < units || (to?.lot === lot && lot.units !== units)) {
    return unitsGone(lot.recNo, units, lot.units);
  }
  if (lot.spot !== spot) return unitsElsewhere(lot.recNo, lot.units, lot.spot, spot);
  return lot.hold && to === null ? onHold(lot) : null;
}

function refuseGiving({ lot, spot }: Place, units: Quantity, from: Place | null): Refusal | null {
  const refusal = refuseLot(lot, units);
  if (refusal !== null) return refusal;
  // A shipped lot is in stock again where its units left it, because it has no other units.
  if (lot.units === 0n) return null;
  if (lot.spot !== spot) return unitsElsewhere(lot.recNo, lot.units, lot.spot, spot);
  // Otherwise units would lose their hold, or get one that was never set.
  if (from !== null && from.lot.hold !== lot.hold) return onHold(from.lot.hold ? from.lot : lot);
  return null;
}

const onHold = (lot: LotState): Refusal => lotOnHold(lot.recNo, lot.units);

function undo(batch: Batch, { units, from, to }: Step): Entry[] {
  if (from !== null && from.lot === to?.lot) {
    const { lot } = from;
    lot.spot = to.spot;
    change(batch, lot);
    const place = { lot, wid: lot.wid };
    return [
      { ...place, spot: from.spot, delta: -units, balance: 0n },
      { ...place, spot: to.spot, delta: units, balance: units },
    ];
  }
  const entries: Entry[] = [];
  const isHeld = from?.lot.hold === true;
  if (from !== null) {
    if (to !== null) {
      giveWeights(from.lot, to.lot, units);
      giveTag(from.lot, to.lot);
    }
    entries.push(changeUnits(batch, from.lot, -units));
  }
  if (to !== null) {
    if (isHeld && !to.lot.hold) {
      // The lot lost its hold when it became empty. The units still have it.
      to.lot.hold = true;
      to.lot.holdOf = from!.lot.holdOf ?? from!.lot;
    }
    if (to.lot.units === 0n) to.lot.spot = to.spot;
    entries.push(changeUnits(batch, to.lot, units));
  }
  return entries;
}

function giveWeights(from: LotState, to: LotState, units: Quantity): void {
  const net = shareOf(from.netWeight, units, from.units);
  const gross = shareOf(from.grossWeight, units, from.units);
  from.netWeight = less(from.netWeight, net);
  from.grossWeight = less(from.grossWeight, gross);
  to.netWeight = plus(to.netWeight, net);
  to.grossWeight = plus(to.grossWeight, gross);
}

/** A split lot has the tag of its source only if it took all of it. */
function giveTag(from: LotState, to: LotState): void {
  if (from.rfidTag === null) return;
  to.rfidTag = from.rfidTag;
  from.rfidTag = null;
}

function changeUnits(batch: Batch, lot: LotState, delta: Quantity): Entry {
  adjust(batch, lot, delta);
  return { lot, wid: lot.wid, spot: lot.spot, delta, balance: lot.units };
}

/** The units that each lot gained. Lots that got units back come first. */
function gainsOf(entries: readonly Entry[]): { lot: LotState; gain: Quantity; remaining: Quantity }[] {
  const gains = new Map<LotState, { lot: LotState; gain: Quantity; remaining: Quantity }>();
  for (const { lot, delta, balance } of entries) {
    gains.set(lot, { lot, gain: (gains.get(lot)?.gain ?? 0n) + delta, remaining: balance });
  }
  const all = [...gains.values()];
  return [...all.filter(({ gain }) => gain > 0n), ...all.filter(({ gain }) => gain <= 0n)];
}
