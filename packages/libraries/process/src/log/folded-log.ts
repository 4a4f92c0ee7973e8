import type { Facts, Log } from './log.ts';

/**
 * The role of a line in an outage. `cause`: why requests fail. `change`: a part went away or came back.
 * `trouble`: any other error meanwhile.
 */
export type OutageLine = 'cause' | 'change' | 'trouble';

/** A log line that may occur many times. */
export type FoldedLine = {
  level: 'info' | 'warn' | 'error';
  /** Lines with the same key are similar. Causes and changes have only few keys, all defined in our code. */
  key: string;
  facts: Facts;
  message: string;
  /** Not null: the line is about an outage. In total, at most one such line a second is written. */
  outage: OutageLine | null;
};

export type FoldedLog = {
  write(line: FoldedLine): void;
  /** Writes the lines that were held back. */
  end(): void;
};

type Entry = { line: FoldedLine; count: number; since: number; lastAt: number; toldAt: number };

// How often the number of similar lines is logged.
const foldMs = 10_000;
// How often the last state of parts that went away or came back is logged.
const changeFoldMs = 5000;
const outageEveryMs = 1000;
// A line that is logged this long after its event says how long ago that was, because the event may be over.
const oldFromMs = 2000;
// Shorter than the second of outage lines, so that a tick just before its end does not delay the next line.
const tickMs = 200;
// Keys come from our own code and are few; this bounds the log if that is wrong.
const keysMax = 200;
// A connection can fail in many ways, each with a line every ten seconds. The few lines that say why must not
// wait behind them. In ten seconds, the three causes take at most three lines and changes six, so the rest
// gets a turn, too.
const outageRanks: readonly OutageLine[] = ['cause', 'change', 'trouble'];

/**
 * Writes the first of many similar lines at once. After that, every ten seconds, writes the last one with
 * their number: `count` in `seconds`. While something is away, at most one line a second is written; the
 * others wait and are folded meanwhile. Causes come before changes, and changes before the rest; among
 * equals, the line that was written longest ago. So a cause is named within 15 s, whatever else is logged.
 */
export function createFoldedLog(log: Log, now: () => number = () => performance.now()): FoldedLog {
  const entries = new Map<string, Entry>();
  let outageToldAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;

  function tell(key: string, entry: Entry, at: number) {
    write(log, entry, at);
    entry.toldAt = at;
    entry.count = 0;
    // Moves it behind the others, so that each gets its second.
    entries.delete(key);
    entries.set(key, entry);
  }

  const isYoung = ({ line, toldAt }: Entry, at: number) =>
    at - toldAt < (line.outage === 'change' ? changeFoldMs : foldMs);
  const isDue = (entry: Entry, at: number) => entry.count > 0 && !isYoung(entry, at);

  /** Writes the one outage line of this second. */
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

  /** Each cause has a key of its own, so it is never counted among "more". */
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
