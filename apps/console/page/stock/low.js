import { difference } from '../base/decimals.js';
import { state } from '../base/state.js';

const levelsMax = 100;
// Each takes a call of its own, where something is low at all.
const warehousesMax = 8;

/** Whether fewer units are available than the minimum, if there is one. A service of 0.1 knows none. */
export const isLow = ({ available, minimum }) =>
  (minimum ?? null) !== null && difference(available, minimum).startsWith('-');

/** What is below its minimum: `{ total, levels }`, by warehouse and item. */
export async function readLow() {
  const { client, me } = state.session;
  const asked = { belowMinimum: true, view: 'full', pageSize: levelsMax };
  const all = await client.stockLevels(asked).page();
  const [only, ...others] = me.warehouses.map(({ wID }) => wID);
  // Such a service ignores the question, and answers with everything.
  if (all.totalCount === 0 || !('minimum' in all.value[0])) return { total: 0, levels: [] };
  const levelsIn = async (wid) => {
    const { value, totalCount } = await client.stockLevels({ ...asked, wid }).page();
    return { total: totalCount, levels: value.map((level) => ({ ...level, wID: wid })) };
  };
  const found =
    others.length === 0
      ? [{ total: all.totalCount, levels: all.value.map((level) => ({ ...level, wID: only })) }]
      : await Promise.all([only, ...others].slice(0, warehousesMax).map(levelsIn));
  return {
    total: found.reduce((count, each) => count + each.total, 0),
    levels: found.flatMap(({ levels }) => levels),
  };
}

/** The same after a change; undefined if it must be read again. */
export function lowAfter(known, change) {
  if (change.type === 'low') return undefined;
  const touched = change.lots ?? [change];
  const isShown = ({ partNo, wID }) =>
    known.levels.some((level) => level.partNo === partNo && (wID === undefined || level.wID === wID));
  return touched.some(isShown) ? undefined : known;
}
