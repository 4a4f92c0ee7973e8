import { type Piece, piece, raw } from '../../postgres/piece.ts';
import { type Slice, sliceText } from './slice.ts';

/**
 * Selections of keys and their `count` for each step. A key may occur several times. `chapters` are those of
 * `volumes_of_page`, `blocks` those of `chapters_of_page`.
 */
type Counted = { volumes: Piece; chapters: Piece; blocks: Piece };

/**
 * The common table expressions that lead from the counts to the blocks of a page. The cost does not grow with
 * the list. Newest first; `asked` has the `skipped` number and the `size`. Each step adds up its counts and
 * goes on with the entries that contain places of the page:
 *
 *     places 250 to 274 of 900 are wanted; volumes hold 600 (V) and 300 (U)
 *     volumes   V through 600, U through 900                     -> first and last place lie in V
 *     chapters  of V: C with 500, B with 100
 *               C through 500, B through 600                     -> both lie in C
 *     blocks    of C: c3 with 200, c2 with 180, c1 with 120
 *               c3 through 200, c2 through 380, c1 through 500   -> both lie in c2, before which are 200
 *
 * In the result, `wanted` has the `total` and the places, and `blocks_of_page` has each `block` and how many
 * records come `before` it. Entries with the count 0 are skipped, even between two places of the page.
 */
export function wayToPage(
  { backwards }: Pick<Slice, 'backwards'>,
  { volumes, chapters, blocks }: Counted,
): Piece {
  const places = raw(sliceText({ backwards }));
  return piece`
    ${sums('volume', volumes, piece`0`)},
    wanted as materialized (
      -- The total, and the places of the page counted from the newest: first (inclusive) to last (exclusive).
      select total, ${places}
      from asked
      cross join (select coalesce(sum(count), 0)::bigint as total from volumes) as summed
    ),
    ${ofPage('volume')},
    ${sums('chapter', chapters, piece`(select min(before) from volumes_of_page)`)},
    ${ofPage('chapter')},
    ${sums('block', blocks, piece`(select min(before) from chapters_of_page)`)},
    ${ofPage('block')}`;
}

/** Each key of a step with its count, and the running sum from the newest to it. */
function sums(step: string, counted: Piece, before: Piece): Piece {
  const key = raw(step);
  return piece`${raw(`${step}s`)} as materialized (
      select ${key}, sum(count)::bigint as count,
        (sum(sum(count)) over (order by ${key} desc))::bigint + ${before} as through
      from (${counted}) as counted
      group by ${key}
    )`;
}

/** The keys of a step that contain places of the page. */
function ofPage(step: string): Piece {
  return piece`${raw(`${step}s_of_page`)} as materialized (
      select ${raw(step)}, through - count as before
      from ${raw(`${step}s`)}
      cross join wanted
      where count > 0 and through > first and through - count < last
    )`;
}

/** The part of the records of `blocks_of_page` that is on the page, newest first. */
export function takenOfBlocks(): Piece {
  return piece`
    limit (select greatest(last - first, 0) from wanted)
    offset (select first - (select min(before) from blocks_of_page) from wanted)`;
}
