import type { Log } from './log/log.ts';

// It does no harm, but it shows that a machine does not follow its time server.
const wrongFromSeconds = 1;

/** Logs once when a clock is wrong, and again if it becomes wrong again. */
export function warnOfClock(log: Log): (differenceSeconds: number) => void {
  let warned = false;
  return (differenceSeconds) => {
    const isWrong = Math.abs(differenceSeconds) > wrongFromSeconds;
    if (isWrong && !warned) {
      log.warn(
        { differenceSeconds },
        'the clock of Postgres and that of this process differ; the service follows Postgres',
      );
    }
    warned = isWrong;
  };
}
