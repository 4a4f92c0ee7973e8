import type { Sql } from './client.ts';

type Sizes = { block: number; chapter: number };

// What arrives where, what brings it in, and the table whose lock makes sure that only one does.
const lists = [
  {
    arrivals: 'lot_arrival',
    locked: 'lot_block',
    fold: ({ block, chapter }: Sizes) => `fold_lot_arrivals(${block}, ${chapter})`,
  },
  {
    arrivals: 'item_arrival',
    locked: 'item_block',
    fold: ({ block }: Sizes) => `fold_item_arrivals(${block})`,
  },
  { arrivals: 'level_arrival', locked: 'level_set', fold: () => 'fold_level_arrivals()' },
];

/**
 * Brings what arrived since the last time into the counts and sets that the lists are read by. Lists are right without it, and
 * cost a little more with each arrival. Holds nothing that a batch or a reader waits for. `sizes`: of blocks and chapters, for tests.
 */
export async function foldArrivals(sql: Sql, sizes: Sizes = { block: 1024, chapter: 64 }): Promise<void> {
  for (const { arrivals, locked, fold } of lists) {
    const [row] = await sql.unsafe(`select exists (select from ${arrivals}) as waiting`);
    if (!row!.waiting) continue;
    await sql.begin('isolation level repeatable read', async (tx) => {
      // One at a time. Locking a table takes no snapshot: the one of the next statement sees what the last one did.
      await tx.unsafe(`lock table ${locked} in share row exclusive mode`);
      // What piled up while no worker ran must not stay for ever because it is too much.
      await tx`set local statement_timeout = '60s'`;
      await tx.unsafe(`select ${fold(sizes)}`);
    });
  }
}
