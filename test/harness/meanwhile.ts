/**
 * Work that goes on while the test waits for something else. Should that wait fail, the work fails after it,
 * by a service that is stopped or a pool that is closed: that is no second failure. Whoever awaits the work
 * still gets its own.
 */
export function meanwhile<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}
