// Enough to see that it goes on, on a terminal and in the log of a nightly job.
const stepPercent = 5;

/**
 * Writes a line when a step begins and whenever it has come some percent further, with the seconds since the
 * first call of this function. `done`: 0 … 1, null where nobody knows.
 */
export function createProgress(write: (line: string) => void): (step: string, done: number | null) => void {
  const startedAt = performance.now();
  let last = { step: '', percent: 0 };
  return (step, done) => {
    const percent = Math.floor((done ?? 0) * 100);
    const isNews =
      step !== last.step || percent >= last.percent + stepPercent || (percent === 100 && last.percent < 100);
    if (!isNews) return;
    last = { step, percent };
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    write(`${seconds.padStart(7)} s  ${step}${done === null ? '' : `  ${percent} %`}`);
  };
}
