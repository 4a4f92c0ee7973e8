-- A reader of the change feed must notice two things that its number alone does not show: that the database
-- has gone on from an earlier moment, and that the scope of its client has changed, even if it has become the
-- same again (docs/decisions/0036).

-- The places where this database has been: a server and its timeline. Each promotion begins a new timeline,
-- and may lack what the old server had told last. A cursor names the place where it was given.
create table feed_place (
  place_no bigint generated always as identity primary key,
  -- the digits of the place in a cursor
  mark integer not null check (mark between 0 and 2047),
  system_identifier bigint not null,
  database_oid bigint not null,
  timeline text not null,
  since timestamptz(3) not null default clock_timestamp(),
  -- when a cursor was refused here, because what it had seen may be lost; null: none was
  refused timestamptz(3),
  unique (system_identifier, database_oid, timeline)
);

-- The marks of the last places, in order; the last one is that of this place. Notes a place that is new.
create function feed_places() returns integer[]
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  here_system bigint := 0;
  here_timeline text := '';
  here_database constant bigint := (select oid from pg_database where datname = current_database());
  last feed_place;
begin
  -- Some providers' servers do not know these functions; then all places look alike.
  begin
    here_system := (select system_identifier from pg_control_system());
    here_timeline := substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8);
  exception
    when others then null;
  end;
  select * into last from feed_place order by place_no desc limit 1;
  if last.place_no is null
    or (last.system_identifier, last.database_oid, last.timeline) <> (here_system, here_database, here_timeline)
  then
    insert into feed_place (mark, system_identifier, database_oid, timeline)
    select candidate, here_system, here_database, here_timeline
    from generate_series(0, 2047) as candidate
    -- Two copies of a database that go on apart must not choose the same mark.
    where candidate <> all(array(select mark from feed_place order by place_no desc limit 1000))
    order by gen_random_uuid()
    limit 1
    on conflict do nothing;
  end if;
  return array(select mark from (select * from feed_place order by place_no desc limit 100) as kept order by place_no);
end
$$;

-- Notes that a cursor was refused here.
create function note_refused_cursor() returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  update feed_place
  set refused = clock_timestamp()
  where place_no = (select max(place_no) from feed_place) and refused is null
$$;

-- When the scope of a client changed, in the numbers of the feed. Each is an event with a place of its own.
create table scope_change (
  change_no bigint primary key,
  client_id text collate "C" not null,
  at timestamptz(3) not null
);

create index scope_change_client_id_idx on scope_change (client_id, change_no desc);

-- A trigger, because command lines of the version before run beside this one.
create function note_scope_changes() returns trigger language plpgsql as $$
declare
  moment timestamptz;
  changed text;
begin
  for changed in
    select distinct client_id
    from touched
    join client using (client_id)
    -- Nobody follows the feed yet for a client that this transaction adds.
    where client.created <> now()::timestamptz(3)
    order by client_id
  loop
    -- It announces the number that is drawn next.
    moment := change_moment();
    insert into scope_change (change_no, client_id, at)
    select nextval('stock_transaction_no_seq'), changed, moment
    -- Once for a transaction, which may remove some warehouses and add others.
    where not exists (
      select
      from scope_change
      where client_id = changed and xmin = pg_current_xact_id()::xid
    );
  end loop;
  return null;
end
$$;

create trigger client_warehouse_added after insert on client_warehouse referencing new table as touched
  for each statement execute function note_scope_changes();
create trigger client_warehouse_removed after delete on client_warehouse referencing old table as touched
  for each statement execute function note_scope_changes();
create trigger client_warehouse_changed after update on client_warehouse referencing new table as touched
  for each statement execute function note_scope_changes();

-- As before, and also the numbers of changes of scope.
create or replace function feed_position(out known_no bigint, out drawn_no bigint) language plpgsql volatile as $$
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
    (select change_no from scope_change where change_no <= complete order by change_no desc limit 1),
    0
  );
end
$$;

grant select on scope_change to inventory_api, inventory_worker, inventory_operator;
grant select on feed_place to inventory_operator;
grant insert on scope_change to inventory_operator;
grant execute on function feed_places to inventory_api, inventory_worker, inventory_operator;
grant execute on function note_refused_cursor to inventory_api, inventory_worker;
