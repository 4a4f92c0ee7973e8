/**
 * The pace at which callers that wait are answered. A thousand of them that see every change would otherwise
 * take the processors from those who make the changes.
 */
export type Pace = {
  /** Counts a caller that waits, until the returned function is called. */
  enter(): () => void;
  /** Notes an answer with so many changes. `isShared`: its page was read for another caller. */
  noteAnswer(changes: number, isShared: boolean): void;
  /** Notes how far the feed is now. Tells the pace how much is written. */
  notePosition(no: number): void;
  /** Milliseconds until such callers are answered again. 0: they are now. */
  restMs(): number;
};

// The time of the processors that an answer takes, and a page that is read for it.
const msPerAnswer = 0.4;
const msPerPage = 2;
const msPerChange = 0.002;
// Rest for each of these milliseconds: as long if nothing is written, twenty times as long from some hundred
// changes a second on. Not in proportion beyond that: writers that are held up make fewer.
const restWhenIdle = 1;
const restPerRate = 1 / 10;
const restPartMax = 20;
const restMaxMs = 20_000;
// So few callers take nothing from others.
const fewCallers = 32;
// Two looks at the feed that are closer together say nothing of the rate.
const rateOverMs = 40;

/** `now`: milliseconds of a clock that is never set back. */
export function createPace(now = () => performance.now()): Pace {
  let callers = 0;
  let restUntil = 0;
  let last: { no: number; at: number } | null = null;
  let factor = restWhenIdle;
  const restMs = () => Math.max(0, restUntil - now());
  return {
    enter() {
      callers += 1;
      return () => {
        callers -= 1;
      };
    },
    noteAnswer(changes, isShared) {
      if (callers <= fewCallers) return;
      const tookMs = msPerAnswer + msPerChange * changes + (isShared ? 0 : msPerPage);
      restUntil = now() + Math.min(restMs() + factor * tookMs, restMaxMs);
    },
    notePosition(no) {
      const at = now();
      if (last !== null && at - last.at < rateOverMs) return;
      const changesPerMs = last === null ? 0 : Math.max(0, no - last.no) / (at - last.at);
      factor = Math.min(restWhenIdle + restPerRate * 1000 * changesPerMs, restPartMax);
      last = { no, at };
    },
    restMs,
  };
}
