/** A clock that jumps to the next event. */
export function createClock() {
  const due: { at: number; order: number; run: () => void }[] = [];
  let now = 0;
  let order = 0;
  const isBefore = (one: (typeof due)[0], other: (typeof due)[0]) =>
    one.at < other.at || (one.at === other.at && one.order < other.order);
  const swap = (one: number, other: number) => {
    [due[one], due[other]] = [due[other]!, due[one]!];
  };
  function pop() {
    const [first] = due;
    const last = due.pop()!;
    if (due.length > 0) {
      due[0] = last;
      for (let index = 0; ; ) {
        const left = 2 * index + 1;
        if (left >= due.length) break;
        const least = left + 1 < due.length && isBefore(due[left + 1]!, due[left]!) ? left + 1 : left;
        if (!isBefore(due[least]!, due[index]!)) break;
        swap(least, index);
        index = least;
      }
    }
    return first!;
  }
  return {
    now: () => now,
    next: () => order++,
    after(ms: number, run: () => void) {
      due.push({ at: now + ms, order: order++, run });
      for (let index = due.length - 1; index > 0; ) {
        const parent = (index - 1) >> 1;
        if (!isBefore(due[index]!, due[parent]!)) break;
        swap(index, parent);
        index = parent;
      }
    },
    runUntil(end: number) {
      while (due.length > 0 && due[0]!.at <= end) {
        const next = pop();
        now = next.at;
        next.run();
      }
    },
  };
}
