import { messageOf } from '@inventory/process/log/describe-error';
import { within } from '@inventory/process/within';

/** How a check ended. `unknown`: it could not be looked at, and is neither good nor bad. */
export type State = 'ok' | 'warn' | 'fail' | 'unknown';

/** The result of a check. `remedy`: how to fix it; null when there is nothing to fix. */
export type Finding = { state: State; found: string; remedy: string | null };

/** One line of `doctor`; what it prints with --json is a list of these. */
export type Check = { id: string; state: State; found: string; wanted: string; remedy: string | null };

/** A check before it is made. */
export type Question<On> = { id: string; wanted: string; look: (on: On) => Promise<Finding> };

/** Longer than any look takes on a slow machine, and short enough that all of `doctor` ends within 15 s. */
export const lookWithinMs = 8000;

export function ok(found: string): Finding {
  return { state: 'ok', found, remedy: null };
}

export function warn(found: string, remedy: string): Finding {
  return { state: 'warn', found, remedy };
}

export function fail(found: string, remedy: string): Finding {
  return { state: 'fail', found, remedy };
}

export function unknown(found: string, remedy: string | null = null): Finding {
  return { state: 'unknown', found, remedy };
}

/** Makes all of these checks; one that fails to be made, or takes too long, is unknown and says why. */
export async function makeChecks<On>(on: On, questions: readonly Question<On>[]): Promise<Check[]> {
  return Promise.all(
    questions.map(async ({ id, wanted, look }) => {
      const finding = await within(lookWithinMs, look(on)).catch((error: unknown) =>
        unknown(`could not be checked: ${messageOf(error)}`),
      );
      return { id, wanted, ...finding };
    }),
  );
}

/** The same checks where what they ask is not there. */
export function unaskedChecks(questions: readonly { id: string; wanted: string }[], why: string): Check[] {
  return questions.map(({ id, wanted }) => ({ id, wanted, ...unknown(why) }));
}

/** A difference of clocks, in words and in milliseconds; 0 where it is less than what can be measured. */
export function describeClock(
  name: string,
  { aheadMs, errorMs }: { aheadMs: number; errorMs: number },
): { text: string; differenceMs: number; answers?: boolean } {
  const seconds = Math.abs(aheadMs) / 1000;
  const isWithin = Math.abs(aheadMs) <= errorMs + 100;
  const words = isWithin
    ? 'as this machine'
    : `${seconds.toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine`;
  return { text: `${name} ${words}`, differenceMs: isWithin ? 0 : aheadMs };
}

/** Bytes as people read them. */
export function describeBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
