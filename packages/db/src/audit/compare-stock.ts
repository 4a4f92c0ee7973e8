import { type Piece, piece, raw, send } from '@inventory/postgres/piece';
import type { Sql, Tx } from '@inventory/postgres/pool';

/** A place where levels, lots and entries disagree. Quantities are decimal text. */
export type Drift = {
  check: string;
  partNo: number;
  wid: number;
  /** 0: the level itself. */
  recNo: number;
  expected: string;
  found: string;
};

/** The number of lots or levels compared, the last one, and the places that disagree. */
export type Compared = {
  rows: number;
  last: { partNo: number; wid: number; recNo: number } | null;
  drift: Drift[];
};

// The background audit compares slice by slice. `inventory audit` compares everything as one slice, with
// `rowsMax` null.

// More places add no information.
const driftMax = 1000;

/**
 * Compares the next lots: their units with the sum of their entries, and the gate of each entry with the
 * lot's gate. Also finds entries without a lot and lots without a level, which no constraint refuses.
 */
export async function compareLots(
  sql: Sql | Tx,
  { after, until, rowsMax }: { after: number; until: number; rowsMax: number | null },
): Promise<Compared> {
  const [row] = await send<Compared>(sql)`
    with slice as materialized (
      select rec_no, part_no, wid, units
      from lot
      where rec_no > ${after} and rec_no <= ${until}
      order by rec_no
      limit ${rowsMax}::bigint
    ), compared as materialized (
      select rec_no, slice.part_no, slice.wid, slice.units, coalesce(sum(delta), 0) as entered, count(delta) as lines,
        count(*) filter (where entry.part_no <> slice.part_no or entry.wid <> slice.wid) as elsewhere
      from slice
      left join stock_entry as entry using (rec_no)
      group by rec_no, slice.part_no, slice.wid, slice.units
    ), range as materialized (
      select case when count(*) >= ${rowsMax}::bigint then max(rec_no) else ${until} end as last from slice
    ), different as (
      select 'units = entries, per lot' as check, part_no, wid, rec_no, units as expected, entered as found
      from compared
      where units <> entered
      union all
      select 'entries of a lot are of its item and warehouse', part_no, wid, rec_no, 0, elsewhere
      from compared
      where elsewhere > 0
      union all
      select distinct 'entries have a lot', part_no, wid, rec_no, 1, 0
      from stock_entry
      where rec_no > ${after} and rec_no <= (select last from range)
        and not exists (select from lot where lot.rec_no = stock_entry.rec_no)
        -- Almost always equal, and then nothing more is read.
        and (select sum(lines) from compared) <>
          (select count(*) from stock_entry where rec_no > ${after} and rec_no <= (select last from range))
      union all
      select 'lots have a level', part_no, wid, rec_no, 1, 0
      from slice
      where not exists (select from stock_level as level where level.part_no = slice.part_no and level.wid = slice.wid)
    )
    ${comparedFrom('order by rec_no desc')}`;
  return row!;
}

const isOfLevel = piece`lot.part_no = slice.part_no and lot.wid = slice.wid`;

/** Compares the next levels: the stock and the units on hold with the sums of their lots. */
export async function compareLevels(
  sql: Sql | Tx,
  { after, rowsMax }: { after: { partNo: number; wid: number }; rowsMax: number | null },
): Promise<Compared> {
  const [row] = await send<Compared>(sql)`
    with slice as materialized (
      select 0 as rec_no, part_no, wid, in_stock, on_hold
      from stock_level
      where (part_no, wid) > (${after.partNo}::integer, ${after.wid}::integer)
      order by part_no, wid
      limit ${rowsMax}::bigint
    ), part as (
      -- Each part has an index of its lots with units. The others may be all that there ever were.
      select slice.*, units, 0 as held
      from slice
      left join lot on ${isOfLevel} and active and not hold and lot.rec_no > 0
      union all
      select slice.*, units, units
      from slice
      join lot on ${isOfLevel} and active and hold and lot.rec_no > 0
    ), compared as (
      select rec_no, part_no, wid, in_stock, on_hold, coalesce(sum(units), 0) as units, sum(held) as held
      from part
      group by rec_no, part_no, wid, in_stock, on_hold
    ), different as (
      select 'in stock = lots, per item and warehouse' as check, part_no, wid, rec_no, in_stock as expected, units as found
      from compared
      where in_stock <> units
      union all
      select 'on hold = held lots, per item and warehouse', part_no, wid, rec_no, on_hold, held
      from compared
      where on_hold <> held
    )
    ${comparedFrom('order by part_no desc, wid desc')}`;
  return row!;
}

function comparedFrom(order: string): Piece {
  return piece`
    select (select count(*) from slice)::integer as rows,
      (select json_build_object('partNo', part_no, 'wid', wid, 'recNo', rec_no) from slice ${raw(order)} limit 1) as last,
      coalesce((select json_agg(json_build_object('check', "check", 'partNo', part_no, 'wid', wid, 'recNo', rec_no,
        'expected', expected::text, 'found', found::text)) from (select * from different limit ${driftMax}) as told), '[]') as drift`;
}
