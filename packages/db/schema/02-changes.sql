-- When something changed. A client asks for changes by modifiedSince and must be able to rely on it: a moment
-- that it was told is over has no change that is committed later.

-- The moment of a change, for `modified`. Until its transaction ends, everybody can see that a change of that
-- moment may yet be committed: it holds a shared lock that nobody waits for and whose number says the moment.
-- The lock comes first and the clock after it, so a change whose lock cannot be seen yet is of a later
-- moment. Numbers: 7316, then milliseconds since 1970 in 42 bits.
create function change_moment() returns timestamptz language plpgsql volatile as $$
begin
  -- One for a transaction, however many rows it writes: there is room for some thousand locks. A savepoint
  -- takes back both.
  if coalesce(current_setting('inventory.change_held', true), '') = '' then
    perform pg_advisory_xact_lock_shared(7316::bigint << 42 | floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
    perform set_config('inventory.change_held', 'yes', true);
  end if;
  return date_trunc('milliseconds', clock_timestamp());
end
$$;

-- A moment, in milliseconds since 1970: a statement that begins after this one has ended sees every change
-- before it, and no such change will ever be committed later. `margin_ms` before now, or earlier when a
-- change of an earlier moment is still open. A lock is given back only when its transaction can be seen.
create function changes_known_until(margin_ms bigint) returns bigint language sql volatile as $$
  select least(
    -- The start of this statement: before the locks are looked at, whatever is evaluated first.
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
