import { sum } from '../base/decimals.js';
import { day } from '../base/format.js';
import { state, update } from '../base/state.js';
import { isItem, isSpot, nameOf } from '../stock/matches.js';
import { fieldsOf } from './fields.js';

const spotNames = ['spot', 'fromSpot', 'toSpot'];

/** Whether a person, or a scan, has put anything into the form since it was opened. */
export const isTouched = ({ values, opened }) =>
  Object.keys(values).some((name) => (values[name] ?? '') !== (opened[name] ?? ''));

/** Whether this thing is what a form with these values is about. */
const isOwn = ({ shortID, alias }, { itemID }) => shortID === itemID || alias === itemID;

/**
 * Takes a code that was scanned into the open form, which stays whatever the code is. `focused`: the field
 * that had the focus. `movesFocus`: whether the next field gets it.
 */
export function takeIn(found, focused, movesFocus) {
  const { data, things, isOffline, error } = found;
  const uses = usesOf(found, focused);
  if (uses.length === 1) return fillIn(uses[0], movesFocus);
  const note = { data };
  if (uses.length > 1) Object.assign(note, { words: 'Several matches for', uses });
  else if (isOfForm(things, state.form.values))
    Object.assign(note, { level: 'well', words: 'This form is about', rest: 'Nothing to fill in.' });
  else if (things.length > 0)
    Object.assign(note, {
      words: 'Not of this form:',
      rest: `It is ${things.slice(0, 3).map(nameOf).join(', or ')}. Nothing was changed.`,
    });
  else if (error) Object.assign(note, { words: 'Could not look up', rest: error });
  else {
    const words = isOffline ? 'Offline: could not look up' : 'No match for';
    Object.assign(note, { words, rest: found.fault?.message, uses: spotUses(data, focused, false) });
  }
  update({ form: { ...state.form, note } });
}

/** Puts what a code tells into the form. */
export function fillIn({ values, text, kept }, movesFocus = true) {
  const { form } = state;
  const note = { level: kept ? undefined : 'well', words: text, rest: kept };
  const fills = (form.fills ?? 0) + (movesFocus ? 1 : 0);
  update({
    form: {
      ...form,
      values: { ...form.values, ...values },
      scanned: { ...form.scanned, ...values },
      note,
      fills,
    },
  });
}

/** Whether these things are what the form is about: its item, or its lot. */
function isOfForm(things, values) {
  const own = things.filter((thing) => isOwn(thing, values));
  const lots = own.filter((thing) => !isItem(thing));
  if (!values.recno || lots.length === 0) return own.length > 0;
  return lots.some(({ recNo }) => recNo === values.recno);
}

/** The uses that the form has for the things of a code: `{ label, values, text }` each. */
function usesOf({ things, gs1 }, focused) {
  const { form } = state;
  const { op, values } = form;
  const own = things.filter((thing) => isOwn(thing, values));
  const item = own.find(isItem);
  const spot = things.find(isSpot);
  const spots = spot === undefined ? [] : spotUses(spot.spot, focused, true).slice(0, 1);
  // The label of another lot says nothing of this one.
  if (own.length > 0 && !isOfForm(things, values)) return spots;
  // With the label of an item, lots that were found beside it add nothing.
  if (item !== undefined) return [...ofLabel(item, form, gs1), ...spots];
  // More of a lot is received under its serial, and a serial of several lots means all of them.
  const lots = op === 'receive' ? own : own.filter(({ active }) => active);
  const isSerial =
    lots.length > 1 && lots.every(({ kind, serial }) => kind === 'serial' && serial === lots[0].serial);
  if (op === 'receive' || (isSerial && !values.recno))
    return [...lots.slice(0, 1).flatMap((lot) => ofLabel(lot, form, gs1)), ...spots];
  return [...(values.recno ? [] : lots.map(ofLot)), ...spots];
}

// The fields by which two labels are of the same.
const ownNames = ['serial', 'serial2', 'expires'];
const labelNames = [...ownNames, 'netWeight'];
const labelWords = {
  serial: 'serial',
  serial2: 'second serial',
  expires: 'expires',
  netWeight: 'net weight',
};

/** The fields that the label of the form's own item fills in. Units that a person typed stay. */
function ofLabel(thing, form, gs1) {
  const { op, values, opened, scanned } = form;
  const told = isItem(thing) ? (thing.operation?.body ?? {}) : { ...thing, units: undefined };
  const names = new Set(fieldsOf(op, values, state.session.me.warehouses).map(({ name }) => name));
  if (op === 'receive') for (const name of ['serial2', 'netWeight']) names.add(name);
  const given = {};
  for (const name of labelNames)
    if (names.has(name) && told[name])
      given[name] = name === 'expires' ? told[name].slice(0, 10) : told[name];
  const isCounted = told.units !== undefined && names.has('units');
  const { units = '', sscc: counted = '' } = values;
  const sscc = gs1?.sscc ?? '';
  const before = (name) => scanned?.[name] ?? opened[name] ?? '';
  const own = ownNames.filter((name) => names.has(name)).map((name) => [before(name), given[name] ?? '']);
  const isOther = own.some(([one, other]) => one !== other && one !== '' && other !== '');
  // A code that says less, or more, may be of the same thing or of another one: a person has to tell.
  const isUnclear = !isOther && [...own, [counted, sscc]].some(([one, other]) => !one !== !other);
  // A pallet that is scanned again is the same one.
  const isKnown = !isOther && units !== '' && sscc !== '' && counted.includes(sscc);
  const isDoubtful = units !== told.units && (isTyped(form) || isUnclear);
  const kept = isCounted && units !== '' && (isKnown || isDoubtful);
  // One with a serial number of its own is the same thing scanned again.
  const isMore = !isTyped(form) && !isOther && !isUnclear && !told.serial2;
  const adds = isCounted && units !== '' && !kept && isMore;
  if (isCounted && !kept && (sscc !== '' || isOther)) given.sscc = adds ? `${counted} ${sscc}` : sscc;
  if (isCounted && !kept) given.units = adds ? sum([units, told.units]) : told.units;
  // The weight of all units: that of a part says nothing.
  if (kept) given.netWeight = undefined;
  if (adds && (values.netWeight || given.netWeight))
    given.netWeight =
      values.netWeight && given.netWeight ? sum([values.netWeight, given.netWeight]) : undefined;
  // Another thing has nothing of the one before.
  if (isOther)
    for (const name of labelNames)
      if (given[name] === undefined && before(name) !== '' && values[name] === before(name)) given[name] = '';
  const said = Object.entries(given).filter(([name, value]) => value !== undefined && name !== 'sscc');
  if (said.length === 0 && !kept) return [];
  const parts = said.map(([name, value]) => {
    if (value === '') return `no ${name === 'expires' ? 'expiry' : labelWords[name]}`;
    if (name !== 'units') return `${labelWords[name]} ${name === 'expires' ? day(value) : value}`;
    if (adds) return `${told.units} more units, ${value} in all`;
    return `${value} units${isOther && units !== '' ? ` in place of ${units}` : ''}`;
  });
  return [
    {
      ...{ label: 'This item', values: given, text: `From the label: ${parts.join(', ') || 'nothing new'}.` },
      kept:
        kept &&
        (isKnown
          ? 'It is counted already.'
          : `It counts ${told.units} units; the ${units} that were ${isTyped(form) ? 'typed' : 'scanned'} stay.`),
    },
  ];
}

/** Whether a person typed the units. */
function isTyped({ values, opened, scanned }) {
  return ![undefined, '', opened.units, scanned?.units].includes(values.units);
}

/** A lot of the form's item: only the lot counts then. */
function ofLot({ recNo, wID, spot, units }) {
  const at = spot === '' ? '' : ` at ${spot}`;
  return {
    label: `Lot ${recNo}${at}, ${units} units`,
    values: { recno: recNo, wid: String(wID) },
    text: `Lot ${recNo}${at}, ${units} units.`,
  };
}

/** The fields that may take this code as a spot, the likeliest first. */
function spotUses(spot, focused, isKnown) {
  const { op, values } = state.form;
  const fields = fieldsOf(op, values, state.session.me.warehouses).filter(({ name }) =>
    spotNames.includes(name),
  );
  // Stock is taken from where it is, so a spot without any is one to go to.
  const usual = isKnown && !values.fromSpot ? 'fromSpot' : 'toSpot';
  const first = (name) => (name === focused ? 2 : name === usual ? 1 : 0);
  return fields
    .sort((one, other) => first(other.name) - first(one.name))
    .map(({ name, label }) => ({
      ...{ label: `Use as ${label.toLowerCase()}`, values: { [name]: spot } },
      text: `${label} ${spot}.`,
    }));
}
