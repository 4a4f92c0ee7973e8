import type { Facts, Log } from './log.ts';

/**
 * The part of a line in an outage. `cause`: why requests fail; `change`: something went away or came back;
 * `trouble`: any other error meanwhile.
 */
export type OutageLine = 'cause' | 'change' | 'trouble';

/** A line for the log of which there may be many alike. */
export type FoldedLine = {
  level: 'info' | 'warn' | 'error';
  /** Lines with the same key are alike. Those of causes and changes are few, and bounded by us. */
  key: string;
  facts: Facts;
  message: string;
  /** Not null: the line is about an outage; there is at most one such line a second in all. */
  outage: OutageLine | null;
};

export type FoldedLog = {
  write(line: FoldedLine): void;
  /** Writes what was held back. */
  end(): void;
};

type Entry = { line: FoldedLine; count: number; since: number; lastAt: number; toldAt: number };

// How often the number of equal lines is logged,
const foldMs = 10_000;
// and the last state of what went away or came back.
const changeFoldMs = 5000;
const outageEveryMs = 1000;
// A line logged this long after its event says how long: the event may be over.
const oldFromMs = 2000;
// Shorter than the second of an outage: a tick that comes just before one must not cost the next.
const tickMs = 200;
// Keys come from our own code and are few; this bounds the log if that is wrong.
const keysMax = 200;
// A connection fails in many ways, each of them a line for every ten seconds; the few lines that say why must
// not wait behind them. Of ten seconds the three causes take three at most and changes six, so the rest has
// its turn, too.
const outageRanks: readonly OutageLine[] = ['cause', 'change', 'trouble'];

/**
 * Writes the first of many lines that are alike at once, and then, every ten seconds, the last one with how
 * many there were: `count` in `seconds`. While something is away it writes one line a second at most: the
 * others wait for their second, and are folded meanwhile. The second is for a cause before a change, and for
 * a change before the rest; among its like for the line that was told longest ago. So a cause is named within
 * 15 s, whatever else there is to tell.
 */
export function createFoldedLog(log: Log, now: () => number = () => performance.now()): FoldedLog {
  const entries = new Map<string, Entry>();
  let outageToldAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;

  function tell(key: string, entry: Entry, at: number) {
    write(log, entry, at);
    entry.toldAt = at;
    entry.count = 0;
    // Behind the others, so that each has its second.
    entries.delete(key);
    entries.set(key, entry);
  }

  const isYoung = ({ line, toldAt }: Entry, at: number) =>
    at - toldAt < (line.outage === 'change' ? changeFoldMs : foldMs);
  const isDue = (entry: Entry, at: number) => entry.count > 0 && !isYoung(entry, at);

  /** The second of an outage is for one line. */
  function tellOutage(at: number) {
    if (at - outageToldAt < outageEveryMs) return;
    const due = [...entries].filter(([, entry]) => isDue(entry, at));
    for (const rank of outageRanks) {
      const first = due.find(([, { line }]) => line.outage === rank);
      if (first === undefined) continue;
      outageToldAt = at;
      return tell(...first, at);
    }
  }

  function tick() {
    timer = null;
    const at = now();
    for (const [key, entry] of [...entries]) {
      if (entry.count === 0 && !isYoung(entry, at)) entries.delete(key);
      else if (entry.line.outage === null && isDue(entry, at)) tell(key, entry, at);
    }
    tellOutage(at);
    watch();
  }

  function watch() {
    if (timer !== null || entries.size === 0) return;
    timer = setTimeout(tick, tickMs);
    timer.unref();
  }

  /** A cause is never one of "more". */
  function keyOf({ key, outage }: FoldedLine): string {
    const isFew = outage === 'cause' || outage === 'change';
    return isFew || entries.has(key) || entries.size < keysMax ? key : 'more';
  }

  return {
    write(line) {
      const at = now();
      const key = keyOf(line);
      const entry = entries.get(key) ?? {
        line,
        count: 0,
        since: 0,
        lastAt: 0,
        toldAt: Number.NEGATIVE_INFINITY,
      };
      entries.set(key, entry);
      if (entry.count === 0) entry.since = at;
      entry.line = line;
      entry.lastAt = at;
      entry.count += 1;
      if (isDue(entry, at)) {
        if (line.outage === null) tell(key, entry, at);
        else tellOutage(at);
      }
      watch();
    },
    end() {
      if (timer !== null) clearTimeout(timer);
      const at = now();
      for (const entry of entries.values()) if (entry.count > 0) write(log, entry, at);
      entries.clear();
    },
  };
}

function write(log: Log, { line, count, since, lastAt }: Entry, at: number): void {
  const { level, message } = line;
  const ago = at - lastAt < oldFromMs ? {} : { secondsAgo: Math.round((at - lastAt) / 1000) };
  const facts = { ...line.facts, ...ago };
  if (count === 1) {
    log[level](facts, message);
    return;
  }
  const seconds = Math.max(1, Math.round((at - since) / 1000));
  log[level]({ ...facts, count, seconds }, `${message}: ${count} in ${seconds} s`);
}
