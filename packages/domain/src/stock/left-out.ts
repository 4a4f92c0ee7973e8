/**
 * Of the answers to the operations of one batch that repeat what was answered before, so much is told of
 * large ones, in characters: 20,000 lots or so. Beside each other an api process has some hundred batches.
 */
export const toldLengthMax = 2 * 1024 * 1024;

/**
 * The most bytes of an answer that is told wherever it is asked for: a batch has at most 500 of these, and
 * they travel through Redis.
 */
export const smallBytes = 4096;

// As all answers of transactions begin, before any text of a caller.
const beginning = /^\{"recNo":(?:\d+|null),"status":"\w+","transactionNo":(\d+),/;

/** Stands for the JSON text of an answer that is too large to be told beside the others. */
export function leftOutText(transactionNo: number): string {
  return `{"transactionNo":${transactionNo},"leftOut":true,"dryRun":false}`;
}

/** The same, from the answer itself. */
export function leaveOut(text: string): string {
  const transactionNo = beginning.exec(text.slice(0, 100))?.[1];
  return transactionNo === undefined ? text : leftOutText(Number(transactionNo));
}
