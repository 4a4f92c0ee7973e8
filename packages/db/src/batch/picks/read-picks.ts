import { parseQuantity, type Quantity } from '@inventory/domain/quantity';
import { type Batch, isExpired, type LotState } from '@inventory/domain/stock/batch';
import type { LotFilter } from '@inventory/domain/stock/lot-filter';
import type { Tx } from '@inventory/postgres/pool';
import type { Pacer } from '@inventory/process/pacer';
import {
  type LotRow,
  looksOf,
  type PickKind,
  type PickLimits,
  type PickRead,
  pickKindsOf,
  readPickedLots,
} from './pick-statements.ts';

/** The lots that a batch has read. */
export type Candidates = {
  [Part in 'lots' | 'lotsByRecNo' | 'horizons' | 'unread' | 'cut' | 'tallies' | 'past']: Batch[Part];
};

/**
 * How the event loop is yielded: `pace` yields it if needed, and one statement reads at most `lotsMax` lots,
 * because its rows arrive in one piece.
 */
export type Turns = { pace: Pacer; lotsMax: number };

/** The number of lots that a batch may still examine. */
export type Room = { left: number };

/** A read for the pick of this key, by one of `kinds`. */
export type Read = PickRead & { key: string; kinds: readonly PickKind[]; isCount: boolean };

/** The reads for a pick. A count also needs the lots on hold. */
export function readsOf(key: string, pick: LotFilter, isCount: boolean): Read[] {
  const read = (isHeld: boolean): Read => {
    const kinds = pickKindsOf(pick, isHeld);
    return { key, pick, kinds, kind: kinds[0]!, isHeld, isCount };
  };
  return isCount && pick.recNo === undefined ? [read(false), read(true)] : [read(false)];
}

/** Switches a read to its next field, and from the last to the first. */
export function turnToNext(read: Read): void {
  read.kind = read.kinds[(read.kinds.indexOf(read.kind) + 1) % read.kinds.length]!;
}

/**
 * The lots that a read has found. `isEnded`: there are no more. `isCut`: finding more would take more looks
 * than `limits` allow. There may be more lots after `horizon`; null and not ended: anywhere. `isStale`:
 * whether some have expired since, so that they now come later in the order of allocation than `horizon`
 * says.
 */
export type PickedLots = {
  lots: LotState[];
  isEnded: boolean;
  isCut: boolean;
  limits: PickLimits;
  horizon: LotState | null;
  isStale: (now: Date) => boolean;
};

/** Reads lots and reduces `room` by the number of examined ones. */
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
    // The last examined lot may not match.
    if (horizon !== null && !last!.late) early.push(horizon);
    const isStale = (now: Date) => early.some((lot) => isExpired(lot, now.getTime()));
    result.set(read, { lots, isEnded, isCut, limits, horizon, isStale });
  }
  return result;
}

/**
 * Splits reads into those that are made now and the rest. A read is only made if there is room for looks by
 * all of its fields; otherwise the first looks might be wasted. The first `least` reads are always made, then
 * those that need the fewest looks.
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

/** Returns the lots of these rows. A lot that was read before stays the same object. */
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
 * The statements leave out lots that had expired when the transaction began. This also leaves out lots that
 * have expired since.
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
