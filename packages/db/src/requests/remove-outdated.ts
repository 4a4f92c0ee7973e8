import type { Sql } from '@inventory/postgres/pool';

// Some thousand keys or transactions. Each piece commits by itself within milliseconds.
const piecePages = 32;
const pieceRows = 2000;

/**
 * Removes the next small piece of outdated rows: keys first answered or last refused more than `days` (at
 * least 7) ago, then transactions refused or abandoned at least a day before those. Workers take turns.
 * Returns what was removed, and whether there is more to do at once.
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
