/** A count, and how much of it may lie in any window. */
export type LimitedKey = { key: string; limit: number };

/**
 * The outcome of a count. `resetMs`: until the oldest leaves the window of the key that has the least left; 0
 * when nothing is counted there. `waitMs`: until every key has room for one more unit; 0 when it has.
 */
export type Taken = {
  granted: number;
  remaining: number;
  resetMs: number;
  waitMs: number;
  /** Counts so many of the granted no more: they were refused elsewhere. */
  giveBack(count: number): void;
};

export type SlidingLogs = {
  /**
   * Counts up to `asked` under all of the keys at once, as many as every one of them has room for, in whole
   * times of `unit`. Refused ones are counted nowhere: a client that waits as it is told gets through.
   */
  take(keys: readonly LimitedKey[], asked: number, unit?: number): Taken;
  /** The entries held in memory. */
  size(): { keys: number; entries: number };
};

export type SlidingLogsOptions = {
  windowMs: number;
  /** Milliseconds, by a clock that nobody sets. */
  now: () => number;
  /** Beyond so many keys the one used longest ago is forgotten. */
  keysMax?: number;
};

// All that came within a moment is one entry, dated by its last: nothing leaves the window early. So a log
// has `entriesMax` entries at most, whatever the limit is; and up to that limit the moment is the clock's own
// millisecond.
const entriesMax = 2000;

type Entry = { since: number; at: number; count: number };
type Log = { entries: Entry[]; total: number };

/**
 * Counts in the memory of this process, exactly: never more than a key's limit in any window. It holds at
 * most 2,000 small entries for each key that was used within the last window.
 */
export function createSlidingLogs({ windowMs, now: readClock, keysMax }: SlidingLogsOptions): SlidingLogs {
  // In the order in which they were last used.
  const logs = new Map<string, Log>();

  function forgetOld(now: number) {
    for (const [key, log] of logs) {
      const last = log.entries.at(-1);
      const isOver = last === undefined || now - last.at > windowMs;
      if (!isOver && logs.size <= (keysMax ?? Number.POSITIVE_INFINITY)) return;
      logs.delete(key);
    }
  }

  /** The log of a key without what has left the window. */
  function open(key: string, now: number): Log {
    const log = logs.get(key) ?? { entries: [], total: 0 };
    for (let head = log.entries[0]; head !== undefined && now - head.at > windowMs; head = log.entries[0]) {
      drop(log, head);
    }
    return log;
  }

  function count(log: Log, limit: number, granted: number, now: number): Entry {
    const momentMs = limit <= entriesMax ? 1 : windowMs / entriesMax;
    const tail = log.entries.at(-1);
    const isSameMoment = tail !== undefined && now - tail.since < momentMs;
    const entry = isSameMoment ? tail : { since: now, at: now, count: 0 };
    if (!isSameMoment) log.entries.push(entry);
    entry.at = now;
    entry.count += granted;
    log.total += granted;
    return entry;
  }

  // One that is just as old still counts.
  const leavesInMs = (entry: Entry | undefined, now: number) =>
    entry === undefined ? 0 : entry.at + windowMs + 1 - now;

  return {
    take(keys, asked, unit = 1) {
      const now = Math.floor(readClock());
      const opened = keys.map(({ key, limit }) => ({ key, limit, log: open(key, now) }));
      const rooms = opened.map(({ limit, log }) => Math.max(0, limit - log.total));
      const room = Math.min(asked, ...rooms);
      const granted = room - (room % unit);
      const counted: { log: Log; entry: Entry }[] = [];
      let remaining = Number.POSITIVE_INFINITY;
      let resetMs = 0;
      let waitMs = 0;
      for (const { key, limit, log } of opened) {
        if (granted > 0) {
          counted.push({ log, entry: count(log, limit, granted, now) });
          logs.delete(key);
          logs.set(key, log);
        }
        const left = Math.max(0, limit - log.total);
        // More is counted than may be where the limit was lowered.
        const missing = unit - (limit - log.total);
        if (granted < asked && missing > 0)
          waitMs = Math.max(waitMs, leavesInMs(lastToLeave(log, missing), now));
        const leavesMs = leavesInMs(log.entries[0], now);
        if (left < remaining || (left === remaining && leavesMs > resetMs)) {
          remaining = left;
          resetMs = leavesMs;
        }
      }
      forgetOld(now);
      return {
        granted,
        remaining,
        resetMs,
        waitMs,
        giveBack(refused) {
          for (const { log, entry } of counted) giveBackTo(log, entry, refused);
        },
      };
    },
    size: () => ({
      keys: logs.size,
      entries: [...logs.values()].reduce((sum, { entries }) => sum + entries.length, 0),
    }),
  };
}

/** The entry after whose end so many more have room. */
function lastToLeave({ entries }: Log, missing: number): Entry | undefined {
  let freed = 0;
  for (const entry of entries) {
    freed += entry.count;
    if (freed >= missing) return entry;
  }
  return entries.at(-1);
}

function giveBackTo(log: Log, entry: Entry, refused: number) {
  // None is left of what has gone out of the window meanwhile.
  const back = Math.min(refused, entry.count);
  entry.count -= back;
  log.total -= back;
  if (entry.count === 0 && back > 0) drop(log, entry);
}

function drop(log: Log, entry: Entry) {
  log.total -= entry.count;
  entry.count = 0;
  log.entries.splice(log.entries.indexOf(entry), 1);
}
