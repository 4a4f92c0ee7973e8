/**
 * Marks work that goes on while the test waits for something else. If that wait fails, the work fails
 * afterwards, through a stopped service or a closed pool, and that must not count as a second failure.
 * Awaiting the work still gives its error.
 */
export function meanwhile<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}
