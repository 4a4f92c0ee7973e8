import { InventoryError } from '@inventory/client';
import { isRefused } from './line.js';

const waitSeconds = 25;
// As many as one batch makes.
const limit = 500;
// Calls are limited. Where much changes, one brings more.
const betweenMs = 1000;
const betweenBusyMs = 3000;
// After a longer sleep, the views are read again, not all that was changed meanwhile.
const asleepMs = 120_000;
// The page cannot keep up where so many calls at once leave more to tell. Then it does the same, after this
// pause, because the views need calls, too.
const callsMax = 2;
const behindMs = 10_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Tells `listeners` what changes behind the cursor of `feed`, until the signal is aborted. `null`: anything
 * may have changed. `feed.heardAt`: when it was told last, in milliseconds. `feed.isBehind`: more waits to be
 * told.
 */
export async function followChanges(client, listeners, feed, signal) {
  const tell = (changes) => {
    for (const listener of listeners) listener(changes);
  };
  let after = await feed.cursor;
  let isBusy = false;
  // The changes of each call, not told yet: a view that is told while more waits would be read again.
  let read = [];
  for (; !signal.aborted; await pause(feed.isBehind ? 0 : isBusy ? betweenBusyMs : betweenMs)) {
    const askedAt = Date.now();
    try {
      const asked = client.changes({ after, limit, wait: waitSeconds }, { signal });
      const { nextCursor, value, hasMore } = await asked.page();
      const isFirst = after === 'now';
      isBusy = value.length > 0 && Date.now() - askedAt < betweenMs;
      feed.isBehind = hasMore;
      read.push(value);
      const isLost = hasMore && read.length === callsMax;
      if (isLost) await pause(behindMs);
      after = isLost || (!isFirst && Date.now() - feed.heardAt > asleepMs) ? 'now' : nextCursor;
      if (hasMore && after !== 'now') continue;
      const changes = read.flat();
      read = [];
      if (after === 'now') continue;
      feed.heardAt = Date.now();
      if (isFirst) tell(null);
      else if (changes.length > 0) tell(changes);
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
