/** Adds `more`, which may be negative, to the count of a name. Names with the count 0 are removed. */
export function addCount(counts: Map<string, number>, name: string, more: number): void {
  const count = (counts.get(name) ?? 0) + more;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
