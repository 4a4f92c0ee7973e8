import { z } from 'zod';
import { isReal, lengthMax, RecordNo, text } from '../fields.ts';
import type { Quantity } from '../quantity.ts';
import {
  alreadyReversed,
  hasNoReversal,
  isReversal,
  lotOnHold,
  unitsElsewhere,
  unitsGone,
} from '../refusals/conflict.ts';
import { invalid, type Refusal } from '../refusals/refused.ts';
import {
  type Batch,
  change,
  changeUnits,
  type Entry,
  type LotState,
  type PastEntry,
  recNoOf,
  refuseLevel,
  refuseLot,
} from '../stock/batch.ts';
import { applied, type Decision, undecided } from '../stock/decision.ts';
import { less, plus, shareOf } from '../stock/weights.ts';
import { ChangedLots, dryRunField, triedFields } from './call-schemas.ts';
import type { Kind, KindWords, Subject, Undo } from './kind.ts';
import { dryRunWords } from './words.ts';

/** `POST /Inventory/Reverse`, an extension. */
export const ReverseRequest = z
  .object({
    transactionNo: RecordNo.describe('The transaction to reverse'),
    remark: text(lengthMax.remark).optional().describe('Notes'),
    reference: text(lengthMax.label).optional().describe('External reference'),
  })
  .meta({ id: 'ReverseRequest' });
export type ReverseRequest = z.infer<typeof ReverseRequest>;

/** 200. */
export const ReverseAnswer = z
  .object({
    recNo: z.int().nullable().describe('Record number of the first of `lots`; null when there is none'),
    status: z.literal('reversed'),
    transactionNo: z.int().describe('Number of this transaction'),
    reverses: z.int().describe('Number of the reversed transaction'),
    lots: ChangedLots,
    dryRun: isReal,
  })
  .meta({ id: 'ReverseAnswer' });

const ReverseCall = ReverseRequest.safeExtend({ dryRun: dryRunField }).meta({ id: 'ReverseCall' });
const ReverseDryRun = ReverseAnswer.extend(triedFields).meta({ id: 'ReverseDryRun' });

export type Reverse = { kind: 'reverse'; body: ReverseRequest; of: Subject };

const refused = (refusal: Refusal): Decision => ({ status: 'refused', refusal });

/**
 * Applies the exact opposite of a transaction to the same lots, each where the transaction left it,
 * completely or not at all. Refused if it was reversed before, or if units have moved since.
 */
function decide(batch: Batch, { body, of }: Reverse, undoOf: (kind: string) => Undo | null): Decision {
  const { transactionNo: reverses } = body;
  const undoing = undoOf(of.kind);
  if (undoing === null)
    return refused(of.kind === 'reverse' ? isReversal(reverses) : hasNoReversal(reverses));
  const past = batch.past.get(reverses);
  if (past === undefined) return undecided;
  if (past.isReversed) return refused(alreadyReversed(reverses));
  const steps = undoing.lines === 'pairs' ? stepsBack(past.entries) : past.entries.map(opposite);
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

/** Two lines for each lot: the units that left, then the units that arrived. */
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
      to.lot.holdReason = from!.lot.holdReason;
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

/** The units that each lot gained. Lots that got units back come first. */
function gainsOf(entries: readonly Entry[]): { lot: LotState; gain: Quantity; remaining: Quantity }[] {
  const gains = new Map<LotState, { lot: LotState; gain: Quantity; remaining: Quantity }>();
  for (const { lot, delta, balance } of entries) {
    gains.set(lot, { lot, gain: (gains.get(lot)?.gain ?? 0n) + delta, remaining: balance });
  }
  const all = [...gains.values()];
  return [...all.filter(({ gain }) => gain > 0n), ...all.filter(({ gain }) => gain <= 0n)];
}

const words: KindWords<ReverseRequest, z.infer<typeof ReverseAnswer>> = {
  summary: 'Reverse a stock transaction: its exact opposite, on the same lots',
  notes: `
*Extension.* Reverses a receipt, a move, an issue or a count, completely or not at all, and only once. It needs the permission for the opposite (receive: 88,
issue: 95, move: 15, count: both) and all of its warehouses in scope. A transaction that does not exist or is out of scope: 404.

Each unit goes back into or out of its lot. A lot that a move split off is closed, and its source gets the units
back. A shipped lot is in stock again under its old \`recNo\`. If the units have moved on since, a lot is at another spot now, or
a hold is in the way: 409 with the figures. A reversal cannot be reversed, and a hold is undone by the opposite hold.${dryRunWords}`,
  bodies: { example: { summary: 'A receipt', value: { transactionNo: 17, remark: 'wrong order' } } },
  answers: {
    example: {
      summary: 'The units are gone from the lot that the receipt made',
      value: {
        ...{ recNo: 6, status: 'reversed', transactionNo: 29, reverses: 17 },
        lots: [{ recNo: 6, units: -60, remaining: 0 }],
        dryRun: false,
      },
    },
  },
  refusals: {
    fields: { summary: 'All invalid fields', refusal: invalid({ transactionNo: ['is required.'] }) },
    twice: { summary: 'Done before', refusal: alreadyReversed(6) },
    moved: { summary: 'The units are not there any more', refusal: unitsGone(6, 60_000_000n, 2_500_000n) },
    reversal: { summary: 'A reversal', refusal: isReversal(18) },
    hold: { summary: 'A hold', refusal: hasNoReversal(32) },
  },
};

export const reverse = {
  path: 'Reverse',
  isExtension: true,
  body: ReverseRequest,
  call: ReverseCall,
  answer: ReverseAnswer,
  dryRun: ReverseDryRun,
  tried: ReverseDryRun,
  since: 1,
  names: 'transaction',
  fields: { transactionNo: 1, remark: 1, reference: 1 },
  status: 200,
  permission: null,
  undo: null,
  createsLot: false,
  sum: null,
  itemID: ({ of }) => of.itemID,
  warehouses: ({ of }) => of.wids,
  pick: () => null,
  decide,
  words,
} as const satisfies Kind<Reverse>;
