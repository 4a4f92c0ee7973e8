import type { Untaken } from '@inventory/domain/contract/conflict';
import { parseQuantity } from '@inventory/domain/quantity';
import type { LotFilter } from '@inventory/domain/stock/allocate';
import type { Tx } from '../pool.ts';
import { expiry, fieldFilters, filters, found, picksTable } from './pick-statements.ts';

// Read under the gates' locks, for what a refusal says beside its figures: beyond so many lots "at least"
// will do.
const lotsMax = 1000;

/** So many lots at most are looked at for one pick. */
export const untakenLooksMax = 3 * lotsMax;

/**
 * For each pick the units that match it and are not taken: on hold, expired for one that takes no expired
 * lots, and at the destination already for a move inside its warehouse. `looked`: at so many
 * lots.
 */
export async function readUntaken(
  tx: Tx,
  picks: readonly LotFilter[],
  now: Date,
): Promise<(Untaken & { looked: number })[]> {
  const rows = await tx<
    {
      pick: number;
      held: string | null;
      expired: string | null;
      arrived: string | null;
      lots: number;
      arrived_lots: number;
      looked: number;
    }[]
  >`
    select pick, held.units as held, expired.units as expired, arrived.units as arrived,
      greatest(held.lots, expired.lots) as lots, arrived.lots as arrived_lots,
      held.lots + expired.lots + arrived.lots as looked
    from ${picksTable(tx, picks, now)}
    cross join lateral (
      select sum(units) filter (where ${tx.unsafe(filters)}) as units, count(*) as lots
      from (
        select lot.*
        from lot
        where lot.part_no = picks.part_no and lot.wid = picks.wid and lot.active and lot.hold
          and ${tx.unsafe(found.any)}
        order by ${tx.unsafe(expiry)}, lot.received, lot.rec_no
        limit ${lotsMax}
      ) as lot
    ) as held
    cross join lateral (
      select sum(units) filter (where ${tx.unsafe(filters)}) as units, count(*) as lots
      from (
        select lot.*
        from lot
        where picks.expired_too = 0 and lot.part_no = picks.part_no and lot.wid = picks.wid
          and lot.active and not lot.hold and ${tx.unsafe(expiry)} < picks.now and ${tx.unsafe(found.any)}
        order by ${tx.unsafe(expiry)}, lot.received, lot.rec_no
        limit ${lotsMax}
      ) as lot
    ) as expired
    cross join lateral (
      select sum(units) filter (where ${tx.unsafe(fieldFilters)}) as units, count(*) as lots
      from (
        ${tx.unsafe(arrivedText(`lot.spot = picks.not_at_spot and lot.spot <> ''`))}
        union all
        ${tx.unsafe(arrivedText(`picks.not_at_spot = '' and lot.spot = ''`))}
      ) as lot
    ) as arrived
    order by pick`;
  return rows.map((row) => ({
    held: parseQuantity(row.held ?? '0'),
    expired: parseQuantity(row.expired ?? '0'),
    more: row.lots >= lotsMax,
    atDestination: parseQuantity(row.arrived ?? '0'),
    moreAtDestination: row.arrived_lots >= lotsMax,
    looked: row.looked,
  }));
}

/** The lots at a spot, by the index that lots with one are in, or by that of the others, and in its order. */
function arrivedText(isThere: string): string {
  return `(
          select *
          from lot
          where lot.part_no = picks.part_no and lot.wid = picks.wid and ${isThere} and lot.active and not lot.hold
          order by ${expiry}, lot.received, lot.rec_no
          limit ${lotsMax}
        )`;
}
