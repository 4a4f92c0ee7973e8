-- The times and numbers of changes. Clients ask for changes by modifiedSince or follow the change feed, and
-- must be able to rely on it: once a client was told that a time or a number is over, no change of that time
-- and no smaller number commits later (docs/decisions/0030).

-- The numbers of changes: of stock transactions, and of everything else that the feed tells.
create sequence stock_transaction_no_seq;

-- The time of a change, for `modified`. Until its transaction ends, all sessions can see that a change of
-- that time may still commit: it holds a shared lock, for which nothing waits, and whose number contains the
-- time. The lock is taken before the clock is read, so a change whose lock is not visible yet has a later
-- time. Numbers: 7316, then milliseconds since 1970 in 42 bits. A second lock does the same for the numbers
-- that the transaction draws: 733, then the last number that was drawn before, in 53 bits. So this function
-- must be called before a number of a change is drawn.
create function change_moment() returns timestamptz language plpgsql volatile as $$
begin
  -- Once for each transaction, however many rows it writes, because there is room for only some thousand
  -- locks. A rollback to a savepoint takes back both.
  if coalesce(current_setting('inventory.change_held', true), '') = '' then
    perform pg_advisory_xact_lock_shared(7316::bigint << 42 | floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
    perform pg_advisory_xact_lock_shared(
      733::bigint << 53 | coalesce(pg_sequence_last_value('stock_transaction_no_seq'), 0)
    );
    perform set_config('inventory.change_held', 'yes', true);
    -- Everybody who follows changes waits for this transaction. A connection of the service has a limit of
    -- its own; one that was opened by hand and then forgotten has none.
    if current_setting('idle_in_transaction_session_timeout') = '0' then
      perform set_config('idle_in_transaction_session_timeout', '60s', true);
    end if;
  end if;
  return date_trunc('milliseconds', clock_timestamp());
end
$$;

-- The numbers of the advisory locks that are held in this database.
create function held_numbers() returns setof bigint language sql volatile as $$
  select classid::bigint << 32 | objid::bigint
  from pg_locks
  where locktype = 'advisory' and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
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
      from held_numbers() as key
      where key >> 42 = 7316
    )
  )
$$;

-- Changes that are no stock transactions: of items and their aliases, of order quantities, of names of
-- warehouses, and holds and releases. A row only says that something must be looked at. Its number places it
-- among the stock transactions; a hold or release by the command line has that of its
-- own transaction.
create table change (
  change_no bigint primary key,
  kind text not null check (kind in ('item', 'level', 'warehouse', 'hold')),
  -- null: for everybody
  wid integer,
  part_no integer,
  rec_no bigint,
  check ((kind = 'item') = (wid is null)),
  check ((kind in ('item', 'level')) = (part_no is not null)),
  check ((kind = 'hold') = (rec_no is not null))
);

-- The feed reads both in order, each for itself.
create index change_wid_idx on change (wid, change_no) where wid is not null;
create index change_item_idx on change (change_no) where wid is null;

-- How far the feed can be told now. `known_no`: the number of the last committed change, or of another
-- transaction, before which none can commit any more. Not simply the number before the first open one:
-- numbers that no committed row has are drawn again after a crash. `drawn_no`: the last number that was drawn. A
-- statement that begins after this one has ended sees every change up to `known_no`.
create function feed_position(out known_no bigint, out drawn_no bigint) language plpgsql volatile as $$
declare
  complete bigint;
begin
  -- Before the locks are examined: a number up to this one was drawn under a lock that is held or was
  -- released, so its change is waited for or visible.
  drawn_no := coalesce(pg_sequence_last_value('stock_transaction_no_seq'), 0);
  complete := least(drawn_no, (
    select min(key & (1::bigint << 53) - 1)
    from held_numbers() as key
    where key >> 53 = 733
  ));
  -- A statement of its own, so that its snapshot is newer than the look at the locks.
  known_no := greatest(
    (select transaction_no from stock_transaction where transaction_no <= complete order by transaction_no desc limit 1),
    (select change_no from change where change_no <= complete order by change_no desc limit 1),
    0
  );
end
$$;

-- Notes a change that is not a stock transaction. The time comes first, because it announces the number.
create function note_change(noted_kind text, noted_wid integer, noted_part_no integer) returns void
language plpgsql volatile as $$
begin
  perform change_moment();
  insert into change (change_no, kind, wid, part_no)
  values (nextval('stock_transaction_no_seq'), noted_kind, noted_wid, noted_part_no);
end
$$;
