import { InventoryClient, indexedDbStorage, newKey } from '@inventory/client';
import { forget, keep, recall } from '../base/device-store.js';
import { noteLimit } from '../base/limit.js';
import { state, update } from '../base/state.js';
import { readReasons, recallReasons } from '../stock/reasons.js';
import { applyChanges } from './held.js';
import { fetchOnLine, isRefused } from './line.js';
import { followChanges } from './live.js';

const baseUrl = new URL(document.querySelector('meta[name=inventory-api]').content, document.baseURI).href;
// Longer, and a person looks elsewhere.
const answerWithinMs = 6000;
// The calls that an action needs, by operationId; of the others, their own.
const calls = { look: ['listLots'], teach: ['listLots', 'teachAlias'], release: ['hold'] };
const opposites = { receive: 'issue', issue: 'receive', move: 'move', count: 'count' };

const queueName = (clientId) => `inventory-console/${clientId}`;

/**
 * Signs in, in place of whoever is signed in. Throws InventoryError, and changes nothing then. `isKept`: the
 * secret stays on this device until the person signs out. `offersKeep`: the page asks whether it should.
 */
export async function signIn({ clientId, clientSecret, isKept, offersKeep = false }) {
  const credentials = { clientId, clientSecret };
  const client = openClient(credentials);
  const me = withOperations(await client.me());
  // The code that led here is used up. Else the page for signing in, which shows meanwhile, takes it again.
  update({ code: null });
  if (state.session !== null) await signOut();
  await keep('clientId', clientId);
  if (isKept) await keep('signIn', { ...credentials, me });
  await begin({ client, me, credentials, isKept, offersKeep, cursor: Promise.resolve(me.cursor) });
}

/** Goes on with the secret that was kept. Works offline, too. */
export async function resume() {
  const kept = await recall('signIn');
  if (kept === undefined) return;
  const { me, ...credentials } = kept;
  const client = openClient(credentials);
  const asking = client.me();
  const cursor = asking.then(
    (now) => now.cursor,
    () => 'now',
  );
  // Before version 0.2, it was kept without what the client may call.
  const known = me.operations === undefined ? await asking.catch(() => me) : me;
  await begin({ client, me: withOperations(known, me), credentials, isKept: true, cursor });
  asking.then(
    (now) => {
      if (!isSessionOf(client)) return;
      const whole = withOperations(now, state.session.me);
      if (now.operations !== undefined) keep('signIn', { ...credentials, me: now });
      update({ session: { ...state.session, me: whole } });
    },
    (error) => {
      if (isRefused(error, [400, 401, 403]) && isSessionOf(client)) signOut(error.message);
    },
  );
}

/** Keeps the secret on this device from now on. */
export async function keepSignIn() {
  const { credentials, me } = state.session;
  await keep('signIn', { ...credentials, me });
  update({ session: { ...state.session, isKept: true, offersKeep: false } });
}

export async function signOut(why = null) {
  const { session } = state;
  update({
    session: null,
    form: null,
    scanned: null,
    learning: null,
    notice: why && { text: why, level: 'bad' },
    waiting: 0,
    refused: [],
  });
  await forget('signIn');
  session?.stop();
  await session?.queue.close();
}

/** An api of 0.1 does not tell what the client may call. What was known before stays. */
const withOperations = (me, { operations = [] } = {}) => ({ operations, ...me });

/** How many operations wait for the client that was signed in last. */
export async function countWaiting() {
  const clientId = await recall('clientId');
  if (clientId === undefined) return 0;
  const storage = indexedDbStorage(queueName(clientId));
  const { waiting } = await storage.load();
  await storage.close();
  return waiting.length;
}

/** Whether this client is still the one that is signed in. */
export const isSessionOf = (client) => state.session?.client === client;

function openClient(credentials) {
  const client = new InventoryClient({
    baseUrl,
    ...credentials,
    exact: true,
    timeoutMs: 10_000,
    fetch: fetchWatched,
  });
  /** Every call goes through this. A client that may not go on is told so, and leaves. */
  async function fetchWatched(address, init) {
    const answer = await fetchOnLine(address, init);
    // A client that has signed out limits nobody.
    if (state.session === null || isSessionOf(client)) noteLimit(answer);
    // A portal on the way may answer anything.
    const isJson = answer.headers.get('Content-Type')?.startsWith('application/json');
    const isSecretRefused = address.endsWith('/Token') && isJson && [400, 401].includes(answer.status);
    if (isSecretRefused && isSessionOf(client))
      signOut('This client was disabled, or has another secret now. Sign in again to go on.');
    return answer;
  }
  return client;
}

/** `cursor`: a promise of where the changes begin that the service tells. */
async function begin({ client, me, credentials, isKept, offersKeep, cursor }) {
  const deviceID = (await recall('deviceID')) ?? `console-${newKey().slice(0, 8)}`;
  await keep('deviceID', deviceID);
  await recallReasons().catch(console.warn);
  const askers = new Map();
  const undoing = new Set();
  // A refusal that a person waits for is shown by the form.
  const showQueue = ({ size, refused }) => {
    // The answer may have come to another tab.
    for (const { operation, error } of refused) askers.get(operation.key)?.({ status: 'refused', error });
    const later = refused.filter(({ operation }) => !askers.has(operation.key));
    const isOver = size === 0 && state.notice?.level === 'wait';
    update({ waiting: size, refused: later, ...(isOver && { notice: null }) });
  };
  const queue = client.offlineQueue({
    storage: indexedDbStorage(queueName(me.clientId)),
    deviceID,
    onChange: showQueue,
    onDecided: ({ operation }, result) => {
      if (result.status === 'refused') undoing.delete(operation.transactionNo);
      askers.get(operation.key)?.(result);
    },
  });
  const stop = new AbortController();
  // A first read may have failed offline.
  const readNames = (changes) => changes === null && readReasons(client);
  const live = new Set([applyChanges, readNames]);
  const feed = { cursor, heardAt: Date.now() };
  update({
    session: {
      ...{ client, me, credentials, isKept, offersKeep, queue, askers, undoing, live, feed, deviceID },
      ...{ held: new Map(), untold: new Set(), toldEarly: new Set(), renewals: 0, showQueue },
      stop: () => stop.abort(),
    },
    notice: null,
    scanned: null,
    form: null,
    learning: null,
    told: null,
    // They were those of the client before.
    ...{ lastWid: null, limitedUntil: 0, looking: Promise.resolve() },
  });
  readReasons(client);
  if (can('look')) followChanges(client, live, feed, stop.signal);
}

/** Whether this client may do this: `look`, `teach`, or an operation of a form. */
export function can(action) {
  const { operations } = state.session.me;
  return (calls[action] ?? [action]).every((call) => operations.includes(call));
}

/** Whether it may undo a transaction of this kind. */
export const canUndo = (kind) => kind in opposites && can(opposites[kind]);

/**
 * Does a piece of work: stores it first, so that nothing loses it, and waits a moment for the answer. Returns `{ status:
 * 'applied', body }`, `{ status: 'refused', error }`, or `{ status: 'waiting' }`. `isSeen`: whether the person
 * still sees the answer; else a refusal stays among those that wait for one.
 */
export async function work(operation, isSeen = () => true) {
  const { queue, askers, untold, toldEarly, renewals, showQueue } = state.session;
  const key = newKey();
  const decided = new Promise((resolve) => askers.set(key, resolve));
  try {
    await queue.push({ ...operation, key });
  } catch (error) {
    // Not stored, so it is never sent.
    askers.delete(key);
    return { status: 'refused', error };
  }
  const giveUp = new Promise((resolve) => {
    setTimeout(resolve, state.isOnline ? answerWithinMs : 0, { status: 'waiting' });
  });
  const result = await Promise.race([decided, giveUp]);
  // The person sees it now. Refused later, it waits for one.
  if (result.status === 'refused' && isSeen()) await queue.forget(key);
  // Of a hold, the changes tell the lot alone.
  if (result.status === 'applied' && operation.op !== 'hold') {
    const { transactionNo } = result.body;
    const isTold = toldEarly.has(transactionNo) || state.session?.renewals !== renewals;
    if (!isTold) untold.add(transactionNo);
  }
  askers.delete(key);
  if (state.session?.queue === queue) showQueue(queue);
  if (askers.size === 0) toldEarly.clear();
  return result;
}
