import { type Conflict, noRoomInLevel, noRoomInLot, type Untaken } from '../contract/conflict.ts';
import type { ReceiveRequest } from '../contract/receive.ts';
import { parseQuantity, type Quantity } from '../quantity.ts';
import type { LotFilter } from './lot-filter.ts';

/**
 * What a batch of transactions sees while it is decided: everything was read under the gates' locks,
 * decisions change it in arrival order, and the difference is written once at the end. Times are milliseconds
 * since 1970.
 */
export type Batch = {
  now: number;
  /** By shortID; an item that is missing here does not exist. */
  items: Map<string, ItemFacts>;
  /** Names by wid. */
  warehouses: Map<number, string>;
  /** By {@link gateKey}; a gate that is missing never held stock. */
  levels: Map<string, LevelState>;
  /** The lots of each gate that were read or made, by {@link gateKey}, in the order of allocation. */
  lots: Map<string, LotState[]>;
  /** By {@link pickKey}: the last lot that was read for a pick, where there may be more of them after it. */
  horizons: Map<string, LotState>;
  /** By {@link pickKey}: the picks for which not enough was read to tell which lots come first. */
  unread: Set<string>;
  /** By {@link pickKey}: the picks for which more lots would have to be looked at than may be. */
  cut: Set<string>;
  /** By {@link askKey}: the lots counted for a transaction that needs more of them than one may take. */
  tallies: Map<string, Tally>;
  /** By {@link gateKey}: the gates whose lots this batch has changed so far. */
  touched: Set<string>;
  /** By transactionNo: what was read of those that are to be undone; one that is missing was not read. */
  past: Map<number, Past>;
  /** Every lot that was read or made, active or not. */
  lotsByRecNo: Map<number, LotState>;
  /** How often a lot was looked at for a transaction. */
  looks: number;
  /** Lots made by this batch; their numbers come last of all, see {@link addLot}. */
  newLots: LotState[];
  /** The refusals that are not complete, in the order in which they were decided. */
  shortages: Shortage[];
};

/**
 * A refusal for want of stock. It changes nothing, so what is on hold or expired is read after the batch is
 * decided, for those that were refused alone. `complete`: puts that into the refusal.
 */
export type Shortage = { pick: LotFilter; complete: (read: Untaken) => void };

/**
 * A batch writes a bounded number of entries: its time under the gates' locks has an end. Beyond so many no
 * more requests are decided, and an atomic one is refused. One request has 2,000 at the most, two for each
 * lot that is moved.
 */
export const entriesMax = 4000;

/** How many lots a transaction would take, or all that there are. `more`: it was not counted to the end. */
export type Tally = { lots: number; units: Quantity; more: boolean };

export type ItemFacts = { partNo: number; shortId: string; description: string; dfltOwner: number };

export type LevelState = {
  partNo: number;
  wid: number;
  inStock: Quantity;
  onHold: Quantity;
  /** Whether there ever was stock: also of what came and went in one batch. */
  used: boolean;
  /** As it was read; a level that ends where it began is not written. */
  stored: { inStock: Quantity; onHold: Quantity; used: boolean };
};

export type LotState = {
  recNo: number;
  partNo: number;
  wid: number;
  spot: string;
  units: Quantity;
  received: number;
  expires: number | null;
  serial: string;
  serial2: string | null;
  rfidTag: string | null;
  /** Of all its units. */
  netWeight: Quantity | null;
  grossWeight: Quantity | null;
  hold: boolean;
  /** The lot whose hold it has, with its reason, when it got it by this batch. */
  holdOf?: LotState;
  /**
   * A stored one has what a batch may change as it was read. `of`: the lot whose other columns a split one
   * has, stored or received; `from`: the lot it was split from.
   */
  origin:
    | ({ kind: 'stored' } & Pick<LotState, 'spot' | 'units' | 'hold' | 'rfidTag'>)
    | { kind: 'received'; request: ReceiveRequest; owner: number }
    | { kind: 'split'; of: LotState; from: LotState };
  changed: boolean;
};

/** One signed line of the ledger. `balance`: the lot's units after it. */
export type Entry = { lot: LotState; wid: number; spot: string; delta: Quantity; balance: Quantity };

/** A line of a transaction that is to be undone, with its lot as it is now. */
export type PastEntry = Omit<Entry, 'balance'>;

/** The lines of a transaction that is to be undone, from the ledger and in order. */
export type Past = { isReversed: boolean; entries: PastEntry[] };

export function gateKey(partNo: number, wid: number): string {
  return `${partNo}/${wid}`;
}

/** The gate's level; writing to a gate that was not locked is an error of ours. */
export function levelOf(batch: Batch, partNo: number, wid: number): LevelState {
  const level = batch.levels.get(gateKey(partNo, wid));
  if (level === undefined) throw new Error(`gate ${partNo}/${wid} is not locked`);
  return level;
}

// The most that a level and a lot can hold. Without these limits a sum would fail on a constraint.
const levelMax = parseQuantity('999999999999999.999999');
const lotMax = parseQuantity('999999999999.999999');

/** Why the gate's level cannot take so many units more; null when it can. */
export function refuseLevel(batch: Batch, partNo: number, wid: number, units: Quantity): Conflict | null {
  const { inStock } = levelOf(batch, partNo, wid);
  return inStock + units > levelMax ? noRoomInLevel(units, inStock, levelMax) : null;
}

/** Why a lot cannot take so many units more, null being one that would be made; null when it can. */
export function refuseLot(lot: LotState | null, units: Quantity): Conflict | null {
  const present = lot?.units ?? 0n;
  return present + units > lotMax ? noRoomInLot(lot && recNoOf(lot), units, present, lotMax) : null;
}

/** Changes the units of a lot and the level of its gate together. A lot that is emptied loses its hold. */
export function adjust(batch: Batch, lot: LotState, delta: Quantity): void {
  const level = levelOf(batch, lot.partNo, lot.wid);
  lot.units += delta;
  level.inStock += delta;
  if (lot.hold) level.onHold += delta;
  level.used = true;
  change(batch, lot);
  if (lot.units === 0n) lot.hold = false;
}

/** Notes that a lot differs from what was read. */
export function change(batch: Batch, lot: LotState): void {
  lot.changed = true;
  batch.touched.add(gateKey(lot.partNo, lot.wid));
}

/** Whether a lot has expired at `now`, milliseconds since 1970: it is good at its last moment. */
export function isExpired(lot: LotState, now: number): boolean {
  return lot.expires !== null && lot.expires < now;
}

// Above every stored number and every temporary one sorts as made later.
const temporaryRecNo = 2 ** 52;

/**
 * Adds a lot with `units` 0 (units come by {@link adjust}) in the order of allocation. Its recNo is temporary
 * until the whole batch is decided: only then is it known how many numbers are needed.
 */
export function addLot(batch: Batch, facts: Omit<LotState, 'recNo' | 'units' | 'changed'>): LotState {
  const lot: LotState = { ...facts, recNo: temporaryRecNo + batch.newLots.length, units: 0n, changed: false };
  batch.newLots.push(lot);
  const key = gateKey(lot.partNo, lot.wid);
  const lots = batch.lots.get(key);
  if (lots === undefined) batch.lots.set(key, [lot]);
  else lots.splice(placeOf(lots, lot, allocationOrder(batch.now)), 0, lot);
  return lot;
}

/** The number of a lot for an answer; null for one that was made and has none: a dry run draws no numbers. */
export function recNoOf({ recNo }: LotState): number | null {
  return recNo >= temporaryRecNo ? null : recNo;
}

/** Gives the batch's new lots their numbers, in the order they were made. */
export function numberLots(batch: Batch, recNos: readonly number[]): void {
  batch.newLots.forEach((lot, index) => {
    const recNo = recNos[index];
    if (recNo === undefined) throw new Error('fewer numbers than new lots');
    lot.recNo = recNo;
  });
}

/**
 * The order in which lots are taken: earliest expiry first, lots without expiry after those, expired ones
 * last; then received, then recNo.
 */
export function allocationOrder(now: number): (a: LotState, b: LotState) => number {
  return (a, b) =>
    Number(isExpired(a, now)) - Number(isExpired(b, now)) ||
    compare(a.expires ?? Number.POSITIVE_INFINITY, b.expires ?? Number.POSITIVE_INFINITY) ||
    a.received - b.received ||
    a.recNo - b.recNo;
}

/** Also of two infinities. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

function placeOf(
  lots: readonly LotState[],
  lot: LotState,
  order: (a: LotState, b: LotState) => number,
): number {
  let low = 0;
  let high = lots.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = lots[middle];
    if (other !== undefined && order(other, lot) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
