/** Counts up or down for a name; nothing is kept of one at 0. */
export function addCount(counts: Map<string, number>, name: string, more: number): void {
  const count = (counts.get(name) ?? 0) + more;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
