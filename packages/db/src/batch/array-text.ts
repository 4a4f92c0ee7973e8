/**
 * Writes an array in the text form of Postgres, for values that need no quotes: numbers, decimals, UUIDs,
 * times. The driver would quote and escape each value, which costs a batch with many columns more than its
 * decisions. `undefined` becomes null.
 */
export function plainArray(values: readonly (number | bigint | string | null | undefined)[]): string {
  let text = '{';
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += ',';
    text += values[index] ?? 'NULL';
  }
  return `${text}}`;
}

/**
 * Writes JSON texts as one JSON array, each element digit for digit. null becomes JSON's null. In an array of
 * texts, each of their quotes would be escaped, and they consist mostly of quotes.
 */
export function jsonArray(texts: readonly (string | null)[]): string {
  return `[${texts.map((text) => text ?? 'null').join(',')}]`;
}
