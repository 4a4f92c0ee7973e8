import { addCount } from '@inventory/turns/add-count';

/**
 * The rests between answers to callers that wait, for each client its own. A thousand callers that see every
 * change would otherwise take the processors from those who make the changes.
 */
export type Rests = {
  /** Counts a caller that waits, until the returned function is called. */
  enter(clientId: string): () => void;
  /** How many callers of a client wait. */
  callersOf(clientId: string): number;
  /** Notes an answer with so many changes. `isShared`: its page was read for another caller. */
  noteAnswer(clientId: string, changes: number, isShared: boolean): void;
  /** Notes how far the feed is now. It shows how much is written. */
  notePosition(no: number): void;
  /** Milliseconds until such callers of a client are answered again. 0: they are now. */
  restMs(clientId: string): number;
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
export function createRests(now = () => performance.now()): Rests {
  const callers = new Map<string, number>();
  const restUntil = new Map<string, number>();
  let callerCount = 0;
  let last: { no: number; at: number } | null = null;
  let factor = restWhenIdle;
  const restMs = (clientId: string) => Math.max(0, (restUntil.get(clientId) ?? 0) - now());

  /** Clients that rest at the same time share the processors. Forgets those that rest no longer. */
  function countResting(): number {
    for (const [clientId, until] of restUntil) if (until <= now()) restUntil.delete(clientId);
    return restUntil.size;
  }

  return {
    enter(clientId) {
      callerCount += 1;
      addCount(callers, clientId, 1);
      return () => {
        callerCount -= 1;
        addCount(callers, clientId, -1);
      };
    },
    callersOf: (clientId) => callers.get(clientId) ?? 0,
    noteAnswer(clientId, changes, isShared) {
      if (callerCount <= fewCallers) return;
      const others = countResting() - (restUntil.has(clientId) ? 1 : 0);
      const tookMs = msPerAnswer + msPerChange * changes + (isShared ? 0 : msPerPage);
      const moreMs = factor * tookMs * (1 + others);
      restUntil.set(clientId, now() + Math.min(restMs(clientId) + moreMs, restMaxMs));
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
