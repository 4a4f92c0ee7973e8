import { setTimeout } from 'node:timers/promises';
import { isUnanswered } from '@inventory/db/client';

// A connection that ended is replaced by then.
const againAfterMs = 200;

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
