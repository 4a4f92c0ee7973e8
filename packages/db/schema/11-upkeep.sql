-- What the service does for itself: removes what nobody can ask for any more, notes backups, and audits
-- itself.

-- How far the removal is. One row. Workers take turns: each piece notes where the next one begins, so one
-- that ends in the middle leaves nothing to do again.
create table retention (
  is_only boolean primary key default true check (is_only),
  -- Of the round under way: which keys go, the page of their table that comes next, and whether one had to be
  -- left because somebody used it. Null: no round is under way.
  keys_until timestamptz(3),
  next_page bigint,
  has_left boolean not null default false,
  -- When the last round ended. The first one comes an hour after the tables were made.
  ended timestamptz(3) not null default clock_timestamp(),
  check ((keys_until is null) = (next_page is null))
);

insert into retention default values;

-- Removes keys that were last sent before `until`, at most so many pages of the table from `first_page` on:
-- the answer to a request is promised for 7 days, so none is removed earlier, whatever is asked for. With the
-- rights of the owner: nobody else can remove keys. One that somebody has locked is left, not waited for: a
-- batch locks several, in an order of its own. `remaining`: how many were left.
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

-- Removes at most `count_max` transactions that were not applied, the oldest first, of before `until` and 8
-- days ago at least. After their keys: a key that led to nothing could neither be answered nor be used again.
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

-- Does the next piece of a round, of so many pages or so many transactions, and says whether more is to be
-- done at once. A round begins an hour after the last one ended: it goes through all keys, and removes those
-- last sent more than `days` ago; then come the transactions that were refused or abandoned a day before
-- those. Never one before its key: that would lead to nothing, and could neither be answered nor be used
-- again. So when a key had to be left, no transaction goes in that round. Applied ones stay, always.
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

-- Which backups were made, so that their age can be told: by `doctor`, by the metrics of an api, and by an
-- alert. A row for each; the files themselves are elsewhere.
create table backup_record (
  -- All that was acknowledged before this moment is in it.
  taken_at timestamptz(3) not null,
  -- The copied database: host, port and name, as the command reached it; of a restored database the identity
  -- of the one that it comes from.
  server text collate "C" not null,
  -- Of the file; null where something else made the backup.
  bytes bigint check (bytes >= 0),
  made_by text collate "C" not null,
  noted timestamptz(3) not null default clock_timestamp(),
  primary key (taken_at, server)
);

-- How far the audit in the background is: see src/audit-slice.ts. One row. A pass goes over the lots by their
-- numbers, then over the levels by theirs.
create table audit_progress (
  is_only boolean primary key default true check (is_only),
  lot_after bigint not null default 0,
  -- The newest lot when the pass began, null before that: with lots that come faster than they are compared
  -- it would never end.
  lot_until bigint,
  -- null: the pass is still at the lots
  level_after_part_no integer,
  level_after_wid integer,
  pass_started timestamptz not null default now(),
  pass_finished timestamptz,
  -- when the next slice may be looked at
  due timestamptz not null default clock_timestamp()
) with (fillfactor = 50);

insert into audit_progress default values;

-- Where levels, lots and entries did not agree; rec_no 0: the level itself.
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
