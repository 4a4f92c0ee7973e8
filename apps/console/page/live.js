import { InventoryError } from '@inventory/client';
import { useEffect, useState } from 'preact/hooks';
import { state } from './state.js';

const waitSeconds = 25;
// Calls are limited, and views read again after each page of changes.
const betweenMs = 1000;
// After a longer sleep, the views are read again, not all that was changed meanwhile.
const asleepMs = 120_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Tells `listeners` what changes, until the signal is aborted. `null`: anything may have changed. */
export async function followChanges(client, listeners, signal) {
  let answeredAt = Date.now();
  for (let after = 'now'; !signal.aborted; await pause(betweenMs)) {
    try {
      const { nextCursor, value } = await client.changes({ after, wait: waitSeconds }, { signal }).page();
      const changes = after === 'now' ? null : value;
      const wasAsleep = Date.now() - answeredAt > asleepMs;
      answeredAt = Date.now();
      after = wasAsleep ? 'now' : nextCursor;
      if (changes === null || changes.length > 0) for (const listener of listeners) listener(changes);
    } catch (error) {
      if (signal.aborted) return;
      // Another database: whatever is shown may be another, too.
      if (error instanceof InventoryError && error.reason === 'cursorOutdated') after = 'now';
      else if (error instanceof InventoryError && [401, 403].includes(error.status)) return;
      await pause(3000);
    }
  }
}

/** Everything that a change names. */
export const namedIn = (change) => [change, ...(change.lines ?? []), ...(change.lots ?? [])];

/**
 * What `read` gives, and why it cannot be read; read when the view appears and when a change comes that is about it.
 * `offline`: the words for want of a network.
 */
export function useLive(read, isAbout, offline) {
  const [shown, setShown] = useState(null);
  const [problem, setProblem] = useState(state.isOnline ? null : offline);
  useEffect(() => {
    const load = () =>
      read().then(
        (found) => {
          setShown(found);
          setProblem(null);
        },
        (error) => setProblem(error.status === 0 ? offline : error.message),
      );
    load();
    const { live } = state.session;
    const listener = (changes) => (changes === null || changes.some(isAbout)) && load();
    live.add(listener);
    // What could not be read, or is old.
    window.addEventListener('online', load);
    return () => {
      live.delete(listener);
      window.removeEventListener('online', load);
    };
  }, []);
  return [shown, problem];
}
