import { noRoomInLevel, notEnough } from '../refusals/conflict.ts';
import { invalid } from '../refusals/refused.ts';
import { unknownItem } from '../stock/decision.ts';

/** Explains dry runs. */
export const dryRunWords = `

*Extension:* \`dryRun: true\` returns the answer of the real call, decided by the same code on the current data, with \`dryRun: true\`, and with null for \`transactionNo\` and the
numbers of new lots. The real call returns \`dryRun: false\`. A dry run stores nothing, uses no \`Idempotency-Key\` and draws no number.
Under a key that was used it returns what the real call would: the stored answer, or 409 with another body.`;

/** Further text for dry runs of moves and issues. */
export const skippedWords =
  ' The answer also has `skipped`: the lots of the item in the warehouse that are not taken, and why.';

/** Which lots a move and an issue take, and in which order. */
export const allocationWords = `
**Which lots are taken:** lots that are active, in stock, not on hold and match every filter. **Order of allocation:**
earliest expiry first, then lots without expiry, then expired ones; within that the oldest receipt, then the lowest \`recNo\`. Either all
units are taken or none: too little stock is 409 with the requested and available quantities, and with what is on hold or expired.
A lot named by \`recno\` that does not match the other filters is 409, too, with the names of those filters. A \`recno\` that is unknown, or
belongs to another item or warehouse: 400. One transaction takes at most 1,000 lots and examines at most 10,000 to find matching ones, by all
fields together; beyond that: 409.`;

const untaken = { held: 0n, expired: 0n, more: false, atDestination: 0n, moreAtDestination: false };

/** Examples of refusals that several kinds share, by their names in the document. */
export const sharedRefusals = {
  item: { summary: 'Unknown item', refusal: invalid(unknownItem) },
  lot: {
    summary: 'A `recno` that is unknown, or belongs to another item or warehouse',
    refusal: invalid({ recno: ['is not a lot of this item in this warehouse.'] }),
  },
  stock: { summary: 'Too little', refusal: notEnough(40_000_000n, 12_500_000n, untaken) },
  room: {
    summary: 'More than a stock level holds',
    refusal: noRoomInLevel(12_500_000n, 999_999_999_990_000_000n, 999_999_999_999_999_999n),
  },
};
