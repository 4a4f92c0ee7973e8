import { patiently } from '../base/limit.js';
import { state } from '../base/state.js';
import { learnUnits } from '../stock/units.js';
import { askOf, filters } from './filters.js';
import { mergePages } from './merge-pages.js';
import { itemsMax, meaningOf } from './search.js';
import { inOrder, tables } from './tables.js';

const nothing = { page: async () => ({ rows: [], total: 0, hasMore: false }) };

/**
 * Reads a table as its address asks: `page(number)` returns `{ rows, total, hasMore }`; `total` is null if
 * nobody counted. `sorts`: the columns that it can be sorted by. `one`: the filter that the search is taken
 * for. `choices`: those that one may go on with. `found`: how many items the search found, if their rows
 * cannot be shown together. `rowsMax`: how many rows may be kept where each page goes on from the one before.
 */
export async function openReader(name, { search, set, sort }, { pageSize, rowsMax, signal }) {
  const ask = askOf(set);
  const sorting = sort === null ? {} : { sort: sort[0], direction: sort[1] };
  const read = async (list, query, page) => {
    const answer = await patiently(() => list({ pageSize, ...query }, { signal }).page(page));
    return { rows: answer.value, total: answer.totalCount, hasMore: answer.hasMore };
  };
  const { client } = state.session;
  const list = (query, options) => tables[name].list(client, query, options);
  const sorts = tables[name].columns.filter((column) => column.sorts).map((column) => column.name);
  const plain = (query) => (page) => read(list, { ...query, ...sorting }, page);
  const { items, total, one, choices, ...meant } = await meaningOf(name, search, ask, signal);
  if (meant.ask) return { choices, sorts, page: plain({ ...ask, ...meant.ask }) };
  if (one) {
    const query = both(ask, filters[one.filter].ask(one.value));
    return { ...nothing, ...(query && { page: plain(query) }), one, choices, sorts };
  }
  if (!items) return { ...nothing, choices, sorts, found: total };
  if (name !== 'levels') {
    const queries = items.map(({ shortID }) => both(ask, { itemID: shortID })).filter(Boolean);
    const pages = mergePages(queries.map(plain), inOrder(name, sort), { pageSize, rowsMax });
    return { choices, sorts, page: pages };
  }
  const partNosOf = (some) => some.map(({ partNo }) => partNo).join();
  if (total <= itemsMax) return { choices, sorts, page: plain({ ...ask, partNos: partNosOf(items) }) };
  // More than one call can ask for: page by page of the items that were found, in their order.
  const sought = { all: true, search, pageSize: itemsMax, ...sorting };
  const levelsOf = async (page) => {
    const found = await read((...asked) => client.items(...asked), sought, page);
    learnUnits(found.rows);
    const { rows } = await read(list, { ...ask, partNos: partNosOf(found.rows), pageSize: itemsMax }, 1);
    const places = new Map(found.rows.map(({ partNo }, place) => [partNo, place]));
    const ordered = rows.sort((row, other) => places.get(row.partNo) - places.get(other.partNo));
    return { rows: ordered, total: null, hasMore: found.hasMore };
  };
  return { choices, sorts: ['partNo'], page: levelsOf };
}

/** The query that asks both; null if they contradict each other. */
function both(one, other) {
  const isSame = Object.entries(other).every(([field, value]) => (one[field] ?? value) === value);
  return isSame ? { ...one, ...other } : null;
}
