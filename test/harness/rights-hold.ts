import { setTimeout } from 'node:timers/promises';

/** The api's promise: a change of what a client may do holds for whatever is sent this long after it. */
export const rightsHoldAfterMs = 1000;

/**
 * Waits until a change that was just made must hold: the very next request shows whether it does. Rights are
 * forgotten by the clock, so on a slow machine, too, this is long enough; polling would show only that they
 * hold some day.
 */
export async function untilRightsHold(): Promise<void> {
  await setTimeout(rightsHoldAfterMs);
}
