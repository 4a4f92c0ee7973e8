import { parseQuantity, type Quantity } from '@inventory/domain/quantity';
import { type Batch, isExpired, type LotState } from '@inventory/domain/stock/batch';
import type { LotFilter } from '@inventory/domain/stock/lot-filter';
import type { Pacer } from '@inventory/process/pacer';
import type { Tx } from '../pool.ts';
import {
  type LotRow,
  looksOf,
  type PickKind,
  type PickLimits,
  type PickRead,
  pickKindsOf,
  readPickedLots,
} from './pick-statements.ts';

/** What a batch has read of its lots. */
export type Candidates = {
  [Part in 'lots' | 'lotsByRecNo' | 'horizons' | 'unread' | 'cut' | 'tallies' | 'past']: Batch[Part];
};

/**
 * How others get their turns of the event loop meanwhile: `pace` lets them have one, and one statement reads
 * `lotsMax` lots at the most, for its rows come in one stretch.
 */
export type Turns = { pace: Pacer; lotsMax: number };

/** How many more lots a batch may look at. */
export type Room = { left: number };

/** What is read for the pick of this key, by one of `kinds`. */
export type Read = PickRead & { key: string; kinds: readonly PickKind[]; isCount: boolean };

/** What is read for a pick: for a count the lots on hold, too, which the others leave out. */
export function readsOf(key: string, pick: LotFilter, isCount: boolean): Read[] {
  const read = (isHeld: boolean): Read => {
    const kinds = pickKindsOf(pick, isHeld);
    return { key, pick, kinds, kind: kinds[0]!, isHeld, isCount };
  };
  return isCount && pick.recNo === undefined ? [read(false), read(true)] : [read(false)];
}

/** Has the next field of a read looked through, after the last one the first. */
export function turnToNext(read: Read): void {
  read.kind = read.kinds[(read.kinds.indexOf(read.kind) + 1) % read.kinds.length]!;
}

/**
 * The lots that a read has found. `isEnded`: there are no more; `isCut`: for more of them more would have to
 * be looked at than `limits` allow. After `horizon` there may be more; null and not ended: anywhere.
 * `isStale`: whether some have expired since they were read, and so come later in the order of allocation
 * than `horizon` says.
 */
export type PickedLots = {
  lots: LotState[];
  isEnded: boolean;
  isCut: boolean;
  limits: PickLimits;
  horizon: LotState | null;
  isStale: (now: Date) => boolean;
};

/** Reads lots for these, which makes the `room` smaller. */
export async function readPicks(
  tx: Tx,
  reads: readonly Read[],
  limits: PickLimits,
  found: Candidates,
  { room, now, turns }: { room: Room; now: Date | null; turns: Turns },
): Promise<Map<Read, PickedLots>> {
  const result = new Map<Read, PickedLots>();
  const picked = await readPickedLots(tx, reads, limits, now);
  for (const [index, read] of reads.entries()) {
    await turns.pace();
    const { rows, looked, isEnded, isCut, last } = picked[index]!;
    room.left -= looked;
    const lots = keepLots(found, rows);
    const horizon = isEnded || last === null ? null : keepLots(found, [last])[0]!;
    const early = lots.filter((_, place) => !rows[place]!.late);
    // It may be one that does not match.
    if (horizon !== null && !last!.late) early.push(horizon);
    const isStale = (now: Date) => early.some((lot) => isExpired(lot, now.getTime()));
    result.set(read, { lots, isEnded, isCut, limits, horizon, isStale });
  }
  return result;
}

/**
 * Those that are read next, and the others: those for which there is room by all their fields, for else what
 * is looked at by the first ones may be in vain. The first `least` always; then those that need the least.
 */
export function takePart(
  reads: readonly Read[],
  limits: PickLimits,
  { room, turns, least }: { room: Room; turns: Turns; least: number },
): [part: Read[], rest: Read[]] {
  const needed = (read: Read) => sum(read.kinds.map((kind) => looksOf({ ...read, kind }, limits)));
  const part = reads.slice(0, least);
  const rest: Read[] = [];
  let looks = sum(part.map(needed));
  const others = reads.slice(least).map((read) => ({ read, more: needed(read) }));
  for (const { read, more } of others.sort((a, b) => a.more - b.more)) {
    const hasRoom = more === 0 || looks + more <= room.left;
    const isTurn = (part.length + 1) * limits.lots <= turns.lotsMax;
    if (hasRoom && isTurn) {
      part.push(read);
      looks += more;
    } else rest.push(read);
  }
  return [part, rest];
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

/** The lots of these rows; one that was read before is the same object. */
export function keepLots(found: Candidates, rows: readonly LotRow[]): LotState[] {
  return rows.map((row) => {
    const lot = found.lotsByRecNo.get(row.rec_no) ?? lotOf(row);
    found.lotsByRecNo.set(lot.recNo, lot);
    return lot;
  });
}

export function unitsOf(lots: readonly LotState[], pick: LotFilter, now: Date): Quantity {
  return lots.reduce((sum, lot) => (isTaken(lot, pick, now) ? sum + lot.units : sum), 0n);
}

/**
 * The statements leave out lots that had expired when the transaction began; this leaves out those that have
 * expired since.
 */
export function isTaken(lot: LotState, pick: LotFilter, now: Date): boolean {
  return pick.expiredToo || !isExpired(lot, now.getTime());
}

function lotOf(row: LotRow): LotState {
  const { spot, hold, rfid_tag: rfidTag } = row;
  const units = parseQuantity(row.units);
  return {
    recNo: row.rec_no,
    partNo: row.part_no,
    wid: row.wid,
    spot,
    units,
    received: row.received.getTime(),
    expires: row.expires?.getTime() ?? null,
    serial: row.serial,
    serial2: row.serial2,
    rfidTag,
    netWeight: row.net_weight === null ? null : parseQuantity(row.net_weight),
    grossWeight: row.gross_weight === null ? null : parseQuantity(row.gross_weight),
    hold,
    origin: { kind: 'stored', spot, units, hold, rfidTag },
    changed: false,
  };
}
