import { formatQuantity, type Quantity } from '../quantity.ts';
import type { ConflictFigure, ConflictReason } from './conflict-reasons.ts';

// Every 409 is made here: its reason, its figures and the sentence that is built of them.

/** A `conflict` with the current state. `figures`: each as a plain decimal text, exact. */
export type Conflict = {
  code: 'conflict';
  message: string;
  reason: ConflictReason;
  figures: { readonly [Figure in ConflictFigure]?: string };
};

type Figures = { readonly [Figure in ConflictFigure]?: Quantity | number };

function conflict<F extends Figures>(
  reason: ConflictReason,
  figures: F,
  text: (figures: { [Figure in keyof F]: string }) => string,
): Conflict {
  const texts = Object.fromEntries(
    Object.entries<Quantity | number>(figures).map(([name, figure]) => [
      name,
      typeof figure === 'bigint' ? formatQuantity(figure) : String(figure),
    ]),
  ) as { [Figure in keyof F]: string };
  return { code: 'conflict', message: text(texts), reason, figures: texts };
}

/**
 * What of a pick is not taken, beside what is available: on hold, expired, and at a move's destination
 * already. `more…`: at least so much, there were too many lots to add up.
 */
export type Untaken = {
  held: Quantity;
  expired: Quantity;
  more: boolean;
  atDestination: Quantity;
  moreAtDestination: boolean;
};

/** Fewer units than asked; the reason is what stands in the way of all that is missing, if one thing does. */
export function notEnough(asked: Quantity, available: Quantity, untaken: Untaken): Conflict {
  const { held, expired, atDestination, more } = untaken;
  if (available === 0n && held === 0n && !more && atDestination > 0n) return nothingToMove(asked, untaken);
  const reason =
    available + held >= asked ? 'onHold' : available + expired >= asked ? 'expired' : 'insufficientStock';
  const figures = more ? { onHoldAtLeast: held, expiredAtLeast: expired } : { onHold: held, expired };
  return conflict(
    reason,
    { asked, available, ...figures },
    (text) =>
      `Not enough stock: ${text.asked} asked, ${text.available} available.${untakenText(held, expired, more)}`,
  );
}

/** The reason why stock that an operator sees on the shelf is not taken. */
function untakenText(held: Quantity, expired: Quantity, more: boolean): string {
  const causes = [
    ...(held > 0n ? [`${formatQuantity(held)} on hold`] : []),
    ...(expired > 0n ? [`${formatQuantity(expired)} expired`] : []),
  ];
  if (causes.length > 0) return ` Not taken: ${more ? 'at least ' : ''}${causes.join(', ')}.`;
  return more ? ' There may be more on hold or expired.' : '';
}

function nothingToMove(asked: Quantity, { atDestination, moreAtDestination: more }: Untaken): Conflict {
  const there = more ? { atDestinationAtLeast: atDestination } : { atDestination };
  return conflict(
    'nothingToMove',
    { asked, available: 0n, ...there },
    () =>
      `Nothing to move: ${more ? 'at least ' : ''}${formatQuantity(atDestination)} lie at the destination already, ` +
      'and no other stock matches.',
  );
}

/** The lot that an issue names is on hold. */
export function namedLotOnHold(recNo: number, asked: Quantity, onHold: Quantity): Conflict {
  return conflict('onHold', { recNo, asked, onHold }, () => 'The lot is on hold.');
}

/** A hold stands in the way of a reversal. */
export function lotOnHold(recNo: number, onHold: Quantity): Conflict {
  return conflict(
    'onHold',
    { recNo, onHold },
    (text) => `Lot ${text.recNo} is on hold, with ${text.onHold} units.`,
  );
}

/** A count below what is on hold. `recNos`: of those lots; null for one that the same batch has made. */
export function heldNotCounted(
  counted: Quantity,
  onHold: Quantity,
  recNos: readonly (number | null)[],
): Conflict {
  return conflict(
    'onHold',
    { counted, onHold, lots: recNos.length },
    (text) =>
      `Lots on hold are not counted down: ${text.counted} counted, ${text.onHold} on hold in ${lotsText(recNos)}.`,
  );
}

/** Lots by their numbers; those that the same batch has made have none yet. */
function lotsText(recNos: readonly (number | null)[]): string {
  const numbers = recNos.filter((recNo) => recNo !== null);
  const newCount = recNos.length - numbers.length;
  const shown = `${numbers.slice(0, 10).join(', ')}${numbers.length > 10 ? ', …' : ''}`;
  const stored = numbers.length === 0 ? [] : [`${numbers.length === 1 ? 'lot' : 'lots'} ${shown}`];
  const made =
    newCount === 0 ? [] : [newCount === 1 ? 'a lot made just now' : `${newCount} lots made just now`];
  return [...stored, ...made].join(' and ');
}

/** `fields`: the filters, by the names of the request, that the named lot does not match. */
export function lotDiffers(recNo: number | null, present: Quantity, fields: readonly string[]): Conflict {
  return conflict(
    'lotDiffers',
    { ...(recNo === null ? {} : { recNo }), present },
    () => `The lot does not match ${fields.join(', ')}.`,
  );
}

/** A count expected another figure. */
export function countDiffers(expected: Quantity, present: Quantity): Conflict {
  return conflict(
    'countDiffers',
    { expected, present },
    (text) => `Not as expected: ${text.expected} expected, ${text.present} there.`,
  );
}

/** `more`: more lots than that. `unitsMax`: what as many as are allowed would give. */
export function tooManyLotsForUnits(
  asked: Quantity,
  lots: number,
  more: boolean,
  lotsMax: number,
  unitsMax: Quantity,
): Conflict {
  return conflict(
    'tooManyLots',
    { asked, ...(more ? { lotsMoreThan: lots } : { lots }), lotsMax, unitsMax },
    (text) =>
      `Too many lots: ${text.asked} units would take ${more ? 'more than ' : ''}${lots} lots, and one transaction ` +
      `takes at most ${text.lotsMax}. Ask for at most ${text.unitsMax} units at a time.`,
  );
}

/** More lots lie at a place than one transaction counts. */
export function tooManyLotsToCount(lotsMax: number): Conflict {
  return conflict(
    'tooManyLots',
    { lotsMoreThan: lotsMax, lotsMax },
    (text) =>
      `Too many lots: more than ${text.lotsMax} lie there, and one transaction counts at most so many. ` +
      'Count them by serial, or one by its recno.',
  );
}

/** No field that is named leads to few enough lots. `lookedAtMax`: by all fields together. */
export function tooManyToLookAt(lookedAtMax: number): Conflict {
  return conflict(
    'tooManyLots',
    { lookedAtMax },
    (text) =>
      `Too many lots: at most ${text.lookedAtMax} are looked at to find those that match, and these did not suffice. ` +
      'Name something that fewer lots have, or one lot by its recno.',
  );
}

/** A batch writes more lines than may be. */
export function tooManyLines(linesMax: number): Conflict {
  return conflict(
    'tooManyLots',
    { linesMax },
    (text) =>
      `Too many lots: one batch writes at most ${text.linesMax} lines of the ledger, two for each lot that is moved. ` +
      'Send it in parts.',
  );
}

/** A batch looks at more lots than are read for it. */
export function tooManyLotsForBatch(lotsMax: number): Conflict {
  return conflict(
    'tooManyLots',
    { lotsMax },
    (text) =>
      'Too many lots: the batch would look at more lots than one transaction reads. Send it in parts; ' +
      `each may take ${text.lotsMax} lots of one place.`,
  );
}

/** More than the level of an item in a warehouse can hold; `present`: what it holds. */
export function noRoomInLevel(asked: Quantity, present: Quantity, unitsMax: Quantity): Conflict {
  return conflict(
    'noRoom',
    { asked, present, unitsMax },
    () => 'The stock of this item in this warehouse would be too large.',
  );
}

/** More than one lot can hold; `present`: what it holds. `recNo`: null for one that would be made. */
export function noRoomInLot(
  recNo: number | null,
  asked: Quantity,
  present: Quantity,
  unitsMax: Quantity,
): Conflict {
  return conflict(
    'noRoom',
    { ...(recNo === null ? {} : { recNo }), asked, present, unitsMax },
    (text) => `The lot would be too large: it can hold at most ${text.unitsMax} units.`,
  );
}

/** A transaction is undone once only. */
export function alreadyReversed(transactionNo: number): Conflict {
  return conflict(
    'alreadyReversed',
    { transactionNo },
    (text) => `Transaction ${text.transactionNo} is reversed already.`,
  );
}

/** A transaction that undoes another cannot be undone. */
export function isReversal(transactionNo: number): Conflict {
  return conflict('isReversal', { transactionNo }, () => 'A reversal cannot be reversed.');
}

/** The lot has not what would go back. */
export function unitsGone(recNo: number, asked: Quantity, present: Quantity): Conflict {
  return conflict(
    'unitsMovedOn',
    { recNo, asked, present },
    (text) =>
      `The units have moved on: lot ${text.recNo} has ${text.present}, and ${text.asked} would go back.`,
  );
}

/** The lot lies at another spot than the transaction left it at. */
export function unitsElsewhere(recNo: number, present: Quantity, at: string, notAt: string): Conflict {
  return conflict(
    'unitsMovedOn',
    { recNo, present },
    (text) =>
      `The units have moved on: lot ${text.recNo} has ${text.present} at ${placeText(at)}, not at ${placeText(notAt)}.`,
  );
}

const placeText = (spot: string) => (spot === '' ? 'no spot' : spot);

/** The refusal of a request whose Idempotency-Key leads to another one. */
export const keyReused = conflict(
  'keyReused',
  {},
  () => 'This Idempotency-Key was used with another request.',
);

/**
 * An atomic batch of which so many operations are refused, the first at `index`. `keptBefore`: what an
 * earlier send under its Idempotency-Key did is not told of.
 */
export function operationRefused(index: number, operations: number, keptBefore = false): Conflict {
  const which =
    operations === 1 ? `operation ${index} of the batch was` : `${operations} operations of the batch were`;
  return conflict(
    'operationRefused',
    { operations, index },
    () =>
      `Nothing was applied: ${which} refused.` +
      (keptBefore ? ' What was sent before under its Idempotency-Key stays.' : ''),
  );
}
