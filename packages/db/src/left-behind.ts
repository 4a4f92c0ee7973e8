/**
 * Connections that were given up while Postgres goes on with what was sent on them: a commit that waits for a
 * standby that is away, say, is ended by no limit of time. Each keeps its place in Postgres until it is done.
 */
export type LeftBehind = {
  /** Notes one; `untilDone` has told when Postgres closes it; null: nothing was sent on it. */
  add(untilDone: ((tell: () => void) => void) | null): void;
  /** Whether another connection may be opened beside as many `others`. */
  mayOpen(others: number): boolean;
};

// The system gives a socket up earlier than that, and tells; what is told of none must not count for ever.
const keptMs = 20 * 60_000;

// So often one is opened all the same, however many there are.
const triedEveryMs = 60_000;

/**
 * Up to `freely` of them hold up nothing. With more the next connection tries after a second without another
 * one, with each further one after twice as long, and a second beside it when that has held: Postgres is
 * found well soon, and its places are not used up. `onMore` is told when one may be opened that could not
 * before.
 */
export function createLeftBehind(freely: number, onMore: () => void = () => {}): LeftBehind {
  const left = new Map<object, number>();
  let lastAt = Number.NEGATIVE_INFINITY;
  let pause: NodeJS.Timeout | undefined;
  return {
    add(untilDone) {
      if (untilDone === null) return;
      const entry = {};
      lastAt = performance.now();
      left.set(entry, lastAt);
      untilDone(() => {
        if (left.delete(entry)) onMore();
      });
    },
    mayOpen(others) {
      const now = performance.now();
      for (const [entry, since] of left) if (now - since > keptMs) left.delete(entry);
      if (left.size < freely) return true;
      const eachMs = Math.min(triedEveryMs, 1000 * 2 ** (left.size - freely));
      const pauseMs = lastAt + (others + 1) * eachMs - now;
      if (pauseMs <= 0) return true;
      clearTimeout(pause);
      pause = setTimeout(onMore, pauseMs).unref();
      return false;
    },
  };
}
