import { listedLinesBytesMax } from '@inventory/db/lists/transaction-record';
import { scanBytesMax } from '@inventory/domain/contract/scan';
import { lengthMax } from '@inventory/domain/fields';
import { fieldRows } from '@inventory/domain/lot-fields';
import type { z } from 'zod';
import { smallAnswerBytes } from './unread-answers.ts';

// How large answers can be, for `answerBytes` of routes. A test asks each route for its largest answer.

// A control character takes six bytes in JSON, and no other character more.
const bytesOf = (length: number) => 6 * length;
const shortId = bytesOf(lengthMax.shortId);
const label = bytesOf(lengthMax.label);
const description = bytesOf(lengthMax.description);
const remark = bytesOf(lengthMax.remark);
// Names, numbers and times of a record; the name of a warehouse, which operators give, may be long as well.
const fixed = 1500;

/** The texts that describe a lot. */
const lotTexts = (isFull: boolean) =>
  fieldRows
    .filter(({ type, view }) => type === 'text' && (isFull || view === 'list'))
    // Operators give the reason of a hold, as long as a remark.
    .map(({ sent }) => (sent?.unwrap() as z.ZodString | undefined)?.maxLength ?? lengthMax.remark)
    .reduce((sum, length) => sum + bytesOf(length), 0);

const line = shortId + label + 200;
/** The most bytes of a record in a list, or by itself. */
const record = {
  item: fixed + shortId + description + 3 * label,
  level: fixed,
  fullLevel: fixed + shortId + description,
  stockAt: 300 + shortId + description,
  lot: fixed + shortId + description + lotTexts(false),
  fullLot: fixed + shortId + description + lotTexts(true),
  // A hold has a reason.
  transaction: fixed + shortId + 3 * label + remark + description,
  alias: shortId + 100,
  reason: label + 150,
  activity: label + 200,
} as const;

/** Of a page of these records. */
export function pageBytes(kind: keyof typeof record, { pageSize }: { pageSize: number }): number {
  return pageSize * record[kind] + (kind === 'transaction' ? listedLinesBytesMax + pageSize * line : 0);
}

const lotsMax = 1000;
const historyMax = 50;

/** Answers that are none of these pages. */
export const answerBytes = {
  small: () => smallAnswerBytes,
  /** Of a category that is not streamed. */
  category: (items: number) => items * record.item,
  scan: () => scanBytesMax,
  /** A page of changes with their cursors, as JSON or as events. One change that is larger comes alone. */
  changes: () => 1024 * 1024,
  /** A transaction by itself: a move of a thousand lots has two lines for each. */
  transaction: () => record.transaction + 2 * lotsMax * line,
  lot: () => record.fullLot + historyMax * (2 * label + remark + description + 500),
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
