import { parseQuantity } from '@inventory/domain/quantity';
import type { Untaken } from '@inventory/domain/refusals/conflict';
import type { Batch } from '@inventory/domain/stock/batch';
import { type LotFilter, pickKey } from '@inventory/domain/stock/lot-filter';
import { raw, send } from '@inventory/postgres/piece';
import type { Tx } from '@inventory/postgres/pool';
import { expiry, fieldFilters, filters, found, picksTable } from './pick-statements.ts';

// These reads run under the gates' locks and only make a refusal more precise. Beyond this many lots, the
// refusal says "at least". With more picks, fewer lots are examined for each, so that all together examine
// about 20,000. There are few steps, because each is a statement of its own.
const lotsMaxima = [1000, 500, 200, 100, 50, 20, 10] as const;
const kindsOfLots = 3;
const looksMax = 20_000;

/** Adds the units on hold, expired, or already at the destination to refusals for lack of stock. */
export async function completeShortages(tx: Tx, { shortages, now }: Batch): Promise<void> {
  if (shortages.length === 0) return;
  const picks = new Map(shortages.map(({ pick }) => [pickKey(pick), pick]));
  const untaken = await readUntaken(tx, [...picks.values()], new Date(now));
  const byKey = new Map([...picks.keys()].map((key, index) => [key, untaken[index]!]));
  for (const { pick, complete } of shortages) complete(byKey.get(pickKey(pick))!);
}

/**
 * For each pick, the matching units that it cannot take: on hold; expired, if the pick takes no expired lots;
 * already at the destination, for a move inside its warehouse.
 */
export async function readUntaken(tx: Tx, picks: readonly LotFilter[], now: Date): Promise<Untaken[]> {
  const lotsMax =
    lotsMaxima.find((max) => max * kindsOfLots * picks.length <= looksMax) ?? lotsMaxima.at(-1)!;
  const rows = await send<{
    pick: number;
    held: string | null;
    expired: string | null;
    arrived: string | null;
    lots: number;
    arrived_lots: number;
  }>(tx)`
    select pick, held.units as held, expired.units as expired, arrived.units as arrived,
      greatest(held.lots, expired.lots) as lots, arrived.lots as arrived_lots
    from ${picksTable(picks, now)}
    cross join lateral (
      select sum(units) filter (where ${raw(filters)}) as units, count(*) as lots
      from (
        select lot.*
        from lot
        where lot.part_no = picks.part_no and lot.wid = picks.wid and lot.active and lot.hold
          and ${raw(found.any)}
        order by ${raw(expiry)}, lot.received, lot.rec_no
        limit ${raw(String(lotsMax))}
      ) as lot
    ) as held
    cross join lateral (
      select sum(units) filter (where ${raw(filters)}) as units, count(*) as lots
      from (
        select lot.*
        from lot
        where picks.expired_too = 0 and lot.part_no = picks.part_no and lot.wid = picks.wid
          and lot.active and not lot.hold and ${raw(expiry)} < picks.now and ${raw(found.any)}
        order by ${raw(expiry)}, lot.received, lot.rec_no
        limit ${raw(String(lotsMax))}
      ) as lot
    ) as expired
    cross join lateral (
      select sum(units) filter (where ${raw(fieldFilters)}) as units, count(*) as lots
      from (
        ${raw(arrivedText(`lot.spot = picks.not_at_spot and lot.spot <> ''`, lotsMax))}
        union all
        ${raw(arrivedText(`picks.not_at_spot = '' and lot.spot = ''`, lotsMax))}
      ) as lot
    ) as arrived
    order by pick`;
  return rows.map((row) => ({
    held: parseQuantity(row.held ?? '0'),
    expired: parseQuantity(row.expired ?? '0'),
    more: row.lots >= lotsMax,
    atDestination: parseQuantity(row.arrived ?? '0'),
    moreAtDestination: row.arrived_lots >= lotsMax,
  }));
}

/**
 * The lots at a spot, in the order of an index: there is one for lots with a spot and one for lots without.
 */
function arrivedText(isThere: string, lotsMax: number): string {
  return `(
          select *
          from lot
          where lot.part_no = picks.part_no and lot.wid = picks.wid and ${isThere} and lot.active and not lot.hold
          order by ${expiry}, lot.received, lot.rec_no
          limit ${lotsMax}
        )`;
}
