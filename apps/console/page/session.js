import { InventoryClient, InventoryError, indexedDbStorage, newKey } from '@inventory/client';
import { forget, keep, recall } from './device-store.js';
import { followChanges } from './live.js';
import { state, update } from './state.js';

const baseUrl = new URL(document.querySelector('meta[name=inventory-api]').content, document.baseURI).href;
// Longer, and a person looks elsewhere.
const answerWithinMs = 6000;
// What each action needs, by securityID.
const needs = { receive: [95], issue: [88], move: [15], count: [95, 88], look: [11] };
const opposites = { receive: 'issue', issue: 'receive', move: 'move', count: 'count' };

const queueName = (clientId) => `inventory-console/${clientId}`;

/** Signs in. Throws InventoryError. `isKept`: the secret stays on this device until the person signs out. */
export async function signIn({ clientId, clientSecret, isKept }) {
  const client = openClient({ clientId, clientSecret });
  const me = await client.me();
  await keep('clientId', clientId);
  if (isKept) await keep('signIn', { clientId, clientSecret, me });
  await begin(client, me);
}

/** Goes on with the secret that was kept. Works offline, too. */
export async function resume() {
  const kept = await recall('signIn');
  if (kept === undefined) return;
  const client = openClient(kept);
  await begin(client, kept.me);
  client.me().then(
    (me) => {
      if (state.session?.client !== client) return;
      keep('signIn', { ...kept, me });
      update({ session: { ...state.session, me } });
    },
    (error) => {
      if (isSignInRefused(error)) signOut(error.message);
    },
  );
}

export async function signOut(why = null) {
  const { session } = state;
  update({
    session: null,
    form: null,
    scanned: null,
    notice: why && { text: why, level: 'bad' },
    waiting: 0,
    refused: [],
  });
  await forget('signIn');
  session?.stop();
  await session?.queue.close();
}

/** Whether the service refused the client or its secret. */
function isSignInRefused(error) {
  // A portal on the way may answer anything.
  const isOurs = error instanceof InventoryError && error.code !== 'unexpected_answer';
  return isOurs && [400, 401, 403].includes(error.status);
}

/** How many operations wait for the client that was signed in last. */
export async function countWaiting() {
  const clientId = await recall('clientId');
  if (clientId === undefined) return 0;
  const storage = indexedDbStorage(queueName(clientId));
  const { waiting } = await storage.load();
  await storage.close();
  return waiting.length;
}

function openClient({ clientId, clientSecret }) {
  return new InventoryClient({ baseUrl, clientId, clientSecret, exact: true, timeoutMs: 10_000 });
}

async function begin(client, me) {
  const deviceID = (await recall('deviceID')) ?? `console-${newKey().slice(0, 8)}`;
  await keep('deviceID', deviceID);
  const askers = new Map();
  const queue = client.offlineQueue({
    storage: indexedDbStorage(queueName(me.clientId)),
    deviceID,
    // A refusal that a person waits for is shown by the form.
    onChange({ size, refused }) {
      const later = refused.filter(({ operation }) => !askers.has(operation.key));
      const isOver = size === 0 && state.notice?.level === 'wait';
      update({ waiting: size, refused: later, ...(isOver && { notice: null }) });
    },
    onDecided: ({ operation }, result) => askers.get(operation.key)?.(result),
  });
  const stop = new AbortController();
  const live = new Set();
  update({
    session: { client, me, queue, askers, live, stop: () => stop.abort() },
    notice: null,
    scanned: null,
    form: null,
  });
  if (can('look')) followChanges(client, live, stop.signal);
}

/** Whether the client that is signed in may do this: `look`, `receive`, `move`, `issue` or `count`. */
export function can(action) {
  const { me } = state.session;
  if (me.readOnly && action !== 'look') return false;
  return needs[action].every((needed) => me.permissions.some(({ securityID }) => securityID === needed));
}

/** Whether it may undo a transaction of this kind. */
export const canUndo = (kind) => kind in opposites && can(opposites[kind]);

/**
 * Does a piece of work: stores it first, so that nothing loses it, and waits a moment for the answer. Returns `{ status:
 * 'applied', body }`, `{ status: 'refused', error }`, or `{ status: 'waiting' }`.
 */
export async function work(operation) {
  const { queue, askers } = state.session;
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
  if (result.status === 'refused') await queue.forget(key);
  askers.delete(key);
  return result;
}
