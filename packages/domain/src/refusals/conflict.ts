import { aliasesMax } from '../fields.ts';
import { formatQuantity, type Quantity } from '../quantity.ts';
import type { ConflictFigure, ConflictReason } from './conflict-reasons.ts';

// Every 409 is made here: its reason, its figures, and the sentence that contains them.

/** A `conflict` with the current state. `figures`: exact, as plain decimal texts. */
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
 * The matching units that a pick cannot take: on hold, expired, or already at a move's destination. `more…`:
 * at least this many; there were too many lots to add up.
 */
export type Untaken = {
  held: Quantity;
  expired: Quantity;
  more: boolean;
  atDestination: Quantity;
  moreAtDestination: boolean;
};

/** Fewer units than requested. If one obstacle accounts for all missing units, it becomes the reason. */
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

/** Explains why stock is not taken although an operator sees it on the shelf. */
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

/** A hold prevents a reversal. */
export function lotOnHold(recNo: number, onHold: Quantity): Conflict {
  return conflict(
    'onHold',
    { recNo, onHold },
    (text) => `Lot ${text.recNo} is on hold, with ${text.onHold} units.`,
  );
}

/**
 * A count below the units on hold. `recNos`: the lots on hold; null for a lot that the same batch created.
 */
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

/** Lists lots by number. Lots that the same batch created have none yet. */
function lotsText(recNos: readonly (number | null)[]): string {
  const numbers = recNos.filter((recNo) => recNo !== null);
  const newCount = recNos.length - numbers.length;
  const shown = `${numbers.slice(0, 10).join(', ')}${numbers.length > 10 ? ', …' : ''}`;
  const stored = numbers.length === 0 ? [] : [`${numbers.length === 1 ? 'lot' : 'lots'} ${shown}`];
  const made =
    newCount === 0 ? [] : [newCount === 1 ? 'a lot made just now' : `${newCount} lots made just now`];
  return [...stored, ...made].join(' and ');
}

/** `fields`: the filters, named as in the request, that the named lot does not match. */
export function lotDiffers(recNo: number | null, present: Quantity, fields: readonly string[]): Conflict {
  return conflict(
    'lotDiffers',
    { ...(recNo === null ? {} : { recNo }), present },
    () => `The lot does not match ${fields.join(', ')}.`,
  );
}

/** A count expected a different quantity. */
export function countDiffers(expected: Quantity, present: Quantity): Conflict {
  return conflict(
    'countDiffers',
    { expected, present },
    (text) => `Not as expected: ${text.expected} expected, ${text.present} there.`,
  );
}

/** `more`: there are more lots than that. `unitsMax`: the units in the allowed number of lots. */
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

/** A place has more lots than one transaction can count. */
export function tooManyLotsToCount(lotsMax: number): Conflict {
  return conflict(
    'tooManyLots',
    { lotsMoreThan: lotsMax, lotsMax },
    (text) =>
      `Too many lots: there are more than ${text.lotsMax}, the most that one transaction can count. ` +
      'Count them by serial, or one by its recno.',
  );
}

/** None of the named fields leads to few enough lots. `lookedAtMax`: by all fields together. */
export function tooManyToLookAt(lookedAtMax: number): Conflict {
  return conflict(
    'tooManyLots',
    { lookedAtMax },
    (text) =>
      `Too many lots: at most ${text.lookedAtMax} are examined to find matching ones, and that was not enough. ` +
      'Use a filter that fewer lots match, or name one lot by its recno.',
  );
}

/** A batch would write too many lines. */
export function tooManyLines(linesMax: number): Conflict {
  return conflict(
    'tooManyLots',
    { linesMax },
    (text) =>
      `Too many lots: one batch writes at most ${text.linesMax} lines of the ledger, two for each lot that is moved. ` +
      'Send it in parts.',
  );
}

/** A batch would examine too many lots. */
export function tooManyLotsForBatch(lotsMax: number): Conflict {
  return conflict(
    'tooManyLots',
    { lotsMax },
    (text) =>
      'Too many lots: the batch would look at more lots than one transaction reads. Send it in parts; ' +
      `each may take ${text.lotsMax} lots of one place.`,
  );
}

/** The level of an item in a warehouse cannot hold this much. `present`: its current quantity. */
export function noRoomInLevel(asked: Quantity, present: Quantity, unitsMax: Quantity): Conflict {
  return conflict(
    'noRoom',
    { asked, present, unitsMax },
    () => 'The stock of this item in this warehouse would be too large.',
  );
}

/**
 * One lot cannot hold this much. `present`: its current quantity. `recNo`: null for a lot that would be
 * created.
 */
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

/** A transaction can be reversed only once. */
export function alreadyReversed(transactionNo: number): Conflict {
  return conflict(
    'alreadyReversed',
    { transactionNo },
    (text) => `Transaction ${text.transactionNo} is reversed already.`,
  );
}

/** A reversal cannot be reversed. */
export function isReversal(transactionNo: number): Conflict {
  return conflict('isReversal', { transactionNo }, () => 'A reversal cannot be reversed.');
}

/** A hold is undone by the opposite one. */
export function hasNoReversal(transactionNo: number): Conflict {
  return conflict(
    'hasNoReversal',
    { transactionNo },
    () => 'A hold has no reversal: the opposite hold undoes it.',
  );
}

/** A lot that is used up cannot be held or released. */
export function lotNotInStock(recNo: number): Conflict {
  return conflict('lotNotInStock', { recNo }, (text) => `Lot ${text.recNo} is not in stock.`);
}

/** The lot lacks the units that would go back. */
export function unitsGone(recNo: number, asked: Quantity, present: Quantity): Conflict {
  return conflict(
    'unitsMovedOn',
    { recNo, asked, present },
    (text) =>
      `The units have moved on: lot ${text.recNo} has ${text.present}, and ${text.asked} would go back.`,
  );
}

/** The lot is not at the spot where the transaction left it. */
export function unitsElsewhere(recNo: number, present: Quantity, at: string, notAt: string): Conflict {
  return conflict(
    'unitsMovedOn',
    { recNo, present },
    (text) =>
      `The units have moved on: lot ${text.recNo} has ${text.present} at ${placeText(at)}, not at ${placeText(notAt)}.`,
  );
}

const placeText = (spot: string) => (spot === '' ? 'no spot' : spot);

/** The refusal if the Idempotency-Key was used with a different request. */
export const keyReused = conflict(
  'keyReused',
  {},
  () => 'This Idempotency-Key was used with another request.',
);

/** The cursor of the change feed is from before the database was restored. */
export const cursorOutdated = conflict(
  'cursorOutdated',
  {},
  () =>
    'This cursor is from before the database was restored or lost its last changes. Get a new cursor and read the lists again.',
);

/**
 * An atomic batch in which this many operations are refused, the first one at `index`. `keptBefore`: an
 * earlier send under its Idempotency-Key was decided, and this refusal says nothing about it.
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

/** The alias is the name of this item already. */
export function nameTaken(partNo: number): Conflict {
  return conflict('nameTaken', { partNo }, (text) => `Item ${text.partNo} has this name already.`);
}

/** The item has as many aliases as it may. */
export function tooManyAliases(): Conflict {
  return conflict(
    'tooManyAliases',
    { aliasesMax },
    (text) => `The item has ${text.aliasesMax} aliases or more, and gets no further ones. Remove some first.`,
  );
}
