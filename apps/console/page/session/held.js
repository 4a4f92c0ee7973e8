import { useEffect, useState } from 'preact/hooks';
import { patiently } from '../base/limit.js';
import { state, update } from '../base/state.js';

// About thirty views that a person goes back to.
const heldMax = 90;
// A waiting call for changes is answered earlier, if only with nothing.
const silentMs = 40_000;
// What cannot be read is asked for again after this, then after twice as long.
const retryMs = 2000;
const retryMaxMs = 60_000;

/**
 * Whether what is held is as the service has it. It is not while the changes are silent, as after a sleep, or
 * more of them wait, and not before they have told what was done here last.
 */
function isCurrent({ feed, untold }) {
  return Date.now() - feed.heardAt < silentMs && !feed.isBehind && untold.size === 0;
}

/** Brings what is held up to date. `null`: anything may have changed. */
export function applyChanges(changes) {
  const { held, untold, askers, toldEarly } = state.session ?? {};
  if (held === undefined) return;
  if (changes === null) {
    held.clear();
    untold.clear();
    // Nothing that was done before is told by name any more.
    state.session.renewals += 1;
    askWarehouses().catch(console.warn);
    return;
  }
  // What is read again is read for these.
  learnWarehouses(changes);
  // The answer to what was done here may come after the change.
  for (const { transactionNo } of changes)
    if (!untold.delete(transactionNo) && askers.size > 0) toldEarly.add(transactionNo);
  for (const [key, entry] of held) {
    if (entry.missed !== null) entry.missed.push(...changes);
    else entry.value = applied(entry, changes);
    if (entry.missed === null && entry.value === undefined) held.delete(key);
  }
}

/** The warehouses of this client, and their names, are others now. */
function learnWarehouses(changes) {
  const { me } = state.session;
  let { warehouses } = me;
  for (const { type, wID, name, ...change } of changes) {
    if (type === 'scope') warehouses = change.warehouses;
    if (type === 'warehouse')
      warehouses = warehouses.map((each) => (each.wID === wID ? { ...each, name } : each));
  }
  if (warehouses === me.warehouses) return;
  const isLastMine = warehouses.some(({ wID }) => wID === state.lastWid);
  update({
    session: { ...state.session, me: { ...me, warehouses } },
    ...(!isLastMine && { lastWid: null }),
  });
}

/** Where anything may have changed, nobody tells which warehouses this client has now. */
async function askWarehouses() {
  const { client, me, live } = state.session;
  const { warehouses } = await patiently(() => client.me());
  // Nobody signed out meanwhile, and no change has told them.
  if (state.session?.me !== me || JSON.stringify(warehouses) === JSON.stringify(me.warehouses)) return;
  for (const listener of live) listener([{ type: 'scope', warehouses }]);
}

function applied({ value, apply }, changes) {
  let next = value;
  for (const change of changes) {
    if (next === undefined) return undefined;
    // Another scope shows other things.
    next = ['scope', 'warehouse'].includes(change.type) ? undefined : apply(next, change);
  }
  return next;
}

/** Reads what is held under this key again. Until that is done, and if it fails, it stays. */
export function renewHeld(key) {
  const { held, live } = state.session;
  held.get(key).isOld = true;
  for (const listener of live) listener([]);
}

/** The value held under this key; if there is none, reads one with `read` and holds it. */
function readHeld(key, read, apply) {
  const { session } = state;
  const { held } = session;
  const known = held.get(key);
  if (known !== undefined && (known.missed !== null || (!known.isOld && isCurrent(session)))) {
    // Those that were not looked at for longest are at the front.
    held.delete(key);
    held.set(key, known);
    return known.missed === null ? Promise.resolve(known.value) : known.reading;
  }
  const entry = { apply, value: undefined, missed: [] };
  held.set(key, entry);
  for (const oldest of [...held.keys()].slice(0, -heldMax)) held.delete(oldest);
  entry.reading = session.feed.cursor
    .then(() => patiently(read))
    .then(
      (value) => {
        entry.value = applied({ value, apply }, entry.missed);
        entry.missed = null;
        if (entry.value !== undefined) return entry.value;
        if (held.get(key) === entry) held.delete(key);
        // A change came while it was read.
        return readHeld(key, read, apply);
      },
      (error) => {
        if (held.get(key) === entry) {
          held.delete(key);
          // Old figures are better than none.
          const kept = () => applied(known, entry.missed) ?? known.value;
          if (known !== undefined) held.set(key, { ...known, value: kept(), isOld: true });
        }
        throw error;
      },
    );
  return entry.reading;
}

/**
 * The value that `read` gives, and why it cannot be read. It is read once, and then follows the changes:
 * `apply` gives it as it is after one, or undefined if it must be read again. `offline`: the words for want
 * of a network.
 */
export function useHeld(key, read, apply, offline) {
  const [shown, setShown] = useState(state.session.held.get(key)?.value ?? null);
  const [problem, setProblem] = useState(state.isOnline ? null : offline);
  useEffect(() => {
    let turn = 0;
    let failures = 0;
    let retry = null;
    const load = async () => {
      clearTimeout(retry);
      // Somebody signed out, and the view is about to go.
      if (state.session === null) return;
      turn += 1;
      const own = turn;
      const [found, error] = await readHeld(key, read, apply).then(
        (value) => [value, null],
        (why) => [null, why],
      );
      if (own !== turn) return;
      failures = error === null ? 0 : failures + 1;
      if (error === null) setShown(found);
      else retry = setTimeout(load, Math.min(retryMs * 2 ** (failures - 1), retryMaxMs));
      setProblem(error && (error.status === 0 ? offline : error.message));
    };
    load();
    const { live } = state.session;
    // Where much changes, each change would ask for what cannot be read.
    const listen = (changes) => (failures === 0 || changes === null) && load();
    live.add(listen);
    return () => {
      turn = -1;
      clearTimeout(retry);
      live.delete(listen);
    };
  }, [key]);
  return [shown, problem];
}
