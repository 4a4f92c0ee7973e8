import { InventoryError } from '@inventory/client';
import { isRefused } from './line.js';

const waitSeconds = 25;
// Calls are limited. Where much changes, one brings more.
const betweenMs = 1000;
const betweenBusyMs = 3000;
// After a longer sleep, the views are read again, not all that was changed meanwhile.
const asleepMs = 120_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Tells `listeners` what changes behind the cursor of `feed`, until the signal is aborted. `null`: anything
 * may have changed. `feed.heardAt`: when it was told last, in milliseconds.
 */
export async function followChanges(client, listeners, feed, signal) {
  const tell = (changes) => {
    for (const listener of listeners) listener(changes);
  };
  let after = await feed.cursor;
  let isBusy = false;
  for (; !signal.aborted; await pause(isBusy ? betweenBusyMs : betweenMs)) {
    const askedAt = Date.now();
    try {
      const { nextCursor, value } = await client.changes({ after, wait: waitSeconds }, { signal }).page();
      const isFirst = after === 'now';
      isBusy = value.length > 0 && Date.now() - askedAt < betweenMs;
      after = !isFirst && Date.now() - feed.heardAt > asleepMs ? 'now' : nextCursor;
      if (after === 'now') continue;
      feed.heardAt = Date.now();
      if (isFirst) tell(null);
      else if (value.length > 0) tell(value);
    } catch (error) {
      if (signal.aborted) return;
      // Another database: whatever is shown may be another, too.
      if (error instanceof InventoryError && error.reason === 'cursorOutdated') after = 'now';
      else if (isRefused(error, [401, 403])) return;
      await pause(3000);
    }
  }
}

/** Everything that a change names. */
export const namedIn = (change) => [change, ...(change.lines ?? []), ...(change.lots ?? [])];
