/**
 * In a batch, answers that repeat earlier ones may have this many characters, about 20,000 lots. An api
 * process may handle some hundred batches at the same time.
 */
export const toldLengthMax = 2 * 1024 * 1024;

/**
 * Answers up to this size are always included: a batch has at most 500 of them, and they travel through
 * Redis.
 */
export const smallBytes = 4096;

// The beginning of all answers of transactions, before any text from a caller.
const beginning = /^\{"recNo":(?:\d+|null),"status":"\w+","transactionNo":(\d+),/;

/** Replaces the JSON text of an answer that is too large. */
export function leftOutText(transactionNo: number): string {
  return `{"transactionNo":${transactionNo},"leftOut":true,"dryRun":false}`;
}

/** The same, made from the answer itself. */
export function leaveOut(text: string): string {
  const transactionNo = beginning.exec(text.slice(0, 100))?.[1];
  return transactionNo === undefined ? text : leftOutText(Number(transactionNo));
}
