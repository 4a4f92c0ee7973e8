import { isUtf8 } from 'node:buffer';

const encodedByte = /%([\da-f]{2})/gi;

/**
 * Returns the names of the parameters of a query that are not UTF-8 once they are decoded; a lone surrogate
 * is not, either. `URLSearchParams` would put U+FFFD in their place. A % that begins no encoded byte stands
 * for itself.
 */
export function misencodedNames(query: string): string[] {
  if (!query.includes('%')) return [];
  return query
    .split('&')
    .filter((parameter) => !isUtf8(bytesOf(parameter)))
    .map((parameter) => [...new URLSearchParams(parameter).keys()][0]!);
}

/** The decoded bytes. All of a request target is ASCII. */
function bytesOf(parameter: string): Buffer {
  const decoded = parameter.replace(encodedByte, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16)));
  return Buffer.from(decoded, 'latin1');
}
