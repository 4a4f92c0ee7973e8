import { distance } from 'fastest-levenshtein';

/** `; did you mean …?` if a known name is similar; otherwise empty. */
export function didYouMean(asked: string, known: readonly string[]): string {
  const wanted = asked.toLowerCase();
  const near = known
    .map((name) => ({ name, away: mistakesBetween(wanted, name.toLowerCase()) }))
    .filter(({ name, away }) => away <= 2 && away < name.length)
    .sort((one, other) => one.away - other.away)[0];
  return near === undefined ? '' : `; did you mean ${near.name}?`;
}

/**
 * The number of letters that were added, left out or changed. Two swapped neighbours count as one mistake.
 */
function mistakesBetween(asked: string, name: string): number {
  const swapped = [...asked].slice(1).map((_, at) => {
    const [left, right] = [asked[at]!, asked[at + 1]!];
    return `${asked.slice(0, at)}${right}${left}${asked.slice(at + 2)}`;
  });
  return Math.min(distance(asked, name), ...swapped.map((each) => 1 + distance(each, name)));
}
