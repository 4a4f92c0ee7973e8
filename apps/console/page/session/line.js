import { InventoryError } from '@inventory/client';
import { state, update } from '../base/state.js';

// A line that swallows everything shows itself by this.
const answerWithinMs = 5000;
const betweenMs = 3000;
// The time of a call may end soon after it was tried again, which says little.
const silentMs = 3000;

let asking = false;
let endPause = () => {};

/**
 * `fetch` for the calls of the service. Whether the page is offline is what they show: a call without an
 * answer makes it so, and an answer ends it. The browser knows only of its adapter, behind which there may be
 * no line.
 */
export async function fetchOnLine(address, init) {
  const askedAt = Date.now();
  try {
    const answer = await fetch(address, init);
    if (isOfService(answer)) comeBack();
    else goOffline();
    return answer;
  } catch (error) {
    const isCut = init.signal?.aborted;
    const isGivenUp = isCut && init.signal.reason?.name !== 'TimeoutError';
    // A long wait may be cut while all is well, as when the service starts again.
    const isUnclear = String(address).includes('wait=') || (isCut && Date.now() - askedAt < silentMs);
    if (!isGivenUp) isUnclear ? ask() : goOffline();
    throw error;
  }
}

/** Whether it was not given by a portal, or by a proxy that has lost the service. */
function isOfService({ type, status, headers }) {
  const isJson = headers.get('Content-Type')?.startsWith('application/json');
  return type !== 'opaqueredirect' && (status < 500 || isJson);
}

/** Whether the service itself refused a call with one of these statuses. A portal on the way may answer anything. */
export function isRefused(error, statuses) {
  const isOurs = error instanceof InventoryError && error.code !== 'unexpected_answer';
  return isOurs && statuses.includes(error.status);
}

/** Asks the service at once. */
export function hurry() {
  endPause();
  ask();
}

/** Asks until there is an answer. */
async function ask() {
  const { session } = state;
  if (asking || session === null) return;
  asking = true;
  do {
    await session.client.me({ signal: AbortSignal.timeout(answerWithinMs) }).catch(() => {});
    if (!state.isOnline) await pauseUntilHurried();
  } while (!state.isOnline && state.session === session);
  asking = false;
  // Another client signed in meanwhile.
  if (!state.isOnline) ask();
}

function pauseUntilHurried() {
  return new Promise((resolve) => {
    endPause = resolve;
    setTimeout(resolve, betweenMs);
  });
}

function goOffline() {
  if (state.isOnline) update({ isOnline: false });
  ask();
}

function comeBack() {
  if (state.isOnline) return;
  update({ isOnline: true });
  endPause();
  // The views read again: their data is missing or old.
  for (const listener of state.session?.live ?? []) listener(null);
  // The queue waits for this event.
  window.dispatchEvent(new Event('online'));
}
