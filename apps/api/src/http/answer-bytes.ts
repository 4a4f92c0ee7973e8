import { itemBytes } from '@inventory/db/lists/list-items';
import { lotBytes } from '@inventory/db/lists/list-lots';
import { textBytes } from '@inventory/db/lists/pages/record-bytes';
import { lineBytes, transactionBytes } from '@inventory/db/lists/transaction-record';
import { scanBytesMax } from '@inventory/domain/contract/scan';
import { smallAnswerBytes } from './unread-answers.ts';

// How large answers can be, for `answerBytes` of routes; of a page, its list says it. A test asks each route
// for its largest answer.

const { label, remark, description } = textBytes;
const lotsMax = 1000;
const historyMax = 50;

/** Answers that are not pages. */
export const answerBytes = {
  small: () => smallAnswerBytes,
  /** Of a category that is not streamed. */
  category: (items: number) => items * itemBytes,
  scan: () => scanBytesMax,
  /** A page of changes with their cursors, as JSON or as events. One change that is larger comes alone. */
  changes: () => 1024 * 1024,
  /** A transaction by itself: a move of a thousand lots has two lines for each. */
  transaction: () => transactionBytes + 2 * lotsMax * lineBytes,
  lot: () => lotBytes(true) + historyMax * (2 * label + remark + description + 500),
  /**
   * Tried out: the lots that it touches, and 50 that it skips. A real one seldom touches many lots; if it
   * does, its answer gets room when it is read from Postgres (`answer-texts.ts`).
   */
  transact: ({ dryRun }: { dryRun?: boolean | undefined }) =>
    dryRun === true ? (lotsMax + historyMax) * (label + 250) : smallAnswerBytes,
  warehouses: (count: number) => smallAnswerBytes + count * (label + 100),
  webhooks: () => 50 * 10_000,
  days: () => 366 * 300,
} as const;
