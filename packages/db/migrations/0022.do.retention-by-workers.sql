-- The workers remove what nobody can ask for any more, in small pieces, and each table is vacuumed as it grows.

-- How far that is. One row. Workers take turns: each piece notes where the next one begins, so one that ends in the middle leaves nothing
-- to do again.
create table retention (
  is_only boolean primary key default true check (is_only),
  -- Of the round under way: which keys go, the page of their table that comes next, and whether one had to be left because somebody
  -- used it. Null: no round is under way.
  keys_until timestamptz(3),
  next_page bigint,
  has_left boolean not null default false,
  -- When the last round ended. The first one comes an hour after this migration.
  ended timestamptz(3) not null default clock_timestamp(),
  check ((keys_until is null) = (next_page is null))
);

insert into retention default values;

-- Does the next piece of a round, of so many pages or so many transactions, and says whether more is to be done at once. A round begins an
-- hour after the last one ended: it goes through all keys, and removes those last sent more than `days` ago; then come the
-- transactions that were refused or abandoned a day before those. Never one before its key: that would lead to nothing, and could neither be
-- answered nor be used again. So when a key had to be left, no transaction goes in that round. What was applied stays, always.
create function remove_outdated(days integer, pages integer, count_max integer,
  out keys integer, out transactions integer, out goes_on boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  round retention;
  remaining integer;
begin
  keys := 0;
  transactions := 0;
  goes_on := false;
  -- A look, which nobody waits for and which writes nothing.
  if not exists (select from retention where next_page is not null or ended < clock_timestamp() - interval '1 hour') then
    return;
  end if;
  select * into round from retention for update skip locked;
  -- Another worker is at it.
  if not found then
    return;
  end if;
  if round.next_page is null then
    if round.ended >= clock_timestamp() - interval '1 hour' then
      return;
    end if;
    round.keys_until := clock_timestamp() - greatest(days, 7) * interval '1 day';
    round.next_page := 0;
    round.has_left := false;
  end if;
  goes_on := true;
  if round.next_page < pg_relation_size('idempotency_key') / current_setting('block_size')::integer then
    select old.removed, old.remaining into keys, remaining
    from remove_old_keys(round.keys_until, round.next_page, pages) as old;
    round.next_page := round.next_page + pages;
    round.has_left := round.has_left or remaining > 0;
  else
    if not round.has_left then
      transactions := remove_undone_transactions(round.keys_until - interval '1 day', count_max);
    end if;
    if transactions < count_max then
      goes_on := false;
      round.keys_until := null;
      round.next_page := null;
      round.ended := clock_timestamp();
    end if;
  end if;
  update retention
  set keys_until = round.keys_until, next_page = round.next_page, has_left = round.has_left, ended = round.ended;
end
$$;

revoke all on function remove_outdated from public;
grant execute on function remove_outdated to inventory_worker;
grant select on retention to inventory_operator;

-- Rows of the ledger never change, and by themselves these tables are vacuumed when a fifth is new: at a thousand million rows that are
-- 200 million, none of which an index alone can answer for until then, read in one go. After each million, which is some seconds' work, and
-- frozen at once: else the whole table is read and written again when the numbers of database transactions come round.
alter table stock_transaction set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000, autovacuum_freeze_min_age = 0);
alter table stock_entry set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000, autovacuum_freeze_min_age = 0);
-- A lot changes a few times and then never again. What a change leaves behind stands in the indexes by which lots are picked and listed,
-- and is walked over until it is vacuumed: a fiftieth of the table, and not a fifth.
alter table lot set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 1000000, autovacuum_analyze_scale_factor = 0.02);
-- Written with every batch, and small: so it stays small.
alter table stock_level set (autovacuum_vacuum_scale_factor = 0.05);
-- An eighth goes each day, and its room is for the keys of the day after.
alter table idempotency_key set (autovacuum_vacuum_scale_factor = 0.05);
