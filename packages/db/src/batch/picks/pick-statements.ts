import { formatQuantity, parseQuantity, type Quantity } from '@inventory/domain/quantity';
import type { Tally } from '@inventory/domain/stock/batch';
import type { LotFilter } from '@inventory/domain/stock/lot-filter';
import { type Piece, piece, raw, send } from '@inventory/postgres/piece';
import type { Tx } from '@inventory/postgres/pool';
import type { PendingQuery } from 'postgres';
import { plainArray } from '../array-text.ts';

/** A lot as a pick reads it. */
export type LotRow = {
  pick: number;
  /** Whether it is expired, and so comes after the others. */
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

/** The field by which a pick finds its lots. Each kind has its own statement and index. */
export type PickKind = 'recNo' | 'rfidTag' | 'serial' | 'serial2' | 'spot' | 'noSpot' | 'received' | 'any';

/**
 * The fields by which the lots of a pick can be found; the one that usually leaves the fewest lots comes
 * first. No index contains empty serials, or lots on hold without a spot. `received` is last, because more
 * lots may have come in one day than are in stock.
 */
export function pickKindsOf(pick: LotFilter, isHeld = false): PickKind[] {
  if (pick.recNo !== undefined) return ['recNo'];
  const kinds: PickKind[] = [];
  if (pick.rfidTag !== undefined) kinds.push('rfidTag');
  if (pick.serial !== undefined && pick.serial !== '') kinds.push('serial');
  if (pick.serial2 !== undefined) kinds.push('serial2');
  if (pick.spot !== undefined) kinds.push(pick.spot !== '' ? 'spot' : isHeld ? 'any' : 'noSpot');
  if (pick.received !== undefined) kinds.push('received');
  return kinds.length === 0 || pick.received !== undefined ? [...kinds, 'any'] : kinds;
}

/** Whether every lot found by this field matches the pick. */
function isExact(pick: LotFilter, kind: PickKind): boolean {
  if (kind === 'recNo') return true;
  if (kind === 'received') return false;
  const { spot, serial, serial2, rfidTag, received, notAtSpot } = pick;
  const named = [spot, serial, serial2, rfidTag, received].filter((each) => each !== undefined).length;
  const passesOver = notAtSpot !== undefined && (spot === undefined || spot === notAtSpot);
  return named === (kind === 'any' ? 0 : 1) && !passesOver;
}

/** A read of lots for a pick, by this field: the lots on hold or the others. */
export type PickRead = { pick: LotFilter; kind: PickKind; isHeld: boolean };

/**
 * Limits for a pick: how many lots are read, and how many are examined for that. The looks apply to each
 * field, or are shared by all fields.
 */
export type PickLimits = { lots: number; looks: number; isShared?: boolean };

/**
 * The result of reading for a pick. `rows`: matching lots in the order of allocation. `looked`: the number of
 * examined lots; 0 if the field is exact. `isEnded`: there are no more. `isCut`: the limit of looks was
 * reached. `last`: all matching lots up to this one were read; null: any may be missing, unless `isEnded`.
 */
export type PickedRows = {
  rows: LotRow[];
  looked: number;
  isEnded: boolean;
  isCut: boolean;
  last: LotRow | null;
};

/** The number of lots that a read may have to examine beyond those it must find. */
export function looksOf({ pick, kind, isHeld }: PickRead, { looks, isShared }: PickLimits): number {
  if (isExact(pick, kind)) return 0;
  return isShared ? Math.floor(looks / pickKindsOf(pick, isHeld).length) : looks;
}

type LookedRow = LotRow & { matches?: boolean; looked?: number; is_last?: boolean };

/**
 * Reads the lots of each pick in the order of allocation. A lot named by its recNo is read whatever its
 * state. Expiry is judged at `now`; null: when the transaction began. One statement for each kind of read,
 * all sent together.
 */
export async function readPickedLots(
  tx: Tx,
  reads: readonly PickRead[],
  limits: PickLimits,
  now: Date | null,
): Promise<PickedRows[]> {
  const ways = new Map<string, { way: PickWay; looks: number; places: number[] }>();
  reads.forEach((read, place) => {
    const { pick, kind, isHeld } = read;
    const way = { kind, isHeld, isExact: isExact(pick, kind) };
    const looks = looksOf(read, limits);
    const key = `${kind} ${isHeld} ${way.isExact} ${looks}`;
    const known = ways.get(key);
    if (known === undefined) ways.set(key, { way, looks, places: [place] });
    else known.places.push(place);
  });
  const found: LookedRow[][] = reads.map(() => []);
  await Promise.all(
    [...ways.values()].map(async ({ way, looks, places }) => {
      const picks = places.map((place) => reads[place]!.pick);
      for (const row of await pickStatement(tx, way, picks, { lots: limits.lots, looks }, now)) {
        found[places[row.pick - 1]!]!.push(row);
      }
    }),
  );
  return found.map((rows, place) => pickedOf(rows, reads[place]!, limits));
}

function pickedOf(rows: LookedRow[], read: PickRead, limits: PickLimits): PickedRows {
  const { pick, kind } = read;
  const { lots } = limits;
  const last = rows.at(-1) ?? null;
  if (isExact(pick, kind)) {
    const isEnded = kind === 'recNo' || rows.length < lots;
    return { rows, looked: 0, isEnded, isCut: false, last };
  }
  const looked = last?.looked ?? 0;
  const isCut = looked === looksOf(read, limits);
  // By time of receipt, lots do not come in the order of allocation: unread ones may come before these.
  if (isCut && kind === 'received') return { rows: [], looked, isEnded: false, isCut, last: null };
  const isEnded = !isCut && (rows.length < lots || last!.is_last === true);
  return { rows: rows.filter(({ matches }) => matches), looked, isEnded, isCut, last };
}

type PickWay = { kind: PickKind; isHeld: boolean; isExact: boolean };

/** The statement that reads the lots of picks of one kind. */
function pickStatement(
  tx: Tx,
  { kind, isHeld, isExact }: PickWay,
  picks: readonly LotFilter[],
  { lots, looks }: PickLimits,
  now: Date | null,
): PendingQuery<LookedRow[]> {
  if (kind === 'recNo') {
    // The list comes first; see `byKeys`.
    return send<LookedRow>(tx)`
      select pick, false as late, ${raw(columns)}
      from unnest(${plainArray(picks.map((pick) => pick.recNo!))}::bigint[]) with ordinality as named (rec_no, pick)
      join lot on lot.rec_no = any(array[named.rec_no])`;
  }
  const text = isExact ? lotsText(kind, isHeld, lots) : lookedText(kind, isHeld, lots, looks);
  return send<LookedRow>(tx)`
    select pick, late, ${raw(columns)} ${raw(isExact ? '' : ', matches, looked, is_last')}
    from ${picksTable(picks, now)}
    cross join lateral (${raw(text)}) as lot`;
}

/**
 * Counts the lots that are needed for this many units, and their units, examining at most `limit` lots. If
 * all lots together have fewer units, counts all of them.
 */
export async function tallyLots(
  tx: Tx,
  { pick, kind }: PickRead,
  units: Quantity,
  limit: number,
  now: Date,
): Promise<Tally> {
  const [row] = await send<{ lots: number; units: string | null; seen: number }>(tx)`
    select count(*) filter (where matches and before < ${formatQuantity(units)}::numeric and place <= ${limit}) as lots,
      sum(units) filter (where matches and place <= ${limit}) as units, count(*) as seen
    from (
      select matches, units, row_number() over picked as place,
        coalesce(sum(units) filter (where matches) over picked, 0) - units as before
      from ${picksTable([pick], now)}
      cross join lateral (
        select *, ${raw(matchesText(kind))} as matches
        from (${raw(lotsText(kind, false, limit + 1))}) as lot
      ) as lot
      window picked as (order by late, coalesce(expires, 'infinity'), received, rec_no)
    ) as ordered`;
  const held = parseQuantity(row!.units ?? '0');
  return { lots: row!.lots, units: held, more: row!.seen > limit && held < units };
}

/** The columns of a {@link LotRow}, without `pick` and `late`. */
export const columns = `lot.rec_no, lot.part_no, lot.wid, lot.spot, lot.units, lot.received, lot.expires, lot.serial, lot.serial2,
  lot.rfid_tag, lot.net_weight, lot.gross_weight, lot.hold`;

/** Picks as rows, numbered from 1 in order. `now`: see {@link readPickedLots}. */
export function picksTable(picks: readonly LotFilter[], now: Date | null): Piece {
  const column = <T>(read: (pick: LotFilter) => T | undefined) => picks.map((pick) => read(pick) ?? null);
  return piece`(
      select *,
        -- Until the moment of the batch is known, the transaction's begin is used; lots that have expired
        -- since are left out when the batch is decided. Cut to milliseconds like that moment: otherwise lots
        -- in their last millisecond would not be read.
        coalesce(${now}::timestamptz, date_trunc('milliseconds', now())) as now
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

// The conditions of a pick on the lots themselves.
export const fieldFilters = `(picks.spot is null or lot.spot = picks.spot)
        and (picks.serial is null or lot.serial = picks.serial)
        and (picks.serial2 is null or lot.serial2 = picks.serial2)
        and (picks.rfid_tag is null or lot.rfid_tag = picks.rfid_tag)
        and (picks.received_from is null or lot.received >= to_timestamp(picks.received_from / 1000.0))
        and (picks.received_to is null or lot.received < to_timestamp(picks.received_to / 1000.0))`;

// All conditions of a pick besides the field by which its lots are found.
export const filters = `${fieldFilters}
        and (picks.not_at_spot is null or lot.spot <> picks.not_at_spot)`;

// Each condition matches exactly one index: `<> ''` excludes empty texts, `= ''` means lots without a spot,
// and `rec_no > 0`, which is always true, stands only in the index of `any`.
export const found: Record<PickKind, string> = {
  recNo: 'lot.rec_no = picks.rec_no',
  rfidTag: 'lot.rfid_tag = picks.rfid_tag',
  serial: `lot.serial = picks.serial and lot.serial <> ''`,
  serial2: 'lot.serial2 = picks.serial2',
  spot: `lot.spot = picks.spot and lot.spot <> ''`,
  noSpot: `lot.spot = ''`,
  received: 'true',
  any: 'lot.rec_no > 0',
};

export const expiry = `coalesce(lot.expires, 'infinity')`;

/**
 * The order is exactly that of the index. No other suitable index has it, and with sorting off (see
 * read-facts) Postgres has no other plan, whatever its statistics say. Lots without expiry come after those
 * with one. Expired lots come last, and only for picks that take them.
 */
function lotsText(kind: PickKind, isHeld: boolean, limit: number): string {
  if (kind === 'received') return receivedText(limit);
  const part = (late: boolean) => `
        (
          select ${columns}, ${late} as late
          from lot
          where lot.part_no = picks.part_no and lot.wid = picks.wid and ${found[kind]}
            and ${late ? `picks.expired_too = 1 and ${expiry} < picks.now` : `${expiry} >= picks.now`}
            and lot.active and ${isHeld ? '' : 'not '}lot.hold
          order by ${expiry}, lot.received, lot.rec_no
          limit ${limit}
        )`;
  // Postgres reads the second part only if the first has too few rows.
  return `${part(false)} union all ${part(true)} limit ${limit}`;
}

/**
 * Like `lotsText`, for a field that finds other lots, too: examines at most `looks` lots. Returns the
 * matching ones, at most `limit`, and the last examined one, which shows how far the read went.
 */
function lookedText(kind: PickKind, isHeld: boolean, limit: number, looks: number): string {
  const isSorted = kind !== 'received';
  return `
        select ${columns}, late, matches, looked, ${isSorted ? 'is_last' : 'false as is_last'}
        from (
          select *, ${matchesText(kind)} as matches, ${isSorted ? 'row_number()' : 'count(*)'} over () as looked,
            lead(true) over () is null as is_last
          from (${lotsText(kind, isHeld, looks)}) as lot
        ) as lot
        where matches or is_last
        ${isSorted ? '' : `order by matches, late, ${expiry}, lot.received, lot.rec_no`}
        limit ${limit}`;
}

function matchesText(kind: PickKind): string {
  if (kind !== 'received') return `(${filters}) is true`;
  return `(lot.active and not lot.hold and (picks.expired_too = 1 or not lot.late) and ${filters}) is true`;
}

// No index for picks is ordered by time of receipt, so this uses the lists' index by item. Its order selects
// it: with `any(array[…])` the item is not a constant, so Postgres keeps it in the order.
function receivedText(limit: number): string {
  return `
        select ${columns}, lot.active, ${expiry} < picks.now as late
        from lot
        where lot.part_no = any(array[picks.part_no]) and lot.wid = picks.wid
          and lot.received >= to_timestamp(picks.received_from / 1000.0)
          and lot.received < to_timestamp(picks.received_to / 1000.0)
        order by lot.part_no, lot.received desc, lot.rec_no desc
        limit ${limit}`;
}
