import { splitOutsideQuotes } from './strict.ts';

/**
 * Whether an Accept header asks for a type rather than for the usual one (RFC 9110 12.5.1). If it wants both
 * alike, it gets the usual one, unless it names the other.
 */
export function isPreferred(accept: string, type: string, usual: string): boolean {
  const [asked, other] = [wishFor(type, accept), wishFor(usual, accept)];
  return asked.weight > other.weight || (asked.isNamed && asked.weight > 0 && asked.weight === other.weight);
}

/**
 * The weight of a type, from 0 to 1, and whether the header names the type itself. The most specific range
 * counts. A weight that cannot be read is 0.
 */
function wishFor(type: string, accept: string): { weight: number; isNamed: boolean } {
  const ranges = ['*/*', `${type.split('/')[0]}/*`, type];
  let found = -1;
  let weight = 0;
  for (const part of splitOutsideQuotes(accept, ',')) {
    const [range = '', ...parameters] = splitOutsideQuotes(part, ';').map((text) =>
      text.trim().toLowerCase(),
    );
    const rank = ranges.indexOf(range);
    if (rank <= found) continue;
    found = rank;
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    weight = quality === undefined ? 1 : Number(quality.slice(2)) || 0;
  }
  return { weight, isNamed: found === ranges.length - 1 };
}
