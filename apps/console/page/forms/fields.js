import { amountOf, meaningsOf } from '../base/format.js';
import { codeOfText, reasonsOf } from '../stock/reasons.js';

const units = { name: 'units', label: 'Units', kind: 'amount' };
const spot = { name: 'spot', label: 'Spot' };
const serial = { name: 'serial', label: 'Serial' };

/** The fields of a form, in the order in which they are filled in. */
export function fieldsOf(op, values, warehouses) {
  const options = warehouses.map(({ wID, name }) => ({ value: wID, text: name }));
  const warehouse = { name: 'wid', label: 'Warehouse', kind: 'choice', options };
  const others = options.filter(({ value }) => String(value) !== String(values.wid));
  const stay = { value: '', text: 'Same' };
  const shipTo = { name: 'shipToWid', label: 'Ship to', kind: 'choice', options: [stay, ...others] };
  const isLot = Boolean(values.recno);
  const ofLot = (...fields) => (isLot ? [] : fields);
  const kind = reasonsOf(op).length > 0 ? 'text' : 'whole';
  const reason = { name: 'reasonCode', label: 'Reason', kind };
  switch (op) {
    case 'hold':
      return [{ name: 'reason', label: 'Reason' }];
    case 'release':
      return [];
    case 'receive':
      return [units, spot, reason, warehouse, serial, { name: 'expires', label: 'Expires', kind: 'date' }];
    case 'move':
      return [
        ...[units, ...ofLot({ name: 'fromSpot', label: 'From spot' }), { name: 'toSpot', label: 'To spot' }],
        ...[...ofLot(warehouse, serial), ...(others.length > 0 ? [shipTo] : [])],
      ];
    case 'issue':
      return [units, ...ofLot(spot), reason, ...ofLot(warehouse, serial)];
    default:
      return [
        { name: 'counted', label: 'Counted', kind: 'amount' },
        ...[...ofLot(spot), reason, ...ofLot(warehouse, serial)],
        ...ofLot({ name: 'everywhere', label: 'Everywhere', kind: 'check' }),
      ];
  }
}

/** To see what an operation would do to the stock, any reason will do that the service takes. */
export const reasonOfTries = (op) => reasonsOf(op)[0]?.reasonCode ?? 1;

/**
 * The operation that the fields of a form make, or the first field that is wrong, with a message; `choices`
 * are the amounts that it may mean. `isTry`: to see what it would do, for which the reason may still be
 * missing.
 */
export function operationOf({ op, values, opened, scanned, sure }, { isTry = false } = {}) {
  if (op === 'hold' || op === 'release') return holdOf(op, values);
  const amountName = op === 'count' ? 'counted' : 'units';
  const written = String(values[amountName] ?? '');
  const amount = amountOf(written);
  // A code says what it means, and a person may have been asked.
  const isClear = [opened[amountName], scanned[amountName], sure].includes(written);
  const fault = (name, message) => ({ fault: { name, message } });
  if (op === 'count' && amount === null) return fault(amountName, 'Counted must be a number.');
  const wrong = unitsFault(written, { isClear, mayBeZero: op === 'count' });
  if (wrong !== null) return { fault: { name: amountName, ...wrong } };
  const reason = codeOfText(values.reasonCode, op);
  if (op !== 'move' && !isTry && reason === null)
    return fault(
      'reasonCode',
      reasonsOf(op).length > 0 ? 'Choose a reason, or enter its code.' : 'Reason must be a number.',
    );
  if (op === 'move' && !values.toSpot && !values.shipToWid)
    return fault('toSpot', 'Enter a spot or choose a warehouse to move to.');
  const places = [values.recno, values.spot, values.serial, values.everywhere];
  if (op === 'count' && !places.some(Boolean))
    return fault('spot', 'Say where you counted: a spot, a serial, or everywhere.');
  const { itemID, recno, shipToWid, everywhere } = values;
  const operation = { op, itemID, [amountName]: amount, wid: Number(values.wid) };
  if (recno) operation.recno = recno;
  if (op !== 'move') operation.reasonCode = isTry ? reasonOfTries(op) : reason;
  if (op === 'move' && shipToWid) operation.shipToWid = Number(shipToWid);
  if (op === 'count' && everywhere && !recno && !values.spot && !values.serial) operation.everywhere = true;
  // With a lot, only the lot counts.
  const texts = [...textsOf(op, recno)];
  if (op === 'receive') texts.push('expires', 'serial2');
  // A label's weight is that of the units that it told.
  const told = scanned.units ?? opened.units ?? '';
  if (op === 'receive' && [written, ''].includes(told)) texts.push('netWeight');
  for (const name of texts) {
    const text = String(values[name] ?? '').trim();
    if (text !== '') operation[name] = text;
  }
  return { operation };
}

/**
 * Why an amount that was written cannot be taken: `{ message, choices }`, where `choices` are the amounts that
 * it may mean; null: it can. `isClear`: what it means is known.
 */
export function unitsFault(written, { isClear, mayBeZero = false }) {
  const amount = amountOf(written);
  if (amount === null || (!mayBeZero && Number(amount) === 0))
    return { message: 'Units must be a number above 0.' };
  const choices = meaningsOf(written);
  return choices === null || isClear ? null : { message: `${written} may mean two amounts. Which?`, choices };
}

/** The fault of a date that is typed in part, or that no calendar has: the field has no value then. */
export function dateFault(form) {
  const broken = [...form.elements].find(({ validity }) => validity?.badInput);
  return broken && { name: broken.name, message: 'This date is not complete, or there is no such day.' };
}

function holdOf(op, { recno, reason = '' }) {
  if (op === 'release') return { operation: { op: 'hold', recno, hold: false } };
  if (reason.trim() === '') return { fault: { name: 'reason', message: 'Say why it is on hold.' } };
  return { operation: { op: 'hold', recno, hold: true, reason: reason.trim() } };
}

function textsOf(op, recno) {
  if (op === 'move') return recno ? ['toSpot'] : ['fromSpot', 'toSpot', 'serial'];
  return recno ? [] : ['spot', 'serial'];
}
