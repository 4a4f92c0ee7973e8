/** How much of the time something was under way. */
export type BusyTime = {
  /** Begins a piece of work; the returned function ends it. */
  begin(): () => void;
  /** From 0 to 1, of the last ten seconds, or of the time since the start. */
  ratio(): number;
};

const sliceMs = 1000;
const slicesKept = 10;

/** Pieces of work that overlap count once. `now`: as `performance.now()`. */
export function createBusyTime(now: () => number = () => performance.now()): BusyTime {
  let underWay = 0;
  let busySince = 0;
  let busyMs = 0;
  // The total busy time, noted about once a second, the oldest first.
  const marks = [{ at: now(), busyMs: 0 }];

  const sumAt = (at: number) => busyMs + (underWay > 0 ? at - busySince : 0);

  function mark() {
    const at = now();
    if (at - marks.at(-1)!.at >= sliceMs) marks.push({ at, busyMs: sumAt(at) });
    // One that is older than the window stays: the window begins between it and the next.
    while (marks.length > 1 && at - marks[1]!.at >= slicesKept * sliceMs) marks.shift();
  }

  return {
    begin() {
      mark();
      if (underWay === 0) busySince = now();
      underWay += 1;
      return () => {
        underWay -= 1;
        if (underWay === 0) busyMs += now() - busySince;
        mark();
      };
    },
    ratio() {
      mark();
      const at = now();
      const first = marks[0]!;
      return at === first.at ? 0 : Math.min(1, (sumAt(at) - first.busyMs) / (at - first.at));
    },
  };
}
