import type { Fragment, Sql, Tx } from '../pool.ts';
import { itemRecord } from './list-items.ts';

// Some 60 KB: made and sent in a few milliseconds.
const pieceItems = 200;

/** The active items of a category by shortID, as rows of their JSON text. */
function recordsOf(sql: Sql | Tx, category: number): Fragment {
  return sql`
    select ${sql.unsafe(itemRecord)} as record
    from item
    where category = ${category} and not discontinued
    order by short_id`;
}

/**
 * The JSON text of an array of a category's active items, by shortID; null when there are more than
 * `itemsMax`.
 */
export async function readSmallCategory(
  sql: Sql,
  category: number,
  itemsMax: number,
): Promise<string | null> {
  const [row] = await sql<{ items: number; records: string }[]>`
    select count(*) as items, coalesce(string_agg(record, ','), '') as records
    from (${recordsOf(sql, category)} limit ${itemsMax + 1}) as found`;
  return row!.items > itemsMax ? null : `[${row!.records}]`;
}

/**
 * The same text of a category of any size, of one moment, in pieces; the next is read when `write` is done
 * with the last. When `write` fails nothing more is read.
 */
export async function readLargeCategory(
  sql: Sql,
  category: number,
  write: (piece: string) => Promise<void>,
): Promise<void> {
  // One statement, so one moment; pieces of it are fetched inside a transaction, which Postgres ends by
  // itself when nobody asks for more.
  await sql.begin('read only', async (tx) => {
    await tx`declare category no scroll cursor for ${recordsOf(tx, category)}`;
    let before = '[';
    for (;;) {
      const rows = await tx<{ record: string }[]>`fetch ${tx.unsafe(String(pieceItems))} from category`;
      const isLast = rows.length < pieceItems;
      const records = rows.map(({ record }) => record).join(',');
      // A category whose size is a multiple of a piece ends with an empty one.
      const text = rows.length === 0 && before === ',' ? '' : before + records;
      await write(isLast ? `${text}]` : text);
      if (isLast) return;
      before = ',';
    }
  });
}
