import { signed } from './format.js';
import { keepReason } from './reasons.js';
import { go } from './routes.js';
import { work } from './session.js';
import { state, update } from './state.js';

const done = { receive: 'Received', move: 'Moved', issue: 'Issued' };

/** Does the work of a form and says so. Returns why it was refused; null otherwise. */
export async function carryOut(operation) {
  const { op, itemID, wid, reasonCode } = operation;
  const result = await work(operation);
  if (result.status === 'refused') return reasonOf(result.error);
  state.lastWid = wid;
  // The next piece of work is another one.
  state.told = null;
  if (reasonCode !== undefined) await keepReason(op, reasonCode).catch(console.warn);
  const words = op === 'count' ? `Counted ${operation.counted}` : `${done[op]} ${operation.units}`;
  const text = `${words} of ${itemID}`;
  // A code that was taken for an item has no view to go back to.
  if (state.scanned !== null) go('');
  update({ form: null, scanned: null, notice: noticeOf(text, op, result) });
  return null;
}

/** Undoes a transaction and says so. */
export async function undo(transactionNo) {
  update({ notice: null });
  const result = await work({ op: 'reverse', transactionNo });
  if (result.status === 'refused') return update({ notice: { text: reasonOf(result.error), level: 'bad' } });
  update({ notice: noticeOf(`Undid transaction ${transactionNo}`, 'reverse', result) });
}

/** What the service would do: `{ text, level }`; null if it cannot be asked. */
export async function tryOut({ op, ...body }) {
  try {
    const tried = await state.session.client[op]({ ...body, dryRun: true });
    return { text: wordsOf(op, tried), level: 'well' };
  } catch (error) {
    // The answer to the work itself tells it as an alert.
    return error.status === 0 ? null : { text: `Would be refused: ${error.message}`, level: 'wait' };
  }
}

function wordsOf(op, { lots, before, difference, skipped = [] }) {
  if (op === 'count') return `Recorded: ${before}. Difference: ${signed(difference)}.`;
  const taken = lots
    .slice(0, 3)
    .map((lot) => `${lot.units} from lot ${lot.fromRecNo ?? lot.recNo}, ${lot.remaining} left`);
  const more = lots.length > 3 ? [`and ${lots.length - 3} more lots`] : [];
  const left = skipped.length > 0 ? [`${skipped.length} lots left out (on hold, expired or elsewhere)`] : [];
  return `Takes ${[...taken, ...more, ...left].join('; ')}.`;
}

function noticeOf(text, kind, { status, body }) {
  if (status === 'waiting') return { text: `${text} on this device: waiting to be sent.`, level: 'wait' };
  return { text: `${text}.`, level: 'well', kind, transactionNo: body.transactionNo };
}

/** The error object of the service, for people. */
export function reasonOf({ message, details }) {
  return [message, ...Object.values(details ?? {}).flat()].join(' ');
}
