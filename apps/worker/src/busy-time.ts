/** Measures the part of the time in which work was under way. */
export type BusyTime = {
  /** Begins a piece of work. The returned function ends it. */
  begin(): () => void;
  /** From 0 to 1, over the last ten seconds, or since the start. */
  ratio(): number;
};

const sliceMs = 1000;
const slicesKept = 10;

/** Overlapping pieces of work count once. `now`: like `performance.now()`. */
export function createBusyTime(now: () => number = () => performance.now()): BusyTime {
  let underWay = 0;
  let busySince = 0;
  let busyMs = 0;
  // The total busy time, recorded about once a second, oldest first.
  const marks = [{ at: now(), busyMs: 0 }];

  const sumAt = (at: number) => busyMs + (underWay > 0 ? at - busySince : 0);

  function mark() {
    const at = now();
    if (at - marks.at(-1)!.at >= sliceMs) marks.push({ at, busyMs: sumAt(at) });
    // One mark older than the window stays, because the window begins between it and the next one.
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
