import type { JsonAnswer } from '../json-text.ts';
import { invalid, type Refusal } from '../refusals/refused.ts';
import type { Batch, Entry, ItemFacts, LotState } from './batch.ts';

/**
 * The decision about one transaction. The answer is made once the batch's numbers are known, or with null in
 * a dry run, which draws none. `undecided`: nothing was changed; this batch has not read enough lots, so a
 * later batch decides.
 */
export type Decision =
  | {
      status: 'applied';
      entries: Entry[];
      /** The lot that it held or released, which has no line of the ledger. */
      held?: LotState;
      answer: (transactionNo: number | null) => Record<string, JsonAnswer>;
    }
  | { status: 'refused'; refusal: Refusal }
  | { status: 'undecided' };

export const undecided: Decision = { status: 'undecided' };

/** `answer` makes the body of the answer, which also says whether the call was a dry run. */
export function applied(
  entries: Entry[],
  answer: (transactionNo: number | null) => Record<string, JsonAnswer>,
): Extract<Decision, { status: 'applied' }> {
  return {
    status: 'applied',
    entries,
    answer: (transactionNo) => ({ ...answer(transactionNo), dryRun: transactionNo === null }),
  };
}

/** The fault of a transaction that names no item. */
export const unknownItem = { itemID: ['is not a known item.'] };

/** The item of a transaction, or the refusal. Finds discontinued items, too. */
export function itemOf(batch: Batch, shortId: string): ItemFacts | Refusal {
  return batch.items.get(shortId) ?? invalid(unknownItem);
}
