import { distance } from 'fastest-levenshtein';

/** `; did you mean …?` when one of these is like what was asked; else nothing. */
export function didYouMean(asked: string, known: readonly string[]): string {
  const wanted = asked.toLowerCase();
  const near = known
    .map((name) => ({ name, away: distance(wanted, name.toLowerCase()) }))
    .filter(({ name, away }) => away <= 2 && away < name.length)
    .sort((one, other) => one.away - other.away)[0];
  return near === undefined ? '' : `; did you mean ${near.name}?`;
}
