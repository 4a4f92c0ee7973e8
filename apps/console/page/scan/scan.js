import { noteFocus } from '../base/focus.js';
import { isBusySince, patiently } from '../base/limit.js';
import { go } from '../base/routes.js';
import { state, update } from '../base/state.js';
import { isTouched, takeIn } from '../forms/form-scan.js';
import { hurry } from '../session/line.js';
import { can, isSessionOf } from '../session/session.js';
import { isSignInCode, takeSignInCode } from '../session/sign-in-code.js';
import { sameThings } from '../stock/matches.js';
import { keepSpot } from '../stock/spots.js';

// A person who waits longer believes that the scanner failed.
const answerWithinMs = 5000;

let newest = 0;

/**
 * Asks what a code is, and shows it, or takes it into the open form. Codes keep their order. The end of a
 * code is another code, or a part of a secret, so nobody is asked, and it is not shown.
 */
export function scan(text, isWhole = true) {
  if (text === '') return;
  if (isSignInCode(text, isWhole)) return takeSignInCode(text);
  const data = isWhole ? text : '…';
  newest += 1;
  const { client } = state.session;
  const focused = document.activeElement?.name;
  const scanned = { client, data, number: newest, focused, isLeftAlone: noteFocus() };
  const looking = { data, isLooking: true };
  if (state.learning !== null) update({ learning: { ...state.learning, note: looking } });
  else if (state.form === null) update({ scanned: looking, notice: null });
  else update({ form: { ...state.form, note: looking } });
  const asked = isWhole ? lookUp(data) : { error: 'The start of this code may be missing. Scan it again.' };
  state.looking = state.looking.then(async () => take(scanned, await asked)).catch(console.error);
}

async function take({ client, data, number, focused, isLeftAlone }, found) {
  // Its form may close.
  await state.form?.confirming;
  if (!isSessionOf(client)) return;
  const movesFocus = isLeftAlone();
  const things = sameThings(found.matches ?? []);
  if (state.learning !== null) return takeWhileLearning(data, found, things);
  if (state.form !== null && (isTouched(state.form) || !leadsAway(things)))
    return takeIn({ data, ...found, things }, focused, movesFocus);
  // A code that is scanned after another replaces it.
  if (number !== newest) return;
  state.told = null;
  if (things.length === 1) return choose(things[0], found.gs1);
  update({ scanned: { data, ...found, matches: things, movesFocus }, form: null });
}

/** A code that is scanned while another is being taught may name its item; nothing else closes that form. */
function takeWhileLearning(data, { error, isOffline }, things) {
  const { kind, code } = state.learning;
  const items = new Map(
    things.filter(({ partNo }) => partNo !== undefined).map((thing) => [thing.partNo, thing]),
  );
  if (kind === 'teach' && items.size === 1)
    return update({
      learning: { ...state.learning, item: items.values().next().value, problem: null, note: null },
    });
  const isOwn = data.trim() === code;
  const words = isOffline
    ? 'Offline: could not look up'
    : error
      ? 'Could not look up'
      : 'Nothing was changed by';
  const rest = isOwn ? 'It is the code of this form.' : (error ?? 'Confirm or cancel first.');
  update({ learning: { ...state.learning, note: { data, words, rest } } });
}

/** Whether these are things of another kind than the open form is about. */
function leadsAway(things) {
  const { itemID } = state.form.values;
  return things.length > 0 && things.every(({ kind, shortID }) => kind !== 'spot' && shortID !== itemID);
}

/** Shows one match, and keeps what the code tells beyond it. `gs1`: its parts, if it is a label of GS1. */
export function choose(match, gs1) {
  const { kind, operation, description } = match;
  update({ scanned: null, form: null });
  if (kind === 'spot') {
    keepSpot(match.wID, match.spot).catch(console.warn);
    return go('lots', '', { spot: match.spot, wid: match.wID });
  }
  const isLot = !['item', 'alias'].includes(kind);
  const { units, serial, serial2, expires, netWeight } = operation?.body ?? {};
  // What one scan of the label stands for, and the number of its pallet.
  const scanned = { units, sscc: gs1?.sscc ?? undefined };
  if (isLot) go('lot', String(match.recNo));
  else go('item', match.shortID);
  const fills = isLot ? scanned : { ...scanned, serial, serial2, expires, netWeight };
  state.told = { description, fills, at: Date.now(), address: location.hash };
}

async function lookUp(data) {
  if (!can('look')) return { isOffline: true };
  if (!state.isOnline) {
    hurry();
    return { isOffline: true };
  }
  const askedAt = Date.now();
  try {
    const { client } = state.session;
    const ask = () => client.scan({ scans: [{ data }] }, { signal: AbortSignal.timeout(answerWithinMs) });
    // It may wait longer than its client stays.
    const { results } = await patiently(() => (isSessionOf(client) ? ask() : { results: [{}] }));
    return results[0];
  } catch (error) {
    const isSilent = error.status === 0;
    if (!state.isOnline || (isSilent && !isBusySince(askedAt))) return { isOffline: true };
    return { error: isSilent ? 'The service is busy. Scan again.' : error.message };
  }
}
