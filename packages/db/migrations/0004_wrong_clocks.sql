-- Wrong clocks, and copies of a database (docs/decisions/0038). Only adds, and puts new bodies into
-- functions of 0.1.0, which keep their names, arguments and rights: processes of that version use them from
-- now on.

-- How far the time has come for what is removed for good. One row. Workers move it on by the time that they
-- saw pass on clocks that nobody can set, so no reading of Postgres' clock removes anything by itself.
create table retention_clock (
  is_only boolean primary key default true check (is_only),
  reached timestamptz(3) not null default clock_timestamp()
);

insert into retention_clock default values;

-- The time before which outdated rows may be removed. A clock that was set back holds it back, too.
create function retention_now() returns timestamptz language sql volatile
security definer set search_path = public, pg_temp as $$
  select least(reached, clock_timestamp()) from retention_clock
$$;

-- Moves the time on to `seen`, never beyond Postgres' clock. `seen` null: only reads. `lowers`: the time
-- was ahead of the clock for so long that the clock is believed. Several workers may call it: see
-- src/requests/retention-clock.ts.
create function move_retention(seen timestamptz, lowers boolean, out reached timestamptz, out clock timestamptz)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  clock := clock_timestamp();
  -- No connection hangs while no commit is answered. If a failover loses this, nothing is removed too
  -- early.
  perform set_config('synchronous_commit', 'local', true);
  if lowers then
    update retention_clock as kept set reached = least(kept.reached, clock) where kept.reached > clock;
  elsif seen is not null then
    update retention_clock as kept set reached = least(seen, clock) where kept.reached < least(seen, clock);
  end if;
  select kept.reached into move_retention.reached from retention_clock as kept;
end
$$;

-- As before, by the time of retention. Answers are promised for 7 days.
create or replace function remove_old_keys(until timestamptz, first_page bigint, pages integer,
  out removed integer, out remaining integer)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  before timestamptz := least(until, retention_now() - interval '7 days');
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

create or replace function remove_undone_transactions(until timestamptz, count_max integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  removed integer;
begin
  with gone as (
    delete from stock_transaction
    where transaction_no = any(array(
      select transaction_no
      from stock_transaction
      where status <> 'applied' and at < least(until, retention_now() - interval '8 days')
      order by at
      limit count_max
    ))
    returning 1
  )
  select count(*) into removed from gone;
  return removed;
end
$$;

-- As before, by the time of retention. A last round that ended later than now is not believed: the next one
-- is due.
create or replace function remove_outdated(days integer, pages integer, count_max integer,
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
  if not exists (
    select
    from retention
    where next_page is not null or ended not between clock_timestamp() - interval '1 hour' and clock_timestamp()
  ) then
    return;
  end if;
  select * into round from retention for update skip locked;
  -- another worker is doing it
  if not found then
    return;
  end if;
  if round.next_page is null then
    if round.ended between clock_timestamp() - interval '1 hour' and clock_timestamp() then
      return;
    end if;
    round.keys_until := retention_now() - greatest(days, 7) * interval '1 day';
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

-- Stored times that lay beyond what their rule allows and were set to now: which, how many rows, the latest
-- one, and when that was done last. For the operator.
create table corrected_time (
  place text collate "C" primary key,
  count integer not null,
  latest timestamptz(3) not null,
  corrected timestamptz(3) not null
);

-- The time against which stored times are judged: that of Postgres' clock, unless it is behind the time of
-- retention. Then the clock was set back and would make right times look wrong, so this is the time of
-- retention, which may be a minute old, and some minutes more.
create function latest_now() returns timestamptz language sql volatile
security definer set search_path = public, pg_temp as $$
  select date_trunc('milliseconds', case
    when clock_timestamp() >= reached - interval '1 second' then clock_timestamp()
    else reached + interval '5 minutes'
  end)
  from retention_clock
$$;

-- The stored times that are later than their own rule allows, by place. The rules stand in
-- docs/decisions/0038.
create function times_ahead(out place text, out count integer, out latest timestamptz) returns setof record
language sql volatile security definer set search_path = public, pg_temp as $$
  with moment as materialized (select latest_now() as now)
  select found.place, count(*)::integer, max(found.at)
  from (
    select 'retention.ended' as place, ended as at from moment, retention where ended > now
    union all
    select 'retention.keys_until', keys_until from moment, retention where keys_until > now - interval '7 days'
    union all
    select 'audit_progress.due', due from moment, audit_progress where due > now + interval '10 minutes'
    union all
    select 'audit_progress.pass_started', pass_started from moment, audit_progress where pass_started > now
    union all
    select 'audit_progress.pass_finished', pass_finished from moment, audit_progress where pass_finished > now
    union all
    select 'audit_drift.last_seen', last_seen from moment, audit_drift where last_seen > now
    union all
    select 'backup_record.taken_at', taken_at from moment, backup_record where taken_at > now + interval '1 minute'
    union all
    select 'client.tokens_from', tokens_from from moment, client where tokens_from > now + interval '65 seconds'
    union all
    select 'client_secret.created', created from moment, client_secret where created > now
    union all
    select 'verifying_key.signs_from', signs_from from moment, verifying_key where signs_from > now + interval '61 seconds'
    union all
    select 'verifying_key.retired', retired from moment, verifying_key where retired > now + interval '61 seconds'
    union all
    select 'envelope_key.created', created from moment, envelope_key where created > now
  ) as found
  group by found.place
$$;

-- Sets such times to the latest moment that their rule allows now, notes that, and returns which they were.
create function correct_times(out place text, out count integer, out latest timestamptz) returns setof record
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  moment timestamptz(3);
  noted record;
begin
  -- Nearly always.
  if not exists (select from times_ahead()) then
    return;
  end if;
  -- One worker at a time. The others have nothing left to do.
  perform 1 from retention_clock for update;
  moment := latest_now();
  for noted in select * from times_ahead() loop
    insert into corrected_time (place, count, latest, corrected)
    values (noted.place, noted.count, noted.latest, moment)
    on conflict on constraint corrected_time_pkey
      do update set count = excluded.count, latest = excluded.latest, corrected = excluded.corrected;
    place := noted.place;
    count := noted.count;
    latest := noted.latest;
    return next;
  end loop;
  update retention set ended = moment where ended > moment;
  update retention set keys_until = moment - interval '7 days' where keys_until > moment - interval '7 days';
  update audit_progress set due = moment where due > moment + interval '10 minutes';
  update audit_progress set pass_started = moment where pass_started > moment;
  update audit_progress set pass_finished = moment where pass_finished > moment;
  -- A place that is not found again in the pass under way goes with the next one.
  update audit_drift set first_seen = least(first_seen, moment), last_seen = moment where last_seen > moment;
  -- Two at one server may not have one time.
  update backup_record
  set taken_at = moment - ranked.place * interval '1 millisecond'
  from (
    select wrong.taken_at, wrong.server, row_number() over (order by wrong.taken_at desc) as place
    from backup_record as wrong
    where wrong.taken_at > moment + interval '1 minute'
  ) as ranked
  where backup_record.taken_at = ranked.taken_at and backup_record.server = ranked.server;
  -- Whole seconds, as long after now as an operator's call would set it.
  update client set tokens_from = date_trunc('second', moment) + interval '3 seconds'
  where tokens_from > moment + interval '65 seconds';
  -- In the order in which they were made.
  update client_secret
  set created = moment - ranked.place * interval '1 millisecond'
  from (
    select wrong.client_id, wrong.digest, row_number() over (order by wrong.created desc, wrong.digest) as place
    from client_secret as wrong
    where wrong.created > moment
  ) as ranked
  where client_secret.client_id = ranked.client_id and client_secret.digest = ranked.digest;
  update envelope_key set created = moment where created > moment;
  -- A key for tokens waits a minute, unless none signs now.
  if exists (
    select
    from verifying_key
    join signing_key using (kid)
    where withdrawn is null and signs_from <= moment and (retired is null or retired > moment)
  ) then
    moment := moment + interval '60 seconds';
  end if;
  update verifying_key
  set signs_from = least(signs_from, moment), retired = least(retired, moment)
  where signs_from > moment + interval '1 second' or retired > moment + interval '1 second';
end
$$;

-- Moments of changes never run backwards. The latest time that `X-Next-Modified-Since` told, in
-- milliseconds since 1970: a moment that is taken later is never before it, whatever the clock says. A
-- sequence, because it is read without a lock, and what is written to it is seen at once and stays.
create sequence change_floor_seq minvalue 0 start 0;

-- Processes of 0.1.0 told a time two seconds before now.
select setval('change_floor_seq', floor(extract(epoch from clock_timestamp()) * 1000)::bigint - 2000);

-- As before, and never before the latest time that was told. The transaction holds the lock of the moment
-- that it began with, so that is the least of its moments.
create or replace function change_moment() returns timestamptz language plpgsql volatile as $$
declare
  since bigint := nullif(current_setting('inventory.change_since', true), '')::bigint;
  moment timestamptz;
begin
  -- Once for each transaction, however many rows it writes, because there is room for only some thousand
  -- locks. A rollback to a savepoint takes back both.
  if since is null then
    since := greatest(
      floor(extract(epoch from clock_timestamp()) * 1000)::bigint,
      pg_sequence_last_value('change_floor_seq')
    );
    perform pg_advisory_xact_lock_shared(7316::bigint << 42 | since);
    perform pg_advisory_xact_lock_shared(
      733::bigint << 53 | coalesce(pg_sequence_last_value('stock_transaction_no_seq'), 0)
    );
    perform set_config('inventory.change_since', since::text, true);
    -- Everybody who follows changes waits for this transaction. A connection of the service has a limit of
    -- its own; one that was opened by hand and then forgotten has none.
    if current_setting('idle_in_transaction_session_timeout') = '0' then
      perform set_config('idle_in_transaction_session_timeout', '60s', true);
    end if;
  end if;
  moment := date_trunc('milliseconds', clock_timestamp());
  -- Read again, after the lock: whoever told a later time meanwhile may not have seen the lock.
  since := greatest(since, pg_sequence_last_value('change_floor_seq'));
  if extract(epoch from moment) * 1000 < since then
    return to_timestamp(since / 1000.0);
  end if;
  return moment;
end
$$;

-- As before, and every moment that is taken from now on is at or after the returned time, even if the clock
-- is set back. Where the clock is behind what was told, the time goes on by a millisecond with each call,
-- so that it tells changes apart. Runs with the owner's rights, because nobody else may write the sequence.
create or replace function changes_known_until(margin_ms bigint) returns bigint language plpgsql volatile
security definer set search_path = public, pg_temp as $$
declare
  known bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint - margin_ms;
  is_mine boolean := false;
begin
  -- One session at a time, each for about as long as a commit takes. Lists do not wait for a hanging one.
  if current_setting('transaction_read_only') = 'off' then
    for tries in 1 .. 20 loop
      is_mine := pg_try_advisory_xact_lock(7316004);
      exit when is_mine;
      perform pg_sleep(0.005);
    end loop;
  end if;
  -- Before the locks are examined: a change whose lock is not seen reads the sequence after this.
  if is_mine then
    known := greatest(known, pg_sequence_last_value('change_floor_seq') + 1);
    -- Lists are answered while no commit is.
    perform set_config('synchronous_commit', 'local', true);
    perform setval('change_floor_seq', known);
  else
    -- What was told before still holds.
    known := pg_sequence_last_value('change_floor_seq');
  end if;
  return least(known, (
    select min(key & (1::bigint << 42) - 1)
    from held_numbers() as key
    where key >> 42 = 7316
  ));
end
$$;

-- The name of this database on its server, which no copy of it carries along: by the identifier of the
-- server's data and the number of the database there. A standby that takes over has the same. Eight
-- letters, for the ids of envelopes.
create function site_name() returns text language plpgsql volatile
security definer set search_path = public, pg_temp as $$
declare
  server text := '';
begin
  -- Some servers take this right from everybody. Then the number alone tells databases of one server apart.
  if has_function_privilege('pg_control_system()', 'execute') then
    select system_identifier::text into server from pg_control_system();
  end if;
  return translate(left(encode(sha256(convert_to(server || '/' || (
    select oid from pg_database where datname = current_database()
  ), 'UTF8')), 'base64'), 8), '+/', '-_');
end
$$;

grant execute on function retention_now to inventory_api, inventory_worker, inventory_operator;
grant execute on function move_retention, correct_times to inventory_worker;
grant execute on function times_ahead to inventory_operator;
grant select on retention_clock, corrected_time to inventory_operator;
grant execute on function site_name to inventory_api, inventory_worker;
-- For the moments of their changes.
grant select on sequence change_floor_seq to inventory_api, inventory_worker, inventory_operator;
