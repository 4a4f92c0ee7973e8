import { z } from 'zod';

/** The reasons of a 409, which let a client distinguish them, and their meanings. */
export const conflictReasons = {
  insufficientStock: 'too few matching units can be taken',
  onHold: 'the units are there, but on hold',
  expired: 'the units are there, but have expired',
  nothingToMove: 'all matching units are already at the destination',
  lotDiffers: 'the lot that `recno` names does not match the other filters',
  countDiffers: '`expected` differs from the current quantity',
  tooManyLots: 'more lots, or lines of the ledger, than one transaction or batch may touch',
  noRoom: 'the lot, or the stock of the item in the warehouse, would be too large',
  alreadyReversed: 'the transaction was reversed before',
  isReversal: 'a reversal cannot be reversed',
  hasNoReversal: 'a hold has no reversal: the opposite hold undoes it',
  lotNotInStock: 'the lot is used up',
  unitsMovedOn: 'some units are no longer where the transaction left them',
  nameTaken: 'the alias is an alias of another item, or the ShortID of an item',
  tooManyAliases: 'the item has as many aliases as an item may have',
  keyReused: 'the `Idempotency-Key` was used with another request',
  cursorOutdated: 'the cursor is of a database that was restored from a backup since',
  operationRefused:
    'an operation of an atomic batch was refused, so none was applied; its own error says why',
} as const;
export type ConflictReason = keyof typeof conflictReasons;

/** The figures of a 409 that are units. Each reason has its own. */
const unitFigures = {
  asked: 'requested units, or units that would go back',
  available: 'matching units that can be taken',
  onHold: 'matching units on hold',
  expired: 'matching units that have expired',
  onHoldAtLeast: 'like `onHold`, if there are too many lots to add up',
  expiredAtLeast: 'like `expired`, if there are too many lots to add up',
  atDestination: 'matching units already at the destination',
  atDestinationAtLeast: 'like `atDestination`, if there are too many lots to add up',
  present: 'current quantity',
  expected: 'units that the call expected',
  counted: 'units that were counted',
  unitsMax: 'most units that are possible, or that one request may ask for',
} as const;

/** Those that are whole numbers: how many, or which one. */
const countFigures = {
  lots: 'lots concerned',
  lotsMoreThan: 'like `lots`, if there are more than this',
  lotsMax: 'most lots that one transaction may touch',
  linesMax: 'most ledger lines that one batch may write',
  lookedAtMax: 'most lots that are examined to find matching ones',
  recNo: 'the lot',
  transactionNo: 'the transaction',
  partNo: 'the item that has the name',
  aliasesMax: 'most aliases of an item',
  operations: 'operations of the batch that were refused',
  index: 'index of the first of them in the list',
} as const;
export const conflictFigures = { ...unitFigures, ...countFigures };
export type ConflictFigure = keyof typeof conflictFigures;

const lines = (all: Record<string, string>) =>
  Object.entries(all)
    .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
    .join('\n');

const figuresOf = <Name extends string>(names: Record<Name, string>, schema: z.ZodType) =>
  Object.fromEntries(
    Object.entries<string>(names).map(([name, meaning]) => [name, schema.optional().describe(meaning)]),
  );

/** The fields of the error object of a 409 besides the contract's. */
export const conflictFields = {
  reason: z
    .enum(Object.keys(conflictReasons) as [ConflictReason, ...ConflictReason[]])
    .optional()
    .describe(
      `Extension: what stands in the way, with \`conflict\`. There may be more reasons one day.\n\n${lines(conflictReasons)}`,
    ),
  figures: z
    .object({ ...figuresOf(unitFigures, z.number()), ...figuresOf(countFigures, z.int()) })
    .optional()
    .describe('Extension: the exact figures for the reason'),
};
