import { lookEvery } from '@inventory/process/look-every';
import { print } from './print.ts';
import { createProgress, type Progress } from './progress.ts';

/** The steps of a command that may take long. */
export type Steps = {
  /** A step that has begun, without a line of its own. */
  begin(step: string): void;
  /** A line for the operator. If it ends with `…`, it is the step that begins now. */
  report(line: string): void;
  /** No step is under way any more. */
  end(): void;
};

const lookEveryMs = 500;
// Where there is no terminal, a log gets a line this often.
const tellEveryMs = 10_000;

/** Shows on a terminal how long the current step has taken; elsewhere prints a line every ten seconds. */
export function createSteps(): Steps {
  let current: { step: string; since: number; toldAt: number; progress: Progress } | null = null;

  function end() {
    current?.progress.end();
    current = null;
  }

  function begin(step: string) {
    end();
    const now = performance.now();
    current = { step: step.replace(/…$/, ''), since: now, toldAt: now, progress: createProgress() };
  }

  function look() {
    if (current === null) return;
    const { step, since, toldAt, progress } = current;
    progress.show(step);
    const now = performance.now();
    if (process.stderr.isTTY || now - toldAt < tellEveryMs) return;
    current.toldAt = now;
    print(`${step}: for ${Math.round((now - since) / 1000)} s so far`);
  }

  lookEvery(lookEveryMs, look);
  return {
    begin,
    report(line) {
      current?.progress.end();
      print(line);
      if (line.endsWith('…')) begin(line);
    },
    end,
  };
}
