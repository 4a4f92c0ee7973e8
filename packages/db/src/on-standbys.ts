import type { Fragment, Sql, Tx } from './pool.ts';

/**
 * A value to select beside what a caller will be told as done, though another connection wrote it. A commit
 * whose wait for the standbys was ended, by a restart say, is seen by all and is on no standby: told, it
 * would be lost with the primary. Where standbys are synchronous, the first row found has this transaction
 * write a note into the log of Postgres: so its own commit waits until the standbys have the note, and with
 * it all that came before. Where none are, or no row is found, nothing is written.
 */
export function onStandbys(sql: Sql | Tx): Fragment {
  // A subquery of its own runs once, however many rows there are. Asked for its transaction first, a server
  // that is a standby itself says so, as of any other write.
  return sql`(
    select case when current_setting('synchronous_standby_names') <> ''
      then pg_logical_emit_message(pg_current_xact_id() is not null, 'inventory', 'told') end
  )`;
}
