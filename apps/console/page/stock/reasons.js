import { keep, recall } from '../base/device-store.js';
import { patiently } from '../base/limit.js';
import { state, update } from '../base/state.js';

const pageSize = 250;
// Names seldom change. A view that opens later reads them again.
const freshMs = 300_000;

// The last code of each operation, on this device.
const lastCodes = new Map();
const otherTabs = new BroadcastChannel('last-reasons');
otherTabs.onmessage = ({ data: [op, code] }) => lastCodes.set(op, code);

/** The reason that was given last for this operation on this device, as the text of a field. */
export function lastReason(op) {
  const code = lastCodes.get(op) ?? '';
  return reasonsOf(op).find(({ reasonCode }) => String(reasonCode) === code)?.text ?? code;
}

export function keepReason(op, code) {
  lastCodes.set(op, String(code));
  otherTabs.postMessage([op, String(code)]);
  return keep(`reason/${op}`, String(code));
}

let readFor = null;
let readAt = 0;

/**
 * Reads the names of reasons, unless they were read a moment ago. Offline, those count that this device has
 * kept.
 */
export async function readReasons(client) {
  if (readFor === client && Date.now() - readAt < freshMs) return;
  [readFor, readAt] = [client, Date.now()];
  const list = client.reasons({ pageSize });
  const read = (page) =>
    state.session?.client === client ? list.page(page) : Promise.reject(new Error('signed out'));
  try {
    const reasons = [];
    for (let page = 1, hasMore = true; hasMore; page++) {
      const answer = await patiently(() => read(page));
      reasons.push(...answer.value);
      hasMore = answer.hasMore;
    }
    update({ reasons });
    await keep('reasons', reasons);
  } catch (error) {
    // A service of an older version has none.
    if (error.status !== 404) readFor = null;
    console.warn(error);
  }
}

/** Takes what this device has kept: the last reasons, and the names until they are read. */
export async function recallReasons() {
  const recallCode = async (op) => lastCodes.set(op, await recall(`reason/${op}`));
  const [kept] = await Promise.all([recall('reasons'), ...['receive', 'issue', 'count'].map(recallCode)]);
  if (kept !== undefined && state.reasons.length === 0) update({ reasons: kept });
}

let last = { reasons: null };

/** The reasons by code and by text, made once for each list. */
function known() {
  const { reasons } = state;
  if (last.reasons === reasons) return last;
  const count = new Map();
  for (const { name } of reasons) count.set(fold(name), (count.get(fold(name)) ?? 0) + 1);
  // A name that could be taken for a code, or that several reasons have, stands beside its code.
  const isClear = (name) => !/^\d+$|\(\d+\)$/.test(name) && count.get(fold(name)) === 1;
  const texts = reasons.map(({ reasonCode, name, operations }) => {
    const text = isClear(name) ? name : `${name} (${reasonCode})`;
    return { reasonCode, name, text, operations };
  });
  last = {
    reasons,
    texts,
    byCode: new Map(texts.map((each) => [String(each.reasonCode), each])),
    byText: new Map(texts.map((each) => [fold(each.text), each])),
  };
  return last;
}

/** The text of a reason: its name, or the code where it has none; empty for none. No two have the same. */
export const reasonText = (code) => known().byCode.get(String(code))?.text ?? String(code ?? '');

/** Whether a reason has a name. */
export const isNamed = (code) => known().byCode.has(String(code));

/** The name of a reason with its code. */
export function reasonWithCode(code) {
  const { name } = known().byCode.get(String(code)) ?? {};
  return name === undefined ? String(code) : `${name} (${code})`;
}

/** The reasons that are meant for an operation, each with its text. */
export const reasonsOf = (op) => known().texts.filter(({ operations }) => operations.includes(op));

/** The code that the text of a field means; null: none. */
export function codeOfText(text, op) {
  const asked = String(text ?? '').trim();
  const chosen = known().byText.get(fold(asked));
  if (chosen?.operations.includes(op)) return chosen.reasonCode;
  return /^\d+$/.test(asked) ? Number(asked) : null;
}

/**
 * The reasons of an operation that fit what is typed: those that contain it, or whose code begins with it.
 */
export function fittingReasons(op, typed) {
  const part = fold(typed);
  return reasonsOf(op).filter(
    ({ text, reasonCode }) => fold(text).includes(part) || String(reasonCode).startsWith(part),
  );
}

const fold = (text) => text.trim().toLowerCase();
