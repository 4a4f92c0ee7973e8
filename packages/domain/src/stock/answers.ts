/**
 * Of the answers to the operations of one batch that repeat what was answered before so much is told, in
 * characters. What a batch decides itself is less: most of it is 2,000 lots that go to a spot of 100
 * characters, each written as an escape (1.4 MiB), and 500 receipts whose texts fill a body of 1 MiB, of
 * items with such descriptions (2.8 MiB). So whatever was applied as one list can be told again.
 */
export const answersLengthMax = 6 * 1024 * 1024;

/** Stands for the JSON text of an answer that is too large to be told beside the others. */
export function leftOutText(transactionNo: number): string {
  return `{"transactionNo":${transactionNo},"leftOut":true}`;
}
