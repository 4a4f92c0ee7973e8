import { type Piece, piece, raw, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { itemRecord } from '../list-items.ts';

// About 60 KB, made and sent within milliseconds.
const pieceItems = 200;

/** The active items of a category by shortID, as rows of JSON text. */
function recordsOf(category: number): Piece {
  return piece`
    select ${itemRecord} as record
    from item
    where category = ${category} and not discontinued
    order by short_id`;
}

/**
 * The JSON text of an array of a category's active items, by shortID; null if there are more than `itemsMax`.
 */
export async function readSmallCategory(
  sql: Sql,
  category: number,
  itemsMax: number,
): Promise<string | null> {
  const [row] = await send<{ items: number; records: string }>(sql)`
    select count(*) as items, coalesce(string_agg(record, ','), '') as records
    from (${recordsOf(category)} limit ${itemsMax + 1}) as found`;
  return row!.items > itemsMax ? null : `[${row!.records}]`;
}

/**
 * Writes the same text in pieces, for a category of any size, as of one moment. The next piece is read once
 * `write` has finished with the last. If `write` fails, reading stops.
 */
export async function readLargeCategory(
  sql: Sql,
  category: number,
  write: (piece: string) => Promise<void>,
): Promise<void> {
  // One statement, so all pieces are of one moment. They are fetched inside a transaction, which Postgres
  // ends by itself if no more are fetched.
  await sql.begin('read only', async (tx) => {
    await send(tx)`declare category no scroll cursor for ${recordsOf(category)}`;
    let before = '[';
    for (;;) {
      const rows = await send<{ record: string }>(tx)`fetch ${raw(String(pieceItems))} from category`;
      const isLast = rows.length < pieceItems;
      const records = rows.map(({ record }) => record).join(',');
      // A category whose size is a multiple of a piece ends with an empty piece.
      const text = rows.length === 0 && before === ',' ? '' : before + records;
      await write(isLast ? `${text}]` : text);
      if (isLast) return;
      before = ',';
    }
  });
}
