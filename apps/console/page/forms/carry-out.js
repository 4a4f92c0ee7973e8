import { difference } from '../base/decimals.js';
import { signed } from '../base/format.js';
import { go } from '../base/routes.js';
import { state, update } from '../base/state.js';
import { isSessionOf, work } from '../session/session.js';
import { isNamed, keepReason, reasonText } from '../stock/reasons.js';
import { keepSpot } from '../stock/spots.js';
import { comparedWords, doneWord, holdText } from '../stock/transaction-words.js';

const shownLotsMax = 5;

/**
 * Does the work of a form and says so. `lots`: those that the page showed. `isOpen`: whether the form is
 * still open. Returns the error object of a refusal; null otherwise.
 */
export async function carryOut(operation, lots, isOpen) {
  const { op, itemID, wid, reasonCode } = operation;
  const { client } = state.session;
  const result = await work(operation, isOpen);
  if (result.status === 'refused') return result.error;
  if (!isSessionOf(client)) return null;
  if (op === 'hold') {
    const notice = noticeOfHold(operation, lots[0], result);
    update({ ...(isOpen() && { form: null, told: null }), notice });
    return null;
  }
  state.lastWid = wid;
  if (reasonCode !== undefined) await keepReason(op, reasonCode).catch(console.warn);
  await keepSpotsOf(operation).catch(console.warn);
  if (!isSessionOf(client)) return null;
  const words = `${doneWord(op)} ${op === 'count' ? operation.counted : operation.units}`;
  const where = placeOf(operation, result.body, lots);
  const why = isNamed(reasonCode) ? ` – ${reasonText(reasonCode)}` : '';
  const text = `${words} of ${itemID}${where}${why}`;
  const isShown = isOpen();
  // A code that was taken for an item has no view to go back to.
  if (isShown && state.scanned !== null) go('');
  // The next piece of work is another one.
  const left = { form: null, scanned: null, told: null };
  update({ ...(isShown && left), notice: noticeOf(text, op, result) });
  return null;
}

async function keepSpotsOf({ wid, spot, fromSpot, toSpot, shipToWid = wid }) {
  for (const [wID, used] of [
    [wid, fromSpot],
    [shipToWid, toSpot],
    [wid, spot],
  ])
    if (used) await keepSpot(wID, used);
}

/** The place of an operation: its spots, in the order in which they were taken. */
function placeOf(operation, body, lots) {
  const { op, spot, toSpot } = operation;
  if (op === 'receive') return spot ? ` at ${spot}` : '';
  if (op === 'count')
    return `${spot ? ` at ${spot}` : ''}${body ? `: ${comparedWords(body.difference)}` : ''}`;
  const taken = body?.lots.map((lot) => ({ spot: spotOf(lot, lots), units: lot.units })) ?? [];
  const named = taken.filter((each) => each.spot);
  const from = named.map((each) => (named.length > 1 ? `${each.spot} (${each.units})` : each.spot));
  const more = from.length > shownLotsMax ? ` and ${from.length - shownLotsMax} more lots` : '';
  return `${from.length > 0 ? ` from ${from.slice(0, shownLotsMax).join(', ')}${more}` : ''}${toSpot ? ` to ${toSpot}` : ''}`;
}

const spotOf = ({ recNo, fromRecNo }, lots = []) =>
  lots.find((lot) => lot.recNo === (fromRecNo ?? recNo))?.spot;

/** How the stock moved since a count was begun. */
export function movedWords({ expected, present }) {
  return `${expected} was recorded when the count began, ${present} is now: ${comparedWords(difference(present, expected)).replace('recorded', 'then')}.`;
}

/** What a hold or a release has done. */
function heldWords({ recno: recNo, hold, reason }, shortID, { body }) {
  if (body?.changed !== false) return holdText({ recNo, hold, reason }, shortID);
  const lot = `Lot ${recNo} of ${shortID}`;
  return hold ? `${lot} was on hold already, and keeps its reason` : `${lot} was not on hold`;
}

function noticeOfHold(operation, { shortID, holdReason }, result) {
  const { op, recno, hold } = operation;
  const notice = noticeOf(heldWords(operation, shortID, result), op, result);
  // The opposite undoes it, and a lot that was on hold before keeps its reason.
  const opposite = { op, recno, hold: !hold, ...(!hold && holdReason && { reason: holdReason }) };
  return { ...notice, opposite: result.body?.changed ? { operation: opposite, shortID } : null };
}

/** Undoes a transaction and says so. Asked twice, it does it once. */
export function undo(transactionNo) {
  const { undoing } = state.session;
  if (undoing.has(transactionNo)) return;
  undoing.add(transactionNo);
  return undoBy({ op: 'reverse', transactionNo }, () => `Undid transaction ${transactionNo}`);
}

/** Whether somebody has asked for this already, and nothing has refused it. */
export const isUndoing = (transactionNo) => state.session.undoing.has(transactionNo);

/** Undoes what a notice tells, and says so. */
export function undoNotice({ transactionNo, opposite }) {
  if (!opposite) return undo(transactionNo);
  const { operation, shortID } = opposite;
  return undoBy(operation, (result) => heldWords(operation, shortID, result));
}

async function undoBy(operation, wordsOf) {
  const { client, undoing } = state.session;
  const isSeen = () => isSessionOf(client);
  update({ notice: null });
  const result = await work(operation, isSeen);
  if (result.status === 'refused') undoing.delete(operation.transactionNo);
  if (!isSeen()) return;
  if (result.status === 'refused') return update({ notice: { text: reasonOf(result.error), level: 'bad' } });
  update({ notice: noticeOf(wordsOf(result), operation.op, result) });
}

/**
 * The effect that an operation would have: `{ text, level, lots, before, differs }`; null if the service
 * cannot be asked. `lots`: those that the page showed.
 */
export async function tryOut({ op, ...body }, lots) {
  try {
    const tried = await state.session.client[op]({ ...body, dryRun: true });
    return { level: 'well', ...effectOf(op, tried, lots) };
  } catch (error) {
    if (error.reason === 'countDiffers') return { differs: error.figures };
    // The answer to the work itself tells it as an alert.
    return error.status === 0 ? null : { text: `Would be refused: ${reasonOf(error)}`, level: 'wait' };
  }
}

function effectOf(op, { lots: taken, before, difference: by, skipped = [] }, lots) {
  if (op === 'count') return { before, text: `Recorded: ${before}. Difference: ${signed(by)}.` };
  const left = skipped.length > 0 ? [`${skipped.length} left out: on hold, expired or elsewhere.`] : [];
  const more = taken.length > shownLotsMax ? [`Then ${taken.length - shownLotsMax} more lots.`] : [];
  return {
    text: [...more, ...left].join(' '),
    lots: taken.slice(0, shownLotsMax).map((lot) => ({
      ...{ recNo: lot.fromRecNo ?? lot.recNo, spot: spotOf(lot, lots) },
      ...{ units: lot.units, remaining: lot.remaining },
    })),
  };
}

function noticeOf(text, kind, { status, body }) {
  if (status === 'waiting') return { text: `${text} on this device: waiting to be sent.`, level: 'wait' };
  return { text: `${text}.`, level: 'well', kind, transactionNo: body.transactionNo };
}

// The fields of the API, as the forms name them.
const labels = {
  ...{ itemID: 'Item', shortID: 'Item', uOM: 'Unit', wid: 'Warehouse', shipToWid: 'Ship to' },
  ...{
    fromSpot: 'From spot',
    toSpot: 'To spot',
    reasonCode: 'Reason',
    recno: 'Lot',
    transactionNo: 'Transaction',
  },
};
const sentenceOfFault = (fault) =>
  fault.replace(/^\w+/, (name) => labels[name] ?? `${name[0].toUpperCase()}${name.slice(1)}`);

/** The error object of the service, for people. */
export function reasonOf({ message, details }) {
  return [
    message,
    ...Object.values(details ?? {})
      .flat()
      .map(sentenceOfFault),
  ].join(' ');
}
