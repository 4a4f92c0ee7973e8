import { setTimeout } from 'node:timers/promises';
import { isUnanswered } from '@inventory/postgres/pool';

// A broken connection has been replaced by then.
const againAfterMs = 200;

/** For `catch`: returns `value` if Postgres did not answer; rethrows other errors. */
export function whenUnanswered<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isUnanswered(error)) return value;
    throw error;
  };
}

/**
 * Calls `ask` again while Postgres cannot answer, until `untilMs` of `performance.now()`. `ask` must be safe
 * to repeat.
 */
export async function askAgain<T>(untilMs: number, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnanswered(error) || performance.now() + againAfterMs > untilMs) throw error;
      await setTimeout(againAfterMs);
    }
  }
}
