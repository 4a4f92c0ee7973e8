import type { Log } from './log.ts';

// It costs nothing, but it tells of a machine that does not follow its time server.
const wrongFromSeconds = 1;

/** Says once that a clock is wrong, and once more when it is wrong again. */
export function warnOfClock(log: Log): (differenceSeconds: number) => void {
  let warned = false;
  return (differenceSeconds) => {
    const isWrong = Math.abs(differenceSeconds) > wrongFromSeconds;
    if (isWrong && !warned) {
      log.warn(
        { differenceSeconds },
        'the clock of Postgres and that of this process differ; Postgres counts',
      );
    }
    warned = isWrong;
  };
}
