import { piece, raw, send } from '../postgres/piece.ts';
import type { Sql, Tx } from '../postgres/pool.ts';
import { onStandbys } from '../postgres/servers/on-standbys.ts';

/** How far the change feed can be told; see schema/02-changes.sql. */
export type FeedPosition = {
  /** The identity of the database, as hexadecimal digits. */
  identity: string;
  /** Every change up to this number is known, and none of them commits later. */
  knownNo: number;
  /** The last number that was drawn. A cursor beyond it is from a database that has lost its last changes. */
  drawnNo: number;
};

/**
 * Reads the position. A statement that begins afterwards sees every change up to it. `since`: the position
 * that was read last. If it has moved since, all of it is on the standbys when this returns: a cursor must
 * not tell what no standby has.
 */
export async function readFeedPosition(sql: Sql | Tx, since: number): Promise<FeedPosition> {
  const [row] = await send<{ identity: string; known_no: number; drawn_no: number }>(sql)`
    select replace(id::text, '-', '') as identity, known_no, drawn_no,
      case when known_no > ${since} then ${onStandbys} end as on_standbys
    from feed_position()
    cross join database_identity`;
  return { identity: row!.identity, knownNo: row!.known_no, drawnNo: row!.drawn_no };
}

/** The warehouses that changes after `after` and up to `until` concern. `forAll`: one concerns everybody. */
export type Touched = { wids: number[]; forAll: boolean };

// More are not looked at.
const numbersMax = 5000;

/** Reads what was touched; null: these are very many numbers, so perhaps everything was. */
export async function readTouched(
  sql: Sql,
  { after, until }: { after: number; until: number },
): Promise<Touched | null> {
  if (until - after > numbersMax) return null;
  const range = (column: string) => piece`${raw(column)} > ${after} and ${raw(column)} <= ${until}`;
  const rows = await send<{ wid: number | null }>(sql)`
    select distinct wid
    from (
      select unnest(array[wid, to_wid]) as wid
      from stock_transaction
      where ${range('transaction_no')} and wid is not null
      union all
      select coalesce(wid, 0)
      from change
      where ${range('change_no')}
    ) as touched
    where wid is not null`;
  const wids = rows.map(({ wid }) => wid!);
  return { wids: wids.filter((wid) => wid !== 0), forAll: wids.includes(0) };
}
