import { type Piece, piece, raw } from '@inventory/postgres/piece';
import { type Slice, sliceText } from './slice.ts';

/**
 * A list that is counted in buckets (schema/09-list-counts.sql), and the expression for the number of listed
 * records, on a count or an arrival.
 */
export type Counted = { list: 'lots' | 'transactions'; count: Piece };

/** The tier with the largest buckets. */
export const topTier = 3;
/** A bucket has as many buckets of the tier below as this many bits can tell apart. */
const tierBits = 7;

/** The records of so small a bucket are read at once, wherever in it those of the page are. */
const readAtOnceMax = 2048;

/** The warehouses in scope, in a statement with {@link wayToPage}. */
export const askedWids = piece`(select wids from asked)::integer[]`;

/** The counts of a list for a scope. Two warehouses together are of interest only if both are in scope. */
function countsOf(list: Counted['list'], wids: Piece): Piece {
  // Lots have only one.
  const both = list === 'lots' ? piece`` : piece`and (other_wid = 0 or other_wid = any(${wids}))`;
  return piece`list = ${raw(`'${list}'`)} and wid = any(${wids}) ${both}`;
}

/**
 * The common table expressions that lead from the counts to the places of a page. The cost does not grow with
 * the list, and depends only on counts of the warehouses in scope. Newest first; each tier adds up its
 * buckets inside those of the tier above that contain places of the page:
 *
 *     places 2,500 to 2,524 of 9,000 are wanted
 *     tier 3   V has 6,000 and the older U 3,000                -> both places lie in V
 *     tier 2   in V: C has 5,000, B has 1,000                   -> both lie in C
 *     tier 1   in C: c3 has 2,000, c2 has 1,800, c1 has 1,200   -> both lie in c2, after 2,000
 *
 * At most 2,048 records are in c2, so the page is read from the index for c2, skipping 500. A larger bucket
 * would lead on to tier 0, whose buckets are always read.
 *
 * In the result, `wanted` has the `total` and the places, and `ranges` has the buckets to read, as buckets of
 * tier 0 (from `since` to before `until`), and how many listed records come `before` each. Buckets without
 * listed records are skipped, even between two places of the page.
 */
export function wayToPage(
  counted: Counted,
  wids: readonly number[],
  { offset, limit, backwards }: Slice,
): Piece {
  const { list, count } = counted;
  const tiers = Array.from({ length: topTier }, (_, index) => topTier - 1 - index);
  return piece`
    asked as materialized (
      -- The parameters stand here once, because several parts use them.
      select ${wids}::integer[] as wids, ${offset.toString()}::bigint as skipped, ${limit}::integer as size
    ), arrived as materialized (
      -- Arrivals that are not folded yet.
      select bucket, sum(records)::bigint as records, sum(${count})::bigint as count
      from list_arrival
      where ${countsOf(list, askedWids)}
      group by bucket
    ), top as materialized (
      ${sums(counted, topTier, { ofCounts: piece`true`, ofArrived: piece`true` })}
    ), wanted as materialized (
      -- The total, and the places of the page counted from the newest: first (inclusive) to last (exclusive).
      select total, ${raw(sliceText({ backwards }))}
      from asked
      cross join (select coalesce(sum(count), 0)::bigint as total from top) as summed
    ), ${raw(nameOf(topTier))} as materialized (
      select bucket, records, through - count as before
      from top
      cross join wanted
      where count > 0 and through > first and through - count < last
    ), ${tiers.reduce((all, tier) => piece`${all}${inside(counted, tier)}, `, piece``)}
    ranges as materialized (
      ${tiers.reduce((all, tier) => piece`${all} union all ${rangesOf(tier)}`, rangesOf(topTier))}
    )`;
}

const nameOf = (tier: number) => `tier_${tier}`;

/** The buckets of a tier that contain places of the page, inside the larger ones of the tier above. */
function inside(counted: Counted, tier: number): Piece {
  const shift = raw(String((tier + 1) * tierBits));
  const bits = raw(String(tierBits));
  return piece`${raw(nameOf(tier))} as materialized (
      select part.bucket, part.records, whole.before + part.through - part.count as before
      from ${raw(nameOf(tier + 1))} as whole
      cross join wanted
      cross join lateral (
        ${sums(counted, tier, {
          ofCounts: piece`bucket >= whole.bucket << ${bits} and bucket < (whole.bucket + 1) << ${bits}`,
          ofArrived: piece`bucket >> ${shift} = whole.bucket`,
        })}
      ) as part
      where whole.records > ${raw(String(readAtOnceMax))} and part.count > 0
        and whole.before + part.through > first and whole.before + part.through - part.count < last
    )`;
}

/** Buckets of a tier, with the running sum from the newest to each. */
function sums(
  { list, count }: Counted,
  tier: number,
  { ofCounts, ofArrived }: { ofCounts: Piece; ofArrived: Piece },
): Piece {
  return piece`
      select bucket, sum(records)::bigint as records, sum(count)::bigint as count,
        (sum(sum(count)::bigint) over (order by bucket desc))::bigint as through
      from (
        select bucket, records, ${count} as count
        from list_count
        where ${countsOf(list, askedWids)} and tier = ${raw(String(tier))} and ${ofCounts}
        union all
        select bucket >> ${raw(String(tier * tierBits))}, records, count from arrived where ${ofArrived}
      ) as counted
      group by bucket`;
}

/** The buckets of a tier that are read from the index. */
function rangesOf(tier: number): Piece {
  const shift = raw(String(tier * tierBits));
  const isRead = tier === 0 ? piece`true` : piece`records <= ${raw(String(readAtOnceMax))}`;
  return piece`
      select bucket << ${shift} as since, (bucket + 1) << ${shift} as until, before
      from ${raw(nameOf(tier))}
      where ${isRead}`;
}

/** The newest records of a range up to the end of the page, in a statement for each range and warehouse. */
export const takenOfRange = piece`limit (select last from wanted) - ranges.before`;

/** The records of the page, of those of all ranges. */
export const takenOfRanges = piece`
    limit (select greatest(last - first, 0) from wanted)
    offset (select first - (select min(before) from ranges) from wanted)`;

/** An expression for the number of listed records in a scope; of all warehouses without `wids`. */
export function countListed({ list, count }: Counted, wids?: readonly number[]): Piece {
  const listed =
    wids === undefined ? piece`list = ${raw(`'${list}'`)}` : countsOf(list, piece`${wids}::integer[]`);
  return piece`
    select coalesce(sum(count), 0)::bigint
    from (
      select ${count} as count from list_count where ${listed} and tier = ${raw(String(topTier))}
      union all
      select ${count} from list_arrival where ${listed}
    ) as counted`;
}
