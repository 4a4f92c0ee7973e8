-- The times of changes. Clients ask for changes by modifiedSince and must be able to rely on it: once a
-- client was told that a time is over, no change of that time commits later.

-- The time of a change, for `modified`. Until its transaction ends, all sessions can see that a change of
-- that time may still commit: it holds a shared lock, for which nothing waits, and whose number contains the
-- time. The lock is taken before the clock is read, so a change whose lock is not visible yet has a later
-- time. Numbers: 7316, then milliseconds since 1970 in 42 bits.
create function change_moment() returns timestamptz language plpgsql volatile as $$
begin
  -- Once for each transaction, however many rows it writes, because there is room for only some thousand
  -- locks. A rollback to a savepoint takes back both.
  if coalesce(current_setting('inventory.change_held', true), '') = '' then
    perform pg_advisory_xact_lock_shared(7316::bigint << 42 | floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
    perform set_config('inventory.change_held', 'yes', true);
  end if;
  return date_trunc('milliseconds', clock_timestamp());
end
$$;

-- A time in milliseconds since 1970. A statement that begins after this one has ended sees every change
-- before that time, and no such change will commit later. It is `margin_ms` before now, or earlier if a
-- change of an earlier time is still open. A lock is released only once its transaction is visible.
create function changes_known_until(margin_ms bigint) returns bigint language sql volatile as $$
  select least(
    -- the start of this statement, which is before the locks are examined, whatever is evaluated first
    floor(extract(epoch from statement_timestamp()) * 1000)::bigint - margin_ms,
    (
      select min(key & (1::bigint << 42) - 1)
      from (
        select classid::bigint << 32 | objid::bigint as key
        from pg_locks
        where locktype = 'advisory' and objsubid = 1
          and database = (select oid from pg_database where datname = current_database())
      ) as held
      where key >> 42 = 7316
    )
  )
$$;
