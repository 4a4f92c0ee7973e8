import type { z } from 'zod';
import type { OwnField, SentField, SentShape } from '../lot-fields.ts';
import { parseQuantity, type Quantity } from '../quantity.ts';
import { type Conflict, noRoomInLevel, noRoomInLot, type Untaken } from '../refusals/conflict.ts';
import type { LotFilter } from './lot-filter.ts';

/**
 * The state against which a batch is decided. Everything was read under the gates' locks. Decisions change it
 * in order of arrival, and the changes are written once at the end. Times are milliseconds since 1970.
 */
export type Batch = {
  now: number;
  /** By shortID. A missing item does not exist. */
  items: Map<string, ItemFacts>;
  /** Names by wid. */
  warehouses: Map<number, string>;
  /** The operations for which each of its reasons is listed, by code; null: any reason is taken. */
  reasons: ReadonlyMap<number, readonly string[]> | null;
  /** By {@link gateKey}. A missing gate never held stock. */
  levels: Map<string, LevelState>;
  /** The lots of each gate that were read or created, by {@link gateKey}, in the order of allocation. */
  lots: Map<string, LotState[]>;
  /** By {@link pickKey}: the last lot that was read for a pick, if there may be more after it. */
  horizons: Map<string, LotState>;
  /** By {@link pickKey}: picks for which too little was read to know which lots come first. */
  unread: Set<string>;
  /** By {@link pickKey}: picks for which too many lots would have to be examined. */
  cut: Set<string>;
  /** By {@link askKey}: tallies for transactions that need more lots than one may take. */
  tallies: Map<string, Tally>;
  /** By {@link gateKey}: gates whose lots this batch has changed so far. */
  touched: Set<string>;
  /** By transactionNo: the transactions to reverse. A missing one was not read. */
  past: Map<number, Past>;
  /** All lots that were read or created, active or not. */
  lotsByRecNo: Map<number, LotState>;
  /** How many times a lot was examined. */
  looks: number;
  /** Lots created by this batch. They get their numbers last; see {@link addLot}. */
  newLots: LotState[];
  /** Refusals to be completed, in the order of decision. */
  shortages: Shortage[];
};

/**
 * A refusal for lack of stock. It changes nothing, so the units on hold or expired are read after the batch
 * is decided, only for refused picks. `complete` adds them to the refusal.
 */
export type Shortage = { pick: LotFilter; complete: (read: Untaken) => void };

/**
 * The most entries that a batch writes, which bounds the time for which its gates are locked. Beyond that, no
 * more requests are decided, and an atomic batch is refused. One request has at most 2,000: two for each
 * moved lot.
 */
export const entriesMax = 4000;

/** The lots and units that a transaction would take, or all there are. `more`: the count was not finished. */
export type Tally = { lots: number; units: Quantity; more: boolean };

export type ItemFacts = { partNo: number; shortId: string; description: string; dfltOwner: number };

export type LevelState = {
  partNo: number;
  wid: number;
  inStock: Quantity;
  onHold: Quantity;
  /** Whether there ever was stock, even if it came and went in one batch. */
  used: boolean;
  /** The values as read. A level that ends with the same values is not written. */
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
  /** The weight of all its units. */
  netWeight: Quantity | null;
  grossWeight: Quantity | null;
  hold: boolean;
  /** The lot whose hold, with its reason, this lot took over in this batch. */
  holdOf?: LotState | undefined;
  /** The reason of a hold that this batch set, maybe empty. Comes before that of `holdOf`. */
  holdReason?: string | undefined;
  /**
   * A stored lot keeps the values that a batch may change, as read. A split lot: `of` is the stored or
   * received lot whose other columns it has, `from` is the lot that it was split from.
   */
  origin:
    | ({ kind: 'stored' } & Pick<LotState, 'spot' | 'units' | 'hold' | 'rfidTag'>)
    | { kind: 'received'; request: Receipt; owner: number }
    | { kind: 'split'; of: LotState; from: LotState };
  changed: boolean;
};

/** The fields that a new lot keeps of the call that created it. */
export type Receipt = { reasonCode: number } & {
  [Field in Exclude<SentField, OwnField>]?: z.infer<SentShape[Field]>;
};

/** One signed line of the ledger. `balance`: the lot's units afterwards. */
export type Entry = { lot: LotState; wid: number; spot: string; delta: Quantity; balance: Quantity };

/** A line of a transaction to reverse, with the current state of its lot. */
export type PastEntry = Omit<Entry, 'balance'>;

/** The lines of a transaction to reverse, in ledger order. */
export type Past = { isReversed: boolean; entries: PastEntry[] };

export function gateKey(partNo: number, wid: number): string {
  return `${partNo}/${wid}`;
}

/** Returns the gate's level. Throws if the gate was not locked, which would be a bug. */
export function levelOf(batch: Batch, partNo: number, wid: number): LevelState {
  const level = batch.levels.get(gateKey(partNo, wid));
  if (level === undefined) throw new Error(`gate ${partNo}/${wid} is not locked`);
  return level;
}

// The most that a level and a lot can hold. Without these checks, a sum would violate a constraint.
const levelMax = parseQuantity('999999999999999.999999');
const lotMax = parseQuantity('999999999999.999999');

/** Why the gate's level cannot take this many more units; null if it can. */
export function refuseLevel(batch: Batch, partNo: number, wid: number, units: Quantity): Conflict | null {
  const { inStock } = levelOf(batch, partNo, wid);
  return inStock + units > levelMax ? noRoomInLevel(units, inStock, levelMax) : null;
}

/**
 * Why a lot cannot take this many more units; null if it can. `lot`: null for a lot that would be created.
 */
export function refuseLot(lot: LotState | null, units: Quantity): Conflict | null {
  const present = lot?.units ?? 0n;
  return present + units > lotMax ? noRoomInLot(lot && recNoOf(lot), units, present, lotMax) : null;
}

/** Changes the units of a lot together with its gate's level. A lot that becomes empty loses its hold. */
export function adjust(batch: Batch, lot: LotState, delta: Quantity): void {
  const level = levelOf(batch, lot.partNo, lot.wid);
  lot.units += delta;
  level.inStock += delta;
  if (lot.hold) level.onHold += delta;
  level.used = true;
  change(batch, lot);
  if (lot.units === 0n) lot.hold = false;
}

/** Puts a lot on hold with this reason, which may be empty; null: releases it. */
export function changeHold(batch: Batch, lot: LotState, reason: string | null): void {
  const level = levelOf(batch, lot.partNo, lot.wid);
  lot.hold = reason !== null;
  lot.holdReason = reason ?? undefined;
  level.onHold += lot.hold ? lot.units : -lot.units;
  change(batch, lot);
}

/** Changes the units of a lot, and returns the line of the ledger for that. */
export function changeUnits(batch: Batch, lot: LotState, delta: Quantity): Entry {
  adjust(batch, lot, delta);
  return { lot, wid: lot.wid, spot: lot.spot, delta, balance: lot.units };
}

/** Marks a lot as changed. */
export function change(batch: Batch, lot: LotState): void {
  lot.changed = true;
  batch.touched.add(gateKey(lot.partNo, lot.wid));
}

/**
 * Whether a lot has expired at `now`, in milliseconds since 1970. It is good until the end of its last
 * millisecond.
 */
export function isExpired(lot: LotState, now: number): boolean {
  return lot.expires !== null && lot.expires < now;
}

// Greater than all stored numbers, and increasing, so that temporary numbers sort as newer.
const temporaryRecNo = 2 ** 52;

/**
 * Adds a lot with 0 units, in the order of allocation; {@link adjust} adds the units. Its recNo is temporary
 * until the whole batch is decided, because only then is it known how many numbers are needed.
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

/** The number of a lot for an answer; null for a new lot in a dry run, which draws no numbers. */
export function recNoOf({ recNo }: LotState): number | null {
  return recNo >= temporaryRecNo ? null : recNo;
}

/** Numbers the batch's new lots in the order of their creation. */
export function numberLots(batch: Batch, recNos: readonly number[]): void {
  batch.newLots.forEach((lot, index) => {
    const recNo = recNos[index];
    if (recNo === undefined) throw new Error('fewer numbers than new lots');
    lot.recNo = recNo;
  });
}

/**
 * The order in which lots are taken: earliest expiry first, then lots without expiry, then expired ones;
 * within that by time of receipt, then recNo.
 */
export function allocationOrder(now: number): (a: LotState, b: LotState) => number {
  return (a, b) =>
    Number(isExpired(a, now)) - Number(isExpired(b, now)) ||
    compare(a.expires ?? Number.POSITIVE_INFINITY, b.expires ?? Number.POSITIVE_INFINITY) ||
    a.received - b.received ||
    a.recNo - b.recNo;
}

/** Also works for two infinities. */
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
