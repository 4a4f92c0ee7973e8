import { keep, recall } from './device-store.js';
import { patiently } from './limit.js';
import { state, update } from './state.js';

const pageSize = 250;
// Names are seldom changed. A form that opens later reads them again.
const freshMs = 300_000;

/** The reason that was given last for this operation on this device, as text. */
export const recallReason = async (op) => textOfCode((await recall(`reason/${op}`)) ?? '', op);
export const keepReason = (op, reason) => keep(`reason/${op}`, String(reason));

let readFor = null;
let readAt = 0;

/** Reads the names of reasons. Without a network, those count that this device has kept. */
export async function readReasons(client) {
  if (readFor === client && Date.now() - readAt < freshMs) return;
  [readFor, readAt] = [client, Date.now()];
  try {
    const list = client.reasons({ pageSize });
    const reasons = [];
    for (let page = 1, hasMore = true; hasMore; page++) {
      const answer = await patiently(() => list.page(page));
      reasons.push(...answer.value);
      hasMore = answer.hasMore;
    }
    if (state.session?.client !== client) return;
    update({ reasons });
    await keep('reasons', reasons);
  } catch (error) {
    readFor = null;
    console.warn(error);
  }
}

/** Takes the names that this device has kept, until they are read. */
export async function recallReasons() {
  const kept = await recall('reasons');
  if (kept !== undefined && state.reasons.length === 0) update({ reasons: kept });
}

/** The name of a reason, or its code; empty for none. */
export function reasonName(code) {
  const named = state.reasons.find(({ reasonCode }) => String(reasonCode) === String(code ?? ''));
  return named?.name ?? String(code ?? '');
}

/** The reasons that are meant for an operation: `{ reasonCode, text }`, where no two texts are the same. */
export function reasonsOf(op) {
  const meant = state.reasons.filter(({ operations }) => operations.includes(op));
  const isPlain = ({ name }) =>
    !/^\d+$/.test(name) && meant.filter((other) => fold(other.name) === fold(name)).length === 1;
  return meant.map((reason) => {
    const { reasonCode, name } = reason;
    return { reasonCode, text: isPlain(reason) ? name : `${name} (${reasonCode})` };
  });
}

/** The code that the text of a field means; null: none. */
export function codeOfText(text, op) {
  const asked = String(text ?? '').trim();
  const chosen = reasonsOf(op).find((each) => fold(each.text) === fold(asked));
  if (chosen !== undefined) return chosen.reasonCode;
  return /^\d+$/.test(asked) ? Number(asked) : null;
}

/** The text of a code in a field. */
function textOfCode(code, op) {
  return reasonsOf(op).find(({ reasonCode }) => String(reasonCode) === code)?.text ?? code;
}

const fold = (text) => text.trim().toLowerCase();
