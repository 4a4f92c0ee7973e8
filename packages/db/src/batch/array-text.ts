/**
 * An array as Postgres reads it, of values that need no quotes: numbers, decimals, UUIDs, times. The driver
 * quotes each and searches it for quotes of its own, which costs a batch of many columns more than its
 * decisions. `undefined` is null.
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
 * JSON texts as one array of JSON, each element digit for digit as it was; null is JSON's null. In an array
 * of texts each quote of theirs would travel escaped, and there are more of those than of anything else.
 */
export function jsonArray(texts: readonly (string | null)[]): string {
  return `[${texts.map((text) => text ?? 'null').join(',')}]`;
}
