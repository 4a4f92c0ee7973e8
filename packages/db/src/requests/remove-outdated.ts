import type { Sql } from '../pool.ts';

// Some thousand keys, or transactions: each piece commits by itself, within milliseconds.
const piecePages = 32;
const pieceRows = 2000;

/**
 * Does the next small piece of removing what nobody can ask for any more: keys first answered, or last
 * refused, more than `days` (7 and more) ago, then what was refused or abandoned a day before those. Any
 * worker may do it; they take turns. Returns what went, and whether there is more to do at once.
 */
export async function removeOutdatedPiece(
  sql: Sql,
  days: number,
): Promise<{ keys: number; transactions: number; goesOn: boolean }> {
  const [piece] = await sql<{ keys: number; transactions: number; goes_on: boolean }[]>`
    select keys, transactions, goes_on
    from remove_outdated(${days}, ${piecePages}, ${pieceRows})`;
  const { keys, transactions, goes_on: goesOn } = piece!;
  return { keys, transactions, goesOn };
}
