import { formatQuantity, parseQuantity, type Quantity } from '@inventory/domain/quantity';
import type { LotFilter } from '@inventory/domain/stock/allocate';
import type { Tally } from '@inventory/domain/stock/batch';
import type { PendingQuery } from 'postgres';
import type { Fragment, Tx } from '../client.ts';
import { plainArray } from './array-text.ts';

/** A lot as a pick reads it. */
export type LotRow = {
  pick: number;
  /** Whether it comes after those that have not expired. */
  late: boolean;
  rec_no: number;
  part_no: number;
  wid: number;
  spot: string;
  units: string;
  received: Date;
  expires: Date | null;
  serial: string;
  serial2: string | null;
  rfid_tag: string | null;
  net_weight: string | null;
  gross_weight: string | null;
  hold: boolean;
};

/** The field by which a pick finds its lots; each kind has a statement of its own, and an index. */
export type PickKind = 'recNo' | 'rfidTag' | 'serial' | 'serial2' | 'spot' | 'noSpot' | 'received' | 'any';

/** The one that leaves the fewest lots goes first. Empty serials are in no index. */
export function pickKindOf(pick: LotFilter): PickKind {
  if (pick.recNo !== undefined) return 'recNo';
  if (pick.rfidTag !== undefined) return 'rfidTag';
  if (pick.serial !== undefined && pick.serial !== '') return 'serial';
  if (pick.serial2 !== undefined) return 'serial2';
  if (pick.spot !== undefined) return pick.spot === '' ? 'noSpot' : 'spot';
  return pick.received === undefined ? 'any' : 'received';
}

// `<> ''` names the index that leaves empty texts out, `= ''` the one of lots without a spot.
const found: Record<PickKind, string> = {
  recNo: 'lot.rec_no = picks.rec_no',
  rfidTag: 'lot.rfid_tag = picks.rfid_tag',
  serial: `lot.serial = picks.serial and lot.serial <> ''`,
  serial2: 'lot.serial2 = picks.serial2',
  spot: `lot.spot = picks.spot and lot.spot <> ''`,
  noSpot: `lot.spot = ''`,
  received: 'true',
  any: 'true',
};

/**
 * The lots of each pick, `limit` at most, in the order of allocation; a lot named by its recNo whatever its
 * state. Expired is what has expired at `now`; null: when the transaction began. One statement for each kind
 * of pick, all sent in one turn.
 */
export function readPickedLots(
  tx: Tx,
  picks: readonly LotFilter[],
  limit: number,
  now: Date | null,
): Promise<LotRow[][]> {
  return byKind(picks, (kind, ofKind) => pickStatement(tx, kind, ofKind, limit, now));
}

/** The rows of each pick, read by one statement for each kind of them. */
async function byKind(
  picks: readonly LotFilter[],
  read: (kind: PickKind, ofKind: readonly LotFilter[]) => PromiseLike<LotRow[]>,
): Promise<LotRow[][]> {
  const lots: LotRow[][] = picks.map(() => []);
  const places = new Map<PickKind, number[]>();
  picks.forEach((pick, place) => {
    const kind = pickKindOf(pick);
    const ofKind = places.get(kind);
    if (ofKind === undefined) places.set(kind, [place]);
    else ofKind.push(place);
  });
  await Promise.all(
    [...places].map(async ([kind, ofKind]) => {
      const rows = await read(
        kind,
        ofKind.map((place) => picks[place]!),
      );
      for (const row of rows) lots[ofKind[row.pick - 1]!]!.push(row);
    }),
  );
  return lots;
}

/** The statement that reads the lots of picks of one kind. */
export function pickStatement(
  tx: Tx,
  kind: PickKind,
  picks: readonly LotFilter[],
  limit: number,
  now: Date | null,
): PendingQuery<LotRow[]> {
  if (kind === 'recNo') {
    return tx<LotRow[]>`
      select pick, false as late, ${tx.unsafe(columns)}
      from unnest(${plainArray(picks.map((pick) => pick.recNo!))}::bigint[]) with ordinality as named (rec_no, pick)
      join lot using (rec_no)`;
  }
  return tx<LotRow[]>`
    select pick, late, ${tx.unsafe(columns)}
    from ${picksTable(tx, picks, now)}
    cross join lateral (${tx.unsafe(lotsText(kind, limit))}) as lot`;
}

/** The lots on hold that match each pick, `limit` at most, in no order. */
export function readHeldLots(tx: Tx, picks: readonly LotFilter[], limit: number): Promise<LotRow[][]> {
  return byKind(picks, (kind, ofKind) => heldStatement(tx, kind, ofKind, limit));
}

/**
 * The statement that reads the lots on hold of picks of one kind. By spot or serial they are found by that,
 * else each of many counts would pass over all that is on hold of the item; `>= true` says the same as
 * `hold`, and lot_held_idx does not fit it.
 */
export function heldStatement(
  tx: Tx,
  kind: PickKind,
  picks: readonly LotFilter[],
  limit: number,
): PendingQuery<LotRow[]> {
  const isHeld: Partial<Record<PickKind, string>> = {
    spot: `${found.spot} and lot.hold >= true`,
    serial: `${found.serial} and lot.hold`,
  };
  return tx<LotRow[]>`
    select pick, false as late, ${tx.unsafe(columns)}
    from ${picksTable(tx, picks, null)}
    cross join lateral (
      select *
      from lot
      where lot.part_no = picks.part_no and lot.wid = picks.wid and lot.active
        and ${tx.unsafe(isHeld[kind] ?? 'lot.hold')} and ${tx.unsafe(filters)}
      limit ${limit}
    ) as lot`;
}

/**
 * The number of lots it takes to give so many units, and the units in them, as far as `limit` lots go; when
 * all lots together do not give so many, all of them.
 */
export async function tallyLots(
  tx: Tx,
  pick: LotFilter,
  units: Quantity,
  limit: number,
  now: Date,
): Promise<Tally> {
  const [row] = await tx<{ lots: number; units: string | null; seen: number }[]>`
    select count(*) filter (where before < ${formatQuantity(units)}::numeric and place <= ${limit}) as lots,
      sum(units) filter (where place <= ${limit}) as units, count(*) as seen
    from (
      select units, row_number() over picked as place, sum(units) over picked - units as before
      from ${picksTable(tx, [pick], now)}
      cross join lateral (${tx.unsafe(lotsText(pickKindOf(pick), limit + 1))}) as lot
      window picked as (order by late, expires, received, rec_no)
      order by late, expires, received, rec_no
      limit ${limit + 1}
    ) as ordered`;
  const held = parseQuantity(row!.units ?? '0');
  return { lots: row!.lots, units: held, more: row!.seen > limit && held < units };
}

/** The columns of a {@link LotRow}, but `pick` and `late`. */
export const columns = `lot.rec_no, lot.part_no, lot.wid, lot.spot, lot.units, lot.received, lot.expires, lot.serial, lot.serial2,
  lot.rfid_tag, lot.net_weight, lot.gross_weight, lot.hold`;

/** Picks as rows, numbered from 1 in their order. `now`: see {@link readPickedLots}. */
export function picksTable(tx: Tx, picks: readonly LotFilter[], now: Date | null): Fragment {
  const column = <T>(read: (pick: LotFilter) => T | undefined) => picks.map((pick) => read(pick) ?? null);
  return tx`(
      select *,
        -- While the batch's moment is not known, as of the transaction's begin: those that have expired since are left out when it is decided.
        coalesce(${now}::timestamptz, now()) as now
      from unnest(
          ${plainArray(column((pick) => pick.partNo))}::integer[], ${plainArray(column((pick) => pick.wid))}::integer[],
          ${column((pick) => pick.spot)}::text[], ${column((pick) => pick.serial)}::text[],
          ${column((pick) => pick.serial2)}::text[], ${column((pick) => pick.rfidTag)}::text[],
          ${plainArray(column((pick) => pick.received?.[0]))}::bigint[], ${plainArray(column((pick) => pick.received?.[1]))}::bigint[],
          ${column((pick) => pick.notAtSpot)}::text[], ${plainArray(column((pick) => Number(pick.expiredToo)))}::integer[]
        ) with ordinality as named (part_no, wid, spot, serial, serial2, rfid_tag, received_from, received_to, not_at_spot,
          expired_too, pick)
    ) as picks`;
}

// What a pick asks of the lots themselves.
export const fieldFilters = `(picks.spot is null or lot.spot = picks.spot)
        and (picks.serial is null or lot.serial = picks.serial)
        and (picks.serial2 is null or lot.serial2 = picks.serial2)
        and (picks.rfid_tag is null or lot.rfid_tag = picks.rfid_tag)
        and (picks.received_from is null or lot.received >= to_timestamp(picks.received_from / 1000.0))
        and (picks.received_to is null or lot.received < to_timestamp(picks.received_to / 1000.0))`;

// The conditions of a pick beside the field by which its lots are found.
export const filters = `${fieldFilters}
        and (picks.not_at_spot is null or lot.spot <> picks.not_at_spot)`;

/**
 * The order is that of the indexes, to the letter: no other index has it, and with sorting off (see
 * read-facts) Postgres has no other way. Lots without expiry come after those with one; expired lots come
 * last, for the picks that take them at all.
 */
function lotsText(kind: PickKind, limit: number): string {
  if (kind === 'received') return receivedText(limit);
  const part = (late: boolean) => `
        (
          select ${columns}, ${late} as late
          from lot
          where lot.part_no = picks.part_no and lot.wid = picks.wid and ${found[kind]}
            and ${late ? `picks.expired_too = 1 and ${expiry} <= picks.now` : `${expiry} > picks.now`}
            and lot.active and not lot.hold and ${filters}
          order by ${expiry}, lot.received, lot.rec_no
          limit ${limit}
        )`;
  // Postgres reads the second part only when the first has too few.
  return `${part(false)} union all ${part(true)} limit ${limit}`;
}

const expiry = `coalesce(lot.expires, 'infinity')`;

// No index of the picks is by the moment of receipt: all of that day or second are read (`offset 0` has
// Postgres do so), and sorted.
function receivedText(limit: number): string {
  return `
        select ${columns}, ${expiry} <= picks.now as late
        from (
          select lot.*
          from lot
          where lot.part_no = picks.part_no and lot.wid = picks.wid
            and lot.received >= to_timestamp(picks.received_from / 1000.0)
            and lot.received < to_timestamp(picks.received_to / 1000.0)
          offset 0
        ) as lot
        where lot.active and not lot.hold and (picks.expired_too = 1 or ${expiry} > picks.now) and ${filters}
        order by late, ${expiry}, lot.received, lot.rec_no
        limit ${limit}`;
}
