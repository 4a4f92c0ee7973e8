import { z } from 'zod';

/** The reasons of a 409, which let a client distinguish them, and their meanings. */
export const conflictReasons = {
  insufficientStock: 'fewer units match and can be taken than were asked for',
  onHold: 'what is asked for is there, but on hold',
  expired: 'what is asked for is there, but has expired',
  nothingToMove: 'all that matches lies at the destination already',
  lotDiffers: 'the lot that `recno` names does not match the other filters',
  countDiffers: '`expected` is not what is there',
  tooManyLots: 'more lots, or lines of the ledger, than one transaction or batch may touch',
  noRoom: 'the lot, or the stock of the item in the warehouse, would be too large',
  alreadyReversed: 'the transaction was reversed before',
  isReversal: 'a reversal cannot be reversed',
  unitsMovedOn: 'the units that would go back are not all where the transaction left them',
  keyReused: 'the `Idempotency-Key` was used with another request',
  operationRefused:
    'an operation of an atomic batch was refused, so none was applied; its own error says why',
} as const;
export type ConflictReason = keyof typeof conflictReasons;

/** The meaning of the figures of a 409. Each reason has its own. */
export const conflictFigures = {
  asked: 'units that were asked for, or would go back',
  available: 'units that match and can be taken',
  onHold: 'units that match and are on hold',
  expired: 'units that match and have expired',
  onHoldAtLeast: 'the same as `onHold`, where there are too many lots to add up all',
  expiredAtLeast: 'the same as `expired`, where there are too many lots to add up all',
  atDestination: 'units that match and lie at the destination already',
  atDestinationAtLeast: 'the same, where there are too many lots to add up all',
  present: 'units that are there by the books',
  expected: 'units that the call expected',
  counted: 'units that were counted',
  unitsMax: 'units that there may be, or that can be asked for at a time',
  lots: 'lots that it is about',
  lotsMoreThan: 'the same, where there are more than so many',
  lotsMax: 'lots that one transaction may touch',
  linesMax: 'lines of the ledger that one batch may write',
  lookedAtMax: 'lots that are looked at to find those that match',
  recNo: 'the lot',
  transactionNo: 'the transaction',
  operations: 'operations of the batch that were refused',
  index: 'the place in the list of the first one',
} as const;
export type ConflictFigure = keyof typeof conflictFigures;

const lines = (all: Record<string, string>) =>
  Object.entries(all)
    .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
    .join('\n');

const figure = z.number().optional();

/** The fields of the error object of a 409 besides the contract's. */
export const conflictFields = {
  reason: z
    .enum(Object.keys(conflictReasons) as [ConflictReason, ...ConflictReason[]])
    .optional()
    .describe(
      `Extension: what stands in the way, with \`conflict\`. There may be more reasons one day.\n\n${lines(conflictReasons)}`,
    ),
  figures: z
    .object(
      Object.fromEntries(
        Object.entries(conflictFigures).map(([name, meaning]) => [name, figure.describe(meaning)]),
      ),
    )
    .optional()
    .describe('Extension: the figures that belong to the reason, exact'),
};
