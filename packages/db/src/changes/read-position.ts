import { piece, raw, send } from '@inventory/postgres/piece';
import type { Sql, Tx } from '@inventory/postgres/pool';
import { onStandbys } from '@inventory/postgres/servers/on-standbys';

/** How far the change feed can be told; see migration 0002. */
export type FeedPosition = {
  /** The identity of the database, as hexadecimal digits. */
  identity: string;
  /** The marks of the places where the database has been; it is at the last one. */
  places: number[];
  /** Every change up to this number is known, and none of them commits later. */
  knownNo: number;
  /** The last number that was drawn. A cursor beyond it is from a database that has lost its last changes. */
  drawnNo: number;
  /** Whether commits wait for standbys. */
  isSynchronous: boolean;
};

/** Whether a commit of this session waits for standbys. */
const isSynchronous = piece`(
    current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') not in ('local', 'off')
  )`;

/**
 * Reads the position. A statement that begins afterwards sees every change up to it. `since`: the position
 * that was read last. If it has moved since, all of it is on the standbys when this returns: a cursor must
 * not tell what no standby has. With a negative number, everything is that anybody has seen before.
 */
export async function readFeedPosition(sql: Sql | Tx, since: number): Promise<FeedPosition> {
  const [row] = await send<FeedPosition>(sql)`
    select replace(id::text, '-', '') as identity, known_no as "knownNo", drawn_no as "drawnNo",
      ${isSynchronous} as "isSynchronous",
      case when known_no > ${since} then ${onStandbys} end as on_standbys,
      feed_places() as places
    from feed_position()
    cross join database_identity`;
  const { identity, places, knownNo, drawnNo, isSynchronous: waits } = row!;
  return { identity, places, knownNo, drawnNo, isSynchronous: waits };
}

/** The database and its place, to tell one from another. */
export function lifeOf({ identity, places }: Pick<FeedPosition, 'identity' | 'places'>): string {
  return `${identity} ${places.at(-1)}`;
}

/** Whether a change of this number was committed, or another transaction. */
export async function isCommitted(sql: Sql, no: number): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select ${no}::bigint = 0 or exists (select from stock_transaction where transaction_no = ${no})
      or exists (select from change where change_no = ${no})
      or exists (select from scope_change where change_no = ${no}) as found`;
  return row!.found;
}

/** Notes for `doctor` that a cursor was refused, because what it had seen may be lost. */
export async function noteRefusedCursor(sql: Sql): Promise<void> {
  await sql`select note_refused_cursor()`;
}

/**
 * The warehouses that changes after `after` and up to `until` concern, and the clients whose scope changed.
 * `forAll`: one concerns everybody.
 */
export type Touched = { wids: number[]; clientIds: string[]; forAll: boolean };

// More are not looked at.
const numbersMax = 5000;

/** Reads what was touched; null: these are very many numbers, so perhaps everything was. */
export async function readTouched(
  sql: Sql,
  { after, until }: { after: number; until: number },
): Promise<Touched | null> {
  if (until - after > numbersMax) return null;
  const range = (column: string) => piece`${raw(column)} > ${after} and ${raw(column)} <= ${until}`;
  const rows = await send<{ wid: number; client_id: string | null }>(sql)`
    select distinct wid, client_id
    from (
      select unnest(array[wid, to_wid]) as wid, null as client_id
      from stock_transaction
      where ${range('transaction_no')} and wid is not null
      union all
      select coalesce(wid, 0), null
      from change
      where ${range('change_no')}
      union all
      select -1, client_id
      from scope_change
      where ${range('change_no')}
    ) as touched
    where wid is not null`;
  const wids = rows.map(({ wid }) => wid);
  return {
    wids: wids.filter((wid) => wid > 0),
    clientIds: rows.flatMap(({ client_id }) => client_id ?? []),
    forAll: wids.includes(0),
  };
}
