import type { Fragment, Sql } from '../pool.ts';
import { type Slice, sliceText } from './slice.ts';

/**
 * Selections of the keys of a step and their `count`; a key may stand there more than once. `chapters` are
 * those of `volumes_of_page`, `blocks` those of `chapters_of_page`.
 */
type Counted = { volumes: Fragment; chapters: Fragment; blocks: Fragment };

/**
 * The common table expressions that lead from what is counted to the blocks that hold a page, for a price
 * that does not grow with the list; newest first, `asked` has what is `skipped` and the `size`. Each step
 * adds up its counts, and those that hold places of the page are looked into:
 *
 *     places 250 to 274 of 900 are wanted; volumes hold 600 (V) and 300 (U)
 *     volumes   V through 600, U through 900                     -> first and last place lie in V
 *     chapters  of V: C with 500, B with 100
 *               C through 500, B through 600                     -> both lie in C
 *     blocks    of C: c3 with 200, c2 with 180, c1 with 120
 *               c3 through 200, c2 through 380, c1 through 500   -> both lie in c2, before which are 200
 *
 * After it `wanted` has the `total` and the places, `blocks_of_page` each `block` and how many come `before`
 * it. What is counted 0 is passed over, however much of it lies between two places of the page.
 */
export function wayToPage(
  sql: Sql,
  { backwards }: Pick<Slice, 'backwards'>,
  { volumes, chapters, blocks }: Counted,
): Fragment {
  const places = sql.unsafe(sliceText({ backwards }));
  return sql`
    ${sums(sql, 'volume', volumes, sql`0`)},
    wanted as materialized (
      -- The total, and the places of the page counted from the newest: the first is on it, the last is not.
      select total, ${places}
      from asked
      cross join (select coalesce(sum(count), 0)::bigint as total from volumes) as summed
    ),
    ${ofPage(sql, 'volume')},
    ${sums(sql, 'chapter', chapters, sql`(select min(before) from volumes_of_page)`)},
    ${ofPage(sql, 'chapter')},
    ${sums(sql, 'block', blocks, sql`(select min(before) from chapters_of_page)`)},
    ${ofPage(sql, 'block')}`;
}

/** Each key of a step with its count, and the sum of these from the newest through it. */
function sums(sql: Sql, step: string, counted: Fragment, before: Fragment): Fragment {
  const key = sql.unsafe(step);
  return sql`${sql.unsafe(`${step}s`)} as materialized (
      select ${key}, sum(count)::bigint as count,
        (sum(sum(count)) over (order by ${key} desc))::bigint + ${before} as through
      from (${counted}) as counted
      group by ${key}
    )`;
}

/** The keys of a step in which places of the page lie. */
function ofPage(sql: Sql, step: string): Fragment {
  return sql`${sql.unsafe(`${step}s_of_page`)} as materialized (
      select ${sql.unsafe(step)}, through - count as before
      from ${sql.unsafe(`${step}s`)}
      cross join wanted
      where count > 0 and through > first and through - count < last
    )`;
}

/** What a page takes of the records of `blocks_of_page`, newest first. */
export function takenOfBlocks(sql: Sql): Fragment {
  return sql`
    limit (select greatest(last - first, 0) from wanted)
    offset (select first - (select min(before) from blocks_of_page) from wanted)`;
}
