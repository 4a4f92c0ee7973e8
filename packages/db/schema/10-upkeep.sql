-- The service's own housekeeping: removing outdated rows, recording backups, and auditing itself.

-- The progress of the removal. One row. Workers take turns: each piece records where the next one begins, so
-- after an interruption nothing is repeated.
create table retention (
  is_only boolean primary key default true check (is_only),
  -- The round under way: the limit for keys, the next page of their table, and whether a key was skipped
  -- because it was in use. Null: no round is under way.
  keys_until timestamptz(3),
  next_page bigint,
  has_left boolean not null default false,
  -- When the last round ended. The first one comes an hour after the tables were created.
  ended timestamptz(3) not null default clock_timestamp(),
  check ((keys_until is null) = (next_page is null))
);

insert into retention default values;

-- Removes keys that were last sent before `until`, from at most this many pages of the table, beginning with
-- `first_page`. Answers are promised for 7 days, so no newer key is removed, whatever the caller asks for.
-- Runs with the owner's rights, because no other role may remove keys. Locked keys are skipped, not waited
-- for: a batch locks several, in its own order. `remaining`: the number of skipped keys.
create function remove_old_keys(until timestamptz, first_page bigint, pages integer,
  out removed integer, out remaining integer)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  before timestamptz := least(until, clock_timestamp() - interval '7 days');
  first tid := format('(%s,0)', first_page)::tid;
  past tid := format('(%s,0)', first_page + pages)::tid;
begin
  with gone as (
    delete from idempotency_key
    where ctid = any(array(
      select ctid
      from idempotency_key
      where ctid >= first and ctid < past and greatest(asked_at, refused_at) < before
      for update skip locked
    ))
    returning 1
  )
  select count(*) into removed from gone;
  select count(*) into remaining
  from idempotency_key
  where ctid >= first and ctid < past and greatest(asked_at, refused_at) < before;
end
$$;

-- Removes at most `count_max` transactions that were not applied, oldest first, from before `until` and at
-- least 8 days ago. They are removed after their keys: a key without its transaction could neither be
-- answered nor be used again.
create function remove_undone_transactions(until timestamptz, count_max integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  removed integer;
begin
  with gone as (
    delete from stock_transaction
    where transaction_no = any(array(
      select transaction_no
      from stock_transaction
      where status <> 'applied' and at < least(until, clock_timestamp() - interval '8 days')
      order by at
      limit count_max
    ))
    returning 1
  )
  select count(*) into removed from gone;
  return removed;
end
$$;

-- Does the next piece of a round, with this many pages or transactions, and returns whether more should be
-- done at once. A round begins an hour after the last one ended. First it removes all keys that were last
-- sent more than `days` ago, then transactions that were refused or abandoned a day before those. A
-- transaction is never removed before its key, which could then neither be answered nor be used again. So if
-- a key was skipped, no transaction is removed in that round. Applied transactions always stay.
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
  -- a check that writes nothing and that nothing waits for
  if not exists (select from retention where next_page is not null or ended < clock_timestamp() - interval '1 hour') then
    return;
  end if;
  select * into round from retention for update skip locked;
  -- another worker is doing it
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

-- The backups that were made, so that `doctor`, the metrics of an api and an alert can show their age. One
-- row each; the files are stored elsewhere.
create table backup_record (
  -- everything that was acknowledged before this time is in the backup
  taken_at timestamptz(3) not null,
  -- The copied database: host, port and name, as the command reached it. For a restored database, the
  -- identity of its origin.
  server text collate "C" not null,
  -- of the file; null if another tool made the backup
  bytes bigint check (bytes >= 0),
  made_by text collate "C" not null,
  noted timestamptz(3) not null default clock_timestamp(),
  primary key (taken_at, server)
);

-- The progress of the background audit: see src/audit/audit-slice.ts. One row. A pass goes through the lots
-- by number, then through the levels.
create table audit_progress (
  is_only boolean primary key default true check (is_only),
  lot_after bigint not null default 0,
  -- The newest lot when the pass began; null before that. Without it, a pass would never end while lots are
  -- added faster than they are compared.
  lot_until bigint,
  -- null: the pass is still at the lots
  level_after_part_no integer,
  level_after_wid integer,
  pass_started timestamptz not null default now(),
  pass_finished timestamptz,
  -- when the next slice is due
  due timestamptz not null default clock_timestamp()
) with (fillfactor = 50);

insert into audit_progress default values;

-- Places where levels, lots and entries disagreed. rec_no 0: the level itself.
create table audit_drift (
  check_name text not null,
  part_no integer not null,
  wid integer not null,
  rec_no bigint not null,
  expected numeric not null,
  found numeric not null,
  first_seen timestamptz not null default now(),
  last_seen timestamptz not null default now(),
  primary key (check_name, part_no, wid, rec_no)
);
