import { patiently } from '../base/limit.js';
import { state } from '../base/state.js';
import { learnUnits } from '../stock/units.js';
import { tables } from './tables.js';

/** The service looks up the levels of so many items in one call. */
export const itemsMax = 100;
// The lots of so many items are read side by side; each takes a call of its own.
const besideMax = 8;

// The filter that each kind of code sets.
const filterOf = {
  item: ({ shortID }) => ['item', shortID],
  alias: ({ shortID }) => ['item', shortID],
  spot: ({ spot }) => ['spot', spot],
  serial: ({ serial }) => ['serial', serial],
  serial2: ({ serial2 }) => ['serial2', serial2],
  rfidTag: ({ rFIDTag }) => ['tag', rFIDTag],
  lot: ({ recNo }) => ['lot', String(recNo)],
};

let last = {};

/**
 * Finds out what a text that is searched for means in a table:
 * - `{ ask }`: this, of the list itself;
 * - `{ one }`: this thing alone, as a filter;
 * - `{ items, total }`: what these items have. If there are more than are told, `total` is larger;
 * - `{ total }` without items: too many to show together, so that a person chooses, or none.
 *
 * `choices`: the filters that one may go on with.
 */
export async function meaningOf(name, text, ask, signal) {
  if (text === '') return { ask: {} };
  if (name === 'items') return { ask: { search: text } };
  const { client } = state.session;
  const asked = JSON.stringify([name, text]);
  // To sort and filter what was found asks for it no second time.
  const isKnown = last.asked === asked && last.client === client;
  const found = isKnown ? last.found : await find(name, text, signal);
  last = { asked, client, found };
  const { items, total, things } = found;
  if (name === 'levels') return total === 0 ? { total, choices: [] } : { items, total, choices: [] };
  return narrowed(name, { items, total, choices: choicesOf(name, things, items) }, ask, signal);
}

async function find(name, text, signal) {
  const { client } = state.session;
  const asked = { all: true, search: text, pageSize: itemsMax };
  // Codes are compared as they are, and people write them in small letters.
  const scans = [...new Set([text, text.toUpperCase()])].map((data) => ({ data }));
  const [{ value: items, totalCount: total }, scanned] = await Promise.all([
    patiently(() => client.items(asked, { signal }).page()),
    name === 'levels' ? null : patiently(() => client.scan({ scans }, { signal })),
  ]);
  learnUnits(items);
  return { items, total, things: scanned?.results.flatMap(({ matches }) => matches) ?? [] };
}

async function narrowed(name, { items, total, choices }, ask, signal) {
  const exact = choices.filter(({ isExact }) => isExact);
  const [one] = exact.length === 0 && items.length === 0 ? choices : exact;
  if (one && exact.length <= 1) return { one, choices: choices.filter((each) => each !== one) };
  if (exact.length > 1 || total > itemsMax) return { choices, total };
  const own = items.length > besideMax ? await stocked(name, items, ask, signal) : items;
  if (own.length > besideMax) return { choices: choicesOf(name, [], own), total: own.length };
  if (own.length > 0) return { items: own, total: own.length, choices: choicesOf(name, [], own) };
  return { choices, total: choices.length };
}

/** Those of which there is stock, if the list is of lots in stock. */
async function stocked(name, items, { wid, inStock = true }, signal) {
  if (name !== 'lots' || inStock !== true) return items;
  const partNos = items.map(({ partNo }) => partNo).join();
  const { client } = state.session;
  const asked = { partNos, pageSize: itemsMax, ...(wid && { wid }) };
  const { value } = await patiently(() => client.stockLevels(asked, { signal }).page());
  const found = new Set(value.filter(({ inStock: units }) => Number(units) > 0).map(({ partNo }) => partNo));
  return items.filter(({ partNo }) => found.has(partNo));
}

/**
 * Each thing that the text may mean, once: what it is exactly, and then the items that have it in them. A
 * number of a lot is mostly meant for something else.
 */
function choicesOf(name, things, items) {
  const made = [
    ...things.map((thing) => {
      const [filter, value] = filterOf[thing.kind](thing);
      return { filter, value, detail: thing.description ?? '', isExact: thing.kind !== 'lot' };
    }),
    ...items.map(({ shortID, description }) => ({ filter: 'item', value: shortID, detail: description })),
  ];
  const keyOf = ({ filter, value }) => `${filter} ${value}`;
  const first = new Map([...made].reverse().map((each) => [keyOf(each), each]));
  return [...first.values()].reverse().filter(({ filter }) => tables[name].filters.includes(filter));
}
