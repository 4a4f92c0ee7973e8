import { piece } from '../piece.ts';

/**
 * A value to select beside results that a caller will be told as done although another connection wrote them.
 * If a commit's wait for the standbys was ended, for example by a restart, its data is visible but on no
 * standby. If it were told, it could be lost with the primary. So with synchronous standbys, the first row
 * found makes this transaction write a note into the log of Postgres. Its own commit then waits until the
 * standbys have the note and everything before it. Without synchronous standbys, or without rows, nothing is
 * written.
 */
// A separate subquery runs once, however many rows there are. It asks for a transaction id first, so that a
// standby refuses it like any other write.
export const onStandbys = piece`(
    select case when current_setting('synchronous_standby_names') <> ''
      then pg_logical_emit_message(pg_current_xact_id() is not null, 'inventory', 'told') end
  )`;
