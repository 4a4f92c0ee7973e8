import { setTimeout } from 'node:timers/promises';

/** The api's promise: a change of a client's rights holds for everything sent this long after it. */
export const rightsHoldAfterMs = 1000;

/**
 * Waits until a change of rights must hold: the very next request shows whether it does. Rights are forgotten
 * by the clock, so this is long enough on a slow machine, too; polling would show only that they hold
 * eventually.
 */
export async function untilRightsHold(): Promise<void> {
  await setTimeout(rightsHoldAfterMs);
}
