/**
 * The pace at which callers that wait are answered. A thousand of them that see every change would otherwise
 * take the processors from those who make the changes.
 */
export type Pace = {
  /** Notes an answer with so many changes. `isShared`: its page was read for another caller, too. */
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
// Rest for each of these milliseconds: little if nothing is written, twenty times as long at some thousands of
// changes a second.
const restWhenIdle = 1;
const restPerRate = 1 / 200;
const restMaxMs = 10_000;
// Two looks at the feed that are closer together say nothing of the rate.
const rateOverMs = 40;

/** `now`: milliseconds of a clock that is never set back. */
export function createPace(now = () => performance.now()): Pace {
  let restUntil = 0;
  let last: { no: number; at: number } | null = null;
  let factor = restWhenIdle;
  const restMs = () => Math.max(0, restUntil - now());
  return {
    noteAnswer(changes, isShared) {
      const tookMs = msPerAnswer + msPerChange * changes + (isShared ? 0 : msPerPage);
      restUntil = now() + Math.min(restMs() + factor * tookMs, restMaxMs);
    },
    notePosition(no) {
      const at = now();
      if (last !== null && at - last.at < rateOverMs) return;
      const changesPerMs = last === null ? 0 : Math.max(0, no - last.no) / (at - last.at);
      factor = restWhenIdle + restPerRate * 1000 * changesPerMs;
      last = { no, at };
    },
    restMs,
  };
}
