import { parseQuantity } from '@inventory/domain/quantity';
import type { LotFilter } from '@inventory/domain/stock/allocate';
import type { Untaken } from '@inventory/domain/stock/batch';
import type { Tx } from '../client.ts';
import { expiry, filters, found, picksTable } from './pick-statements.ts';

// Read under the gates' locks, for what a refusal says beside its figures: beyond so many lots "at least"
// will do.
const lotsMax = 1000;

/** So many lots at most are looked at for one pick. */
export const untakenLooksMax = 2 * lotsMax;

/**
 * For each pick the units that match it and are not taken: on hold, and expired for one that takes no expired
 * lots. `looked`: at so many lots.
 */
export async function readUntaken(
  tx: Tx,
  picks: readonly LotFilter[],
  now: Date,
): Promise<(Untaken & { looked: number })[]> {
  const rows = await tx<
    { pick: number; held: string | null; expired: string | null; held_lots: number; expired_lots: number }[]
  >`
    select pick, held.units as held, expired.units as expired, held.lots as held_lots, expired.lots as expired_lots
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
          and lot.active and not lot.hold and ${tx.unsafe(expiry)} <= picks.now and ${tx.unsafe(found.any)}
        order by ${tx.unsafe(expiry)}, lot.received, lot.rec_no
        limit ${lotsMax}
      ) as lot
    ) as expired
    order by pick`;
  return rows.map((row) => ({
    held: parseQuantity(row.held ?? '0'),
    expired: parseQuantity(row.expired ?? '0'),
    more: Math.max(row.held_lots, row.expired_lots) >= lotsMax,
    looked: row.held_lots + row.expired_lots,
  }));
}
