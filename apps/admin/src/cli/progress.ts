import { plain } from './plain-text.ts';

const quietMs = 1000;
const everyMs = 500;

/** How far a command is, for a terminal. */
export type Progress = {
  /** Shows this in the place of what was shown before. */
  show(text: string): void;
  /** Takes it away again. */
  end(): void;
};

/**
 * Says on a terminal how far a long command is, on one line of standard error that is gone in the end.
 * Where no terminal is, and for what takes no longer than a second, nothing. /
 */
export function createProgress(): Progress {
  const { stderr } = process;
  const startedAt = performance.now();
  let shownAt = startedAt + quietMs - everyMs;
  let isShown = false;
  return {
    show(text) {
      const now = performance.now();
      if (!stderr.isTTY || now - shownAt < everyMs) return;
      shownAt = now;
      isShown = true;
      // Cut where the line ends: one that breaks is not gone when it is taken away.
      const line = `${Math.floor((now - startedAt) / 1000)} s  ${text}`.slice(0, (stderr.columns || 80) - 1);
      stderr.write(`\r${plain(line)}\u001b[K`);
    },
    end() {
      if (isShown) stderr.write('\r\u001b[K');
      isShown = false;
    },
  };
}

/** A step and how much of it is done: `done` 0 … 1, null where nobody knows. */
export function stepText(step: string, done: number | null): string {
  return done === null ? step : `${step}  ${Math.floor(done * 100)} %`;
}

/** So many of so many rows. */
export function rowsText(done: number, what: string, total?: number): string {
  return total === undefined ? `${done} ${what}` : `${done} of ${total} ${what}`;
}
