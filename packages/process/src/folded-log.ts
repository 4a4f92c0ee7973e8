import type { Facts, Log } from './log.ts';

/** A line for the log of which there may be many alike. */
export type FoldedLine = {
  level: 'info' | 'warn' | 'error';
  /** Lines with the same key are alike. */
  key: string;
  facts: Facts;
  message: string;
  /** It tells of something that is away: all such lines together are one a second at most. */
  isOutage: boolean;
};

export type FoldedLog = {
  write(line: FoldedLine): void;
  /** Writes what was held back. */
  end(): void;
};

type Entry = { line: FoldedLine; count: number; since: number; toldAt: number };

// So often is said how many there were of the same.
const foldMs = 10_000;
const outageEveryMs = 1000;
const tickMs = 1000;
// What is not alike is of our making; should it not be, the log stays bounded all the same.
const keysMax = 200;

/**
 * Writes the first of many lines that are alike at once, and then, every ten seconds, the last one with how
 * many there were: `count` in `seconds`. While something is away it writes one line a second at most: the
 * others wait for their second, and are folded meanwhile.
 */
export function createFoldedLog(log: Log, now: () => number = () => performance.now()): FoldedLog {
  const entries = new Map<string, Entry>();
  let outageToldAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;

  function write({ line, count, since }: Entry, at: number) {
    const { level, facts, message } = line;
    if (count === 1) return log[level](facts, message);
    const seconds = Math.max(1, Math.round((at - since) / 1000));
    log[level]({ ...facts, count, seconds }, `${message}: ${count} in ${seconds} s`);
  }

  function tellIfDue(key: string, entry: Entry, isEnd = false) {
    const at = now();
    const { isOutage } = entry.line;
    const isYoung = at - entry.toldAt < foldMs;
    if (entry.count === 0) {
      if (!isYoung) entries.delete(key);
      return;
    }
    if (!isEnd && (isYoung || (isOutage && at - outageToldAt < outageEveryMs))) return;
    if (isOutage) outageToldAt = at;
    write(entry, at);
    entry.toldAt = at;
    entry.count = 0;
    // Behind the others, so that each has its second.
    entries.delete(key);
    entries.set(key, entry);
  }

  function tellAll(isEnd = false) {
    for (const [key, entry] of [...entries]) tellIfDue(key, entry, isEnd);
  }

  function tick() {
    timer = null;
    tellAll();
    watch();
  }

  function watch() {
    if (timer !== null || entries.size === 0) return;
    timer = setTimeout(tick, tickMs);
    timer.unref();
  }

  return {
    write(line) {
      const key = entries.has(line.key) || entries.size < keysMax ? line.key : 'more';
      const entry = entries.get(key) ?? { line, count: 0, since: 0, toldAt: Number.NEGATIVE_INFINITY };
      entries.set(key, entry);
      if (entry.count === 0) entry.since = now();
      entry.line = line;
      entry.count += 1;
      // The second of an outage is for the line that has waited for it longest, not for the one that comes
      // most often.
      if (line.isOutage) tellAll();
      else tellIfDue(key, entry);
      watch();
    },
    end() {
      if (timer !== null) clearTimeout(timer);
      tellAll(true);
      entries.clear();
    },
  };
}
