import { difference, sum } from '../base/decimals.js';
import { state } from '../base/state.js';
import { byTaking, readLotsInOrder } from '../stock/lots-in-order.js';

// Each takes a call of its own, where lots alone do not tell the figures.
const warehousesMax = 8;
// Of more, only those that have something are shown.
const emptyMax = 4;

/**
 * The figures in the view of an item: `{ item, lots, levels }`. `levels`: those of its warehouses; null: its
 * lots tell all figures.
 */
export async function readItem(shortID) {
  const { client, me } = state.session;
  const levelsIn = async (wid) =>
    (await client.stockLevels({ wid, itemID: shortID, view: 'full' }).page()).value;
  const [item, lots, sums] = await Promise.all([
    client.item({ shortID }),
    readLotsInOrder(client, shortID),
    levelsIn(undefined),
  ]);
  // Only levels show the units that orders have taken, and minimums.
  const isMore = ({ committed, packed, minimum = null }) =>
    Number(committed) > 0 || Number(packed) > 0 || minimum !== null;
  if (lots.isWhole && !sums.some(isMore)) return { item, lots, levels: null };
  const [only, ...others] = me.warehouses.slice(0, warehousesMax).map(({ wID }) => wID);
  const levelOf = async (wID) => (await levelsIn(wID)).map((level) => ({ ...level, wID }));
  const levels =
    others.length === 0
      ? sums.map((level) => ({ ...level, wID: only }))
      : await Promise.all([only, ...others].map(levelOf));
  return { item, lots, levels: levels.flat() };
}

/** The same after a change, without a call; undefined if it takes one. */
export function afterChange(shown, change) {
  const { item, lots, levels } = shown;
  const ofItem = ({ partNo }) => partNo === item.partNo;
  if (change.type === 'item') return ofItem(change) ? { ...shown, item: { ...item, ...change } } : shown;
  if (change.type === 'level') return ofItem(change) ? undefined : shown;
  // What made it low is told, too.
  if (change.type === 'low') return shown;
  const changed = (change.lots ?? [change]).filter(ofItem);
  if (changed.length === 0) return shown;
  if (levels !== null || !lots.isWhole) return undefined;
  const now = new Map(lots.lots.map((lot) => [lot.recNo, lot]));
  for (const lot of changed)
    if (lot.active) now.set(lot.recNo, lot);
    else now.delete(lot.recNo);
  return { ...shown, lots: { ...lots, lots: [...now.values()].sort(byTaking) } };
}

/** The figures in each warehouse: `{ wID, name, inStock, available, onHold, minimum }`. */
export function figuresOf({ lots: { lots }, levels }) {
  const { warehouses } = state.session.me;
  const all = warehouses.map(({ wID, name }) => {
    const level = levels?.find((each) => each.wID === wID) ?? fromLots(lots.filter((lot) => lot.wID === wID));
    return { wID, name, ...level };
  });
  const some = all.filter(
    ({ inStock, available, minimum = null }) => inStock !== '0' || available !== '0' || minimum !== null,
  );
  return all.length > emptyMax && some.length > 0 ? some : all.slice(0, emptyMax);
}

function fromLots(lots) {
  const unitsOf = (some) => sum(some.map(({ units }) => units));
  const [inStock, onHold] = [unitsOf(lots), unitsOf(lots.filter(({ hold }) => hold))];
  return { inStock, onHold, available: difference(inStock, onHold) };
}
