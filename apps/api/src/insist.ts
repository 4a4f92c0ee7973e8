import { setTimeout } from 'node:timers/promises';
import { isUnanswered } from '@inventory/db/pool';

// A connection that ended is replaced by then.
const againAfterMs = 200;

/** To catch with: `value` where Postgres gave no answer; other errors go on. */
export function whenUnanswered<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isUnanswered(error)) return value;
    throw error;
  };
}

/**
 * What `ask` gives; asked again, until `untilMs` of `performance.now()`, while Postgres cannot say. For what
 * may be asked twice.
 */
export async function insist<T>(untilMs: number, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnanswered(error) || performance.now() + againAfterMs > untilMs) throw error;
      await setTimeout(againAfterMs);
    }
  }
}
