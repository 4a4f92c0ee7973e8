import { type Conflict, noRoomInLevel, notEnough } from '@inventory/domain/contract/conflict';
import { invalid } from '@inventory/domain/contract/refused';
import type { Quantity } from '@inventory/domain/quantity';
import { errorText } from '../http/errors.ts';
import { refusalExample } from '../http/route-description.ts';
import type { ErrorAnswer } from './error-schemas.ts';

const untaken = { held: 0n, expired: 0n, more: false, atDestination: 0n, moreAtDestination: false };

/** The error object of a refusal with 409. */
export const errorOf = (refusal: Conflict) => JSON.parse(errorText(409, refusal)) as ErrorAnswer;

/** The error object of a call that asks for more units than there are. Quantities are in millionths. */
export const tooLittleOf = (asked: Quantity, available: Quantity) =>
  errorOf(notEnough(asked, available, untaken));

/** Refusals with 409 that several calls share. */
export const tooLittle = refusalExample('Too little', notEnough(40_000_000n, 12_500_000n, untaken));
export const noRoom = refusalExample(
  'More than a stock level holds',
  noRoomInLevel(12_500_000n, 999_999_999_990_000_000n, 999_999_999_999_999_999n),
);

/** Refusals with 400 that several calls share. */
export const unknownItem = refusalExample('Unknown item', invalid({ itemID: ['is not a known item.'] }));
export const unknownLot = refusalExample(
  'A `recno` that is unknown, or belongs to another item or warehouse',
  invalid({ recno: ['is not a lot of this item in this warehouse.'] }),
);
