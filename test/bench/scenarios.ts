import type { LoadRequest } from './load.ts';
import { batched, byMark, bySpot, inOrder, keyed, mixed, one, pages, receive, spread } from './requests.ts';
import { trackedItems } from './tracked-stock.ts';

/** A load: the requests of this many callers. `load` is called once per measurement. */
export type Scenario = { name: string; callers: number; load: () => () => LoadRequest };

/** The loads on a database with only items. */
export const scenarios: readonly Scenario[] = [1, 32, 128].flatMap((callers) => [
  { name: 'receive, 1,000 items', callers, load: () => receive(spread) },
  { name: 'receive, one item', callers, load: () => receive(one) },
  { name: 'mixed, 1,000 items', callers, load: () => mixed(spread) },
  { name: 'mixed, one item', callers, load: () => mixed(one) },
]);

export const busiest = { name: 'mixed, 1,000 items', callers: 128 };

/** The same with a quarter of the callers, for comparison. */
export const quarter = { name: 'mixed, 1,000 items', callers: 32 };

/** Measured right after the busiest load, at half the plain way's rate. */
export const halfLoad = { name: "mixed, 1,000 items, half of plain's full load", callers: 128 };

/** The plain mix again, beside the stock of the tracked loads, for comparison with them. */
export const beside: Scenario = {
  name: 'beside 140,000 lots: mixed, 1,000 items',
  callers: 128,
  load: () => mixed(spread),
};

/** The plain mix with a key on every request. */
export const withKeys: Scenario = {
  name: 'beside 140,000 lots: mixed, a key on each',
  callers: 128,
  load: () => keyed(mixed(spread)),
};

const { serial, rfid, large } = trackedItems;

/**
 * The loads on items with many lots in the warehouse. Loads on one item are ordered so that each leaves
 * enough stock for the next.
 */
export const tracked: readonly Scenario[] = [
  { name: 'serial-tracked, 20,000 lots', callers: 128, load: () => byMark(serial) },
  { name: 'RFID, 20,000 lots', callers: 128, load: () => byMark(rfid) },
  { name: 'one item of 100,000 lots, by serial', callers: 128, load: () => byMark(large) },
  { name: 'one item of 100,000 lots, FEFO', callers: 128, load: () => inOrder(large) },
  { name: 'one item of 100,000 lots, by spot', callers: 128, load: () => bySpot(large) },
];

/** The loads beside the same stock that only the service itself can take. */
export const ownLoads: readonly Scenario[] = [
  withKeys,
  { name: 'pages of 50 of 140,000 lots', callers: 32, load: () => pages(50) },
  { name: 'receive, batches of 500', callers: 8, load: () => batched(500, receive(spread)) },
  { name: 'mixed, batches of 500', callers: 8, load: () => batched(500, mixed(spread)) },
];
