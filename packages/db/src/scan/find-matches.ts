import { parseQuantity, type Quantity } from '@inventory/domain/quantity';
import { gtin14Of } from '@inventory/domain/scan/check-digits';
import { type Piece, piece, raw, send } from '@inventory/postgres/piece';
import type { Tx } from '@inventory/postgres/pool';
import type { Pacer } from '@inventory/process/pacer';
import { dateTimeText } from '../lists/record-json.ts';

/**
 * An item that a code names: by its shortID, or by an alias. `name`: that one. `gtin`: an alias in 14 digits,
 * if it was found by another spelling, too. `units`: what one scan of it stands for.
 */
export type ItemMatch = {
  kind: 'item' | 'alias';
  name: string;
  gtin: string | null;
  partNo: number;
  units: Quantity;
};

/**
 * Finds the items with these names, by shortID or alias. A GTIN of 14 digits also finds aliases in its other
 * spellings. Discontinued items are found, too: their labels are still scanned.
 */
export async function findItemMatches(tx: Tx, names: readonly string[]): Promise<ItemMatch[]> {
  const gtins = names.filter((name) => gtin14Of(name) === name);
  const rows = await tx<(Omit<ItemMatch, 'units'> & { units: string })[]>`
    select 'item' as kind, short_id as name, null as gtin, part_no as "partNo", '1' as units
    from item
    where short_id = any(${names as string[]}::text[])
    union all
    select 'alias', alias, null, part_no, units::text
    from item_alias
    where alias = any(${names as string[]}::text[])
    union all
    select 'alias', alias_gtin.alias, gtin, item_alias.part_no, item_alias.units::text
    from alias_gtin
    cross join lateral (
      select part_no, units
      from item_alias
      where item_alias.alias = alias_gtin.alias
      offset 0
    ) as item_alias
    where gtin = any(${gtins}::text[])`;
  return rows.map(({ units, ...match }) => ({ ...match, units: parseQuantity(units) }));
}

/** The fields of an item in an answer. */
export type ScannedItem = { partNo: number; shortID: string; description: string };

/** Reads these items. */
export async function readScannedItems(tx: Tx, partNos: readonly number[]): Promise<ScannedItem[]> {
  if (partNos.length === 0) return [];
  const rows = await tx<ScannedItem[]>`
    select asked.part_no as "partNo", short_id as "shortID", description
    from unnest(${partNos as number[]}::integer[]) as asked (part_no)
    cross join lateral (
      select short_id, description
      from item
      where item.part_no = asked.part_no
      offset 0
    ) as item`;
  return [...rows];
}

export type StockKind = 'lot' | 'serial' | 'serial2' | 'rfidTag' | 'spot';

/**
 * A look-up in the stock. `partNo`: only lots of this item that are in stock; null: all. `other`: of a
 * serial, only lots whose serial2 is this one or empty, and the other way round; null: all.
 */
export type StockAsk = { kind: StockKind; value: string; partNo: number | null; other: string | null };

/** A lot that was found. What an answer shows of it is read later, if there is room for it. */
export type LotMatch = { kind: Exclude<StockKind, 'spot'>; recNo: number; partNo: number };
export type SpotMatch = { kind: 'spot'; wID: number; spot: string };
export type StockMatch = LotMatch | SpotMatch;

/** The fields of a lot in an answer, beside its item. */
export type ScannedLot = {
  recNo: number;
  wID: number;
  spot: string;
  units: Quantity;
  serial: string;
  serial2: string | null;
  rFIDTag: string | null;
  expires: string | null;
  hold: boolean;
  active: boolean;
  hasExpired: boolean;
};

/** Reads these lots, in any order. */
export async function readScannedLots(tx: Tx, recNos: readonly number[]): Promise<ScannedLot[]> {
  if (recNos.length === 0) return [];
  const rows = await send<Omit<ScannedLot, 'units'> & { units: string }>(tx)`
    select asked.rec_no::float8 as "recNo", lot.wid as "wID", lot.spot, trim_scale(lot.units)::text as units, lot.serial,
      lot.serial2, lot.rfid_tag as "rFIDTag", ${raw(dateTimeText('lot.expires'))} as expires, lot.hold, lot.active,
      coalesce(lot.expires < clock_timestamp(), false) as "hasExpired"
    from unnest(${recNos}::bigint[]) as asked (rec_no)
    cross join lateral (select * from lot where lot.rec_no = asked.rec_no offset 0) as lot`;
  return rows.map(({ units, ...lot }) => ({ ...lot, units: parseQuantity(units) }));
}

// Of so many lots with a value, those in stock are shown first. More are not looked at.
const lookedAtMax = 100;
// Lots on hold of an item in a warehouse that are looked at for a serial2, which has no index for them.
const heldLookedAtMax = 1000;

type Row = { place: number; recNo: number; partNo: number; active: boolean };

/**
 * Finds lots and spots in these warehouses for each ask, in the order of the asks, lots in stock first; of
 * each, some more than `max` lots at most. All asks travel in three statements, which tell numbers only.
 * Nothing outside these warehouses is looked at but a lot whose recNo was asked for. Must be the last search
 * of the transaction. `pace` is called between the matches.
 */
export async function findStockMatches(
  tx: Tx,
  asks: readonly StockAsk[],
  wids: readonly number[],
  max: number,
  pace: Pacer = () => undefined,
): Promise<StockMatch[][]> {
  const found = asks.map((): StockMatch[] => []);
  if (asks.length === 0 || wids.length === 0) return found;
  const { anyItem, oneItem } = branchesOf(asks, wids, max);
  const spots = await findSpots(tx, asks, wids);
  const rows = await findLots(tx, anyItem);
  if (oneItem.length > 0) {
    // If most numbers are rare, a plan that reads all lots with a number and sorts out those of other items
    // looks cheap, and would then be kept for a number that ten thousand items have.
    await tx`select set_config('enable_sort', 'off', true)`;
    rows.push(...(await findLots(tx, oneItem)));
  }
  const ofPlaces = asks.map((): Row[] => []);
  for (const row of rows) {
    await pace();
    ofPlaces[row.place]!.push(row);
  }
  for (const [place, lots] of ofPlaces.entries()) {
    await pace();
    const kind = asks[place]!.kind as LotMatch['kind'];
    lots.sort((one, other) => Number(other.active) - Number(one.active) || other.recNo - one.recNo);
    for (const { recNo, partNo } of lots.slice(0, max)) found[place]!.push({ kind, recNo, partNo });
  }
  for (const { place, wid } of spots)
    found[place]!.push({ kind: 'spot', wID: wid, spot: asks[place]!.value });
  return found;
}

/** Reads which lots these branches find. */
async function findLots(tx: Tx, branches: readonly Piece[]): Promise<Row[]> {
  if (branches.length === 0) return [];
  const rows = await send<Row>(tx)`
    select found.place as "place", found.rec_no::float8 as "recNo", lot.part_no as "partNo", lot.active
    from (${branches.reduce((all, each) => piece`${all} union all ${each}`)}) as found
    cross join lateral (
      select part_no, active, serial, serial2
      from lot
      where lot.rec_no = found.rec_no
      offset 0
    ) as lot
    where (found.serial is null or lot.serial in ('', found.serial))
      and (found.serial2 is null or coalesce(lot.serial2, '') in ('', found.serial2))`;
  return [...rows];
}

type Placed = Omit<StockAsk, 'kind'> & { place: number };

/** `oneItem`: those that find lots of one item; see {@link ofItem}. */
function branchesOf(
  asks: readonly StockAsk[],
  wids: readonly number[],
  max: number,
): { anyItem: Piece[]; oneItem: Piece[] } {
  const placed = (kind: StockKind, isOfItem: boolean): Placed[] =>
    asks.flatMap(({ kind: asked, ...ask }, place) =>
      asked === kind && (ask.partNo !== null) === isOfItem ? [{ place, ...ask }] : [],
    );
  const anyItem = columns.flatMap(({ kind, ...column }) =>
    branch(placed(kind, false), (given) => byValue(given, column, wids, max)),
  );
  return {
    anyItem: [...branch(placed('lot', false), (given) => byRecNo(given, wids)), ...anyItem],
    oneItem: columns.flatMap(({ kind, ...column }) =>
      branch(placed(kind, true), (given) => ofItem(given, column, wids, max)),
    ),
  };
}

function branch(given: readonly Placed[], make: (given: readonly Placed[]) => Piece): Piece[] {
  return given.length === 0 ? [] : [make(given)];
}

type Column = { column: string; isSet: string; held: string; others: string };

// Which serial and serial2 a lot may have; null: any.
const anyOthers = 'null::text as serial, null::text as serial2';

/**
 * The columns and the conditions of their indexes. `held`: the condition of the index for lots on hold.
 * `others`: which values of the serials belong together.
 */
const columns: readonly ({ kind: Exclude<StockKind, 'lot' | 'spot'> } & Column)[] = [
  {
    ...{ kind: 'serial', column: 'serial', isSet: `serial <> ''`, held: `serial <> ''` },
    others: 'null::text as serial, asked.other as serial2',
  },
  {
    ...{ kind: 'serial2', column: 'serial2', isSet: 'serial2 is not null', held: 'rec_no > 0' },
    others: 'asked.other as serial, null::text as serial2',
  },
  {
    ...{ kind: 'rfidTag', column: 'rfid_tag', isSet: 'rfid_tag is not null', held: 'rec_no > 0' },
    others: anyOthers,
  },
];

function asked(given: readonly Placed[]): Piece {
  return piece`
    unnest(${given.map(({ place }) => place)}::integer[], ${given.map(({ value }) => value)}::text[],
      ${given.map(({ partNo }) => partNo)}::integer[], ${given.map(({ other }) => other)}::text[])
      as asked (place, value, part_no, other)`;
}

function byRecNo(given: readonly Placed[], wids: readonly number[]): Piece {
  return piece`
    select asked.place, found.rec_no, ${raw(anyOthers)}
    from ${asked(given)}
    cross join lateral (
      select rec_no, wid
      from lot
      where lot.rec_no = asked.value::bigint
      offset 0
    ) as found
    where found.wid = any(${wids}::integer[])`;
}

function byValue(
  given: readonly Placed[],
  { column, isSet, others }: Column,
  wids: readonly number[],
  max: number,
): Piece {
  return piece`
    select asked.place, found.rec_no, ${raw(others)}
    from ${asked(given)}
    cross join lateral (
      select rec_no
      from (
        select rec_no, active
        from lot
        where ${raw(column)} = asked.value and ${raw(isSet)} and wid = any(${wids}::integer[])
        limit ${lookedAtMax}
      ) as lot
      order by active desc, rec_no desc
      limit ${max}
    ) as found`;
}

// As in the indexes for picks, each of which has this order for an item, a warehouse and one value.
const pickOrder = raw(`order by coalesce(expires, 'infinity'), received, rec_no`);

/**
 * Lots in stock of an item, however many other items have the same value. With sorting off, only the index
 * for picks by this column has the order.
 */
function ofItem(
  given: readonly Placed[],
  { column, isSet, held, others }: Column,
  wids: readonly number[],
  max: number,
): Piece {
  const isIndexed = held === isSet;
  return piece`
    select asked.place, found.rec_no, ${raw(others)}
    from ${asked(given)}
    cross join lateral (
      select of_warehouse.rec_no
      from unnest(${wids}::integer[]) as scope (wid)
      cross join lateral (
        (
          select rec_no
          from lot
          where lot.part_no = asked.part_no and lot.wid = scope.wid and lot.${raw(column)} = asked.value and active
            and not hold and ${raw(isSet)}
          ${pickOrder}
          limit ${max}
        )
        union all
        (
          select rec_no
          from (
            select rec_no, ${raw(column)}
            from lot
            where lot.part_no = asked.part_no and lot.wid = scope.wid and active and hold and ${raw(held)}
              ${isIndexed ? piece`and lot.${raw(column)} = asked.value` : piece``}
            ${pickOrder}
            limit ${isIndexed ? max : heldLookedAtMax}
          ) as held
          where held.${raw(column)} = asked.value
          limit ${max}
        )
      ) as of_warehouse
      limit ${lookedAtMax}
    ) as found`;
}

/** The warehouses in which the spots have, or had, lots. */
async function findSpots(
  tx: Tx,
  asks: readonly StockAsk[],
  wids: readonly number[],
): Promise<{ place: number; wid: number }[]> {
  const given = asks.flatMap(({ kind, value }, place) =>
    kind === 'spot' ? [{ place, value, partNo: null, other: null }] : [],
  );
  if (given.length === 0) return [];
  const rows = await send<{ place: number; wid: number }>(tx)`
    select asked.place, scope.wid
    from ${asked(given)}
    cross join unnest(${wids}::integer[]) as scope (wid)
    cross join lateral (
      select
      from lot
      where lot.spot = asked.value and lot.spot <> '' and lot.wid = scope.wid
      limit 1
    ) as found
    order by asked.place, scope.wid`;
  return [...rows];
}
