import { plain } from './plain-text.ts';

const quietMs = 1000;
const everyMs = 500;

/** The progress of a command, on a terminal. */
export type Progress = {
  /** Replaces what was shown before. */
  show(text: string): void;
  /** Clears it. */
  end(): void;
};

/**
 * Shows the progress of a long command on one line of standard error, which is cleared at the end. Shows
 * nothing during the first second, or where standard error is no terminal.
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
      // Cut to the terminal's width: a line that wraps cannot be cleared.
      const line = `${Math.floor((now - startedAt) / 1000)} s  ${text}`.slice(0, (stderr.columns || 80) - 1);
      stderr.write(`\r${plain(line)}\u001b[K`);
    },
    end() {
      if (isShown) stderr.write('\r\u001b[K');
      isShown = false;
    },
  };
}

/** A step and how much of it is done: `done` is 0 … 1, or null when unknown. */
export function stepText(step: string, done: number | null): string {
  return done === null ? step : `${step}  ${Math.floor(done * 100)} %`;
}

/** How many rows are done, and of how many. */
export function rowsText(done: number, what: string, total?: number): string {
  return total === undefined ? `${done} ${what}` : `${done} of ${total} ${what}`;
}
