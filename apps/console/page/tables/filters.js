import { capital, dayMs, kindWord } from '../base/format.js';
import { state } from '../base/state.js';

// A year that is still being typed is none.
const isDay = (text) => /^[1-9]\d{3}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
const isNumber = (text) => /^\d{1,15}$/.test(text);

/** A day of this device, from its first to its last moment. */
const startOf = (day) => new Date(`${day}T00:00:00.000`).toISOString();
const endOf = (day) => new Date(`${day}T23:59:59.999`).toISOString();

const text = (word, field) => ({ word, kind: 'text', ask: (value) => ({ [field]: value }) });
const number = (word, field) => ({
  word,
  ask: (value) => (isNumber(value) ? { [field]: Number(value) } : null),
});
const date = (word, ask) => ({ word, kind: 'date', ask: (day) => (isDay(day) ? ask(day) : null) });
/** `asks`: for each value, its words and what it asks of the service. */
const choice = (word, none, asks) => ({
  ...{ word, none },
  options: () => Object.entries(asks).map(([value, [words]]) => [value, words]),
  ask: (value) => asks[value]?.[1]() ?? null,
});
const within = (days) => () => ({ expiresBefore: new Date(Date.now() + days * dayMs).toISOString() });
const kinds = ['receive', 'move', 'issue', 'count', 'reverse', 'hold'];

/**
 * The filters of the tables, by their names in the address. `ask`: what a value asks of the service, or null
 * if it means nothing. `kind`, or `options` with words, makes a control; without one it is set by a search or
 * a link. `none`: what it means not to choose. `replaces`: another that asks the same.
 */
export const filters = {
  wid: {
    ...{ word: 'Warehouse', none: 'All' },
    options: () => state.session.me.warehouses.map(({ wID, name }) => [String(wID), name]),
    ask: (value) => (isNumber(value) ? { wid: Number(value) } : null),
  },
  stock: choice('Stock', 'In stock', {
    all: ['In stock or used up', () => ({ inStock: undefined })],
    used: ['Used up', () => ({ inStock: false })],
  }),
  hold: choice('Hold', 'Any', {
    yes: ['On hold', () => ({ hold: true })],
    no: ['Not on hold', () => ({ hold: false })],
  }),
  low: choice('Minimum', 'Any', {
    yes: ['Below minimum', () => ({ belowMinimum: true })],
    no: ['Not below', () => ({ belowMinimum: false })],
  }),
  expiry: {
    replaces: 'by',
    ...choice('Expiry', 'Any', {
      expired: ['Expired', within(0)],
      7: ['Within 7 days', within(7)],
      30: ['Within 30 days', within(30)],
      90: ['Within 90 days', within(90)],
    }),
  },
  by: {
    replaces: 'expiry',
    // A lot is good through its day, which is one of UTC.
    ...date('Expires by', (day) => ({
      expiresBefore: new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10),
    })),
  },
  spot: text('Spot', 'spot'),
  serial: text('Serial', 'serial'),
  serial2: { ...text('Second serial', 'serial2'), kind: undefined },
  tag: { ...text('Tag', 'rfidTag'), kind: undefined },
  item: { ...text('Item', 'itemID'), kind: undefined },
  lot: number('Lot', 'recNo'),
  job: number('Job', 'jobID'),
  since: date('Changed since', (day) => ({ modifiedSince: startOf(day) })),
  discontinued: choice('Discontinued', 'Left out', { yes: ['Shown, too', () => ({ all: true })] }),
  kind: choice(
    'Kind',
    'All',
    Object.fromEntries(kinds.map((kind) => [kind, [capital(kindWord(kind)), () => ({ kind })]])),
  ),
  from: date('From', (day) => ({ startDate: startOf(day) })),
  through: date('Through', (day) => ({ endDate: endOf(day) })),
  client: own('Client', 'clientId', () => [state.session.me.clientId, 'This client']),
  device: own('Device', 'deviceID', () => [state.session.deviceID, 'This device']),
  reference: text('Reference', 'reference'),
};

/** Anybody's, ours, or the one that a link names. */
function own(word, field, ours) {
  return {
    ...{ word, none: 'Any', ask: (value) => ({ [field]: value }) },
    options: (value) => [ours(), ...(value && value !== ours()[0] ? [[value, value]] : [])],
  };
}

/** How a filter that is set reads. */
export function wordsOf(name, value) {
  const { word, options } = filters[name];
  return [word, options?.(value).find(([each]) => each === value)?.[1] ?? value];
}

// The addresses of version 0.1.
const formerFields = {
  itemID: 'item',
  spot: 'spot',
  serial: 'serial',
  rfidTag: 'tag',
  reference: 'reference',
  deviceID: 'device',
  clientId: 'client',
};

/**
 * Reads what an address asks of a table: the text to search for, the filters that are set, and the column to
 * sort by with its direction, or null. Whatever means nothing is left out.
 */
export function readQuery({ filters: own, columns }, { field, inStock, ...query }) {
  const former = formerFields[field];
  const given = {
    ...query,
    ...(former && { search: undefined, [former]: query.search }),
    ...(inStock === 'false' && { stock: 'all' }),
  };
  const set = own.filter((name) => given[name] && filters[name].ask(given[name]) !== null);
  const [, minus, sorted] = /^(-?)(.*)$/s.exec(given.sort ?? '');
  const isSorted = columns.some(({ name, sorts }) => sorts && name === sorted);
  return {
    search: (given.search ?? '').trim(),
    set: Object.fromEntries(set.map((name) => [name, given[name]])),
    sort: isSorted ? [sorted, minus === '-' ? 'DESC' : 'ASC'] : null,
  };
}

/** The same as an address has it. */
export const writeQuery = ({ search, set, sort }) => ({
  search,
  ...set,
  sort: sort === null ? '' : `${sort[1] === 'DESC' ? '-' : ''}${sort[0]}`,
});

/** The query of the service for filters that are set. */
export const askOf = (set) =>
  Object.assign({}, ...Object.entries(set).map(([name, value]) => filters[name].ask(value)));
