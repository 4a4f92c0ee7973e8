-- How many of the counted lots are in stock, beside how many there are (see lot-counts): what inStock=true and inStock=false list.

-- Nobody changes lots or folds meanwhile; taken in their order, before what they lock after it.
lock table lot in share row exclusive mode;
lock table lot_block in share row exclusive mode;

-- What is there is counted anew at the end; the defaults are for these rows alone.
alter table lot_arrival add column active integer not null default 0;
alter table lot_arrival alter column active drop default;
alter table lot_chapter_count add column active integer not null default 0 check (active between 0 and lots);
alter table lot_chapter_count alter column active drop default;
alter table lot_block_count add column active integer not null default 0 check (active between 0 and lots);
alter table lot_block_count alter column active drop default;

create or replace function note_lots_added() returns trigger language plpgsql as $$
begin
  insert into lot_arrival (wid, received, lots, active)
  select wid, received, count(*), count(*) filter (where active)
  from added
  group by wid, received;
  return null;
end
$$;

create or replace function note_lots_removed() returns trigger language plpgsql as $$
begin
  insert into lot_arrival (wid, received, lots, active)
  select wid, received, -count(*), -count(*) filter (where active)
  from removed
  group by wid, received;
  return null;
end
$$;

create or replace function note_lot_relocated() returns trigger language plpgsql as $$
begin
  insert into lot_arrival (wid, received, lots, active)
  values (old.wid, old.received, -1, -old.active::integer), (new.wid, new.received, 1, new.active::integer);
  return null;
end
$$;

create function note_lot_active_changed() returns trigger language plpgsql as $$
begin
  insert into lot_arrival (wid, received, lots, active)
  values (new.wid, new.received, 0, new.active::integer - old.active::integer);
  return null;
end
$$;

-- A row for each lot that was emptied, where it stays in the list; lots that keep some units, most of a batch, cost nothing.
-- One that was relocated as well is noted by lot_relocated.
create trigger lot_active_changed after update of active on lot
  for each row when (old.active <> new.active and old.wid = new.wid and old.received = new.received)
  execute function note_lot_active_changed();

create or replace function cut_lot_block(cut timestamptz, size integer) returns void language plpgsql as $$
declare
  until timestamptz := (select coalesce(min(block), 'infinity') from lot_block where block > cut);
  bound timestamptz := (select chapter from lot_block where block = cut);
begin
  with placed as (
    select wid, received, active, row_number() over (order by received) - 1 as place
    from lot
    -- By warehouse, for the index.
    where wid in (select warehouse.wid from warehouse) and received >= cut and received < until
  ), cuts as (
    select wid, active,
      -- With its peers: a cut counts for all lots of its moment.
      max(case when place = 0 then cut when place % size = 0 then received end)
        over (order by received range unbounded preceding) as block
    from placed
  ), recounted as materialized (
    select wid, block, count(*)::integer as lots, (count(*) filter (where active))::integer as active
    from cuts
    group by wid, block
  ), kept as (
    update lot_block_count
    set (lots, active) = (
      select coalesce(sum(recounted.lots), 0), coalesce(sum(recounted.active), 0)
      from recounted
      where recounted.wid = lot_block_count.wid and recounted.block = cut
    )
    where chapter = bound and block = cut
  ), added as (
    insert into lot_block_count (wid, chapter, block, lots, active)
    select wid, bound, block, lots, active
    from recounted
    where block > cut
    -- Side by side, as they are read.
    order by wid, block
  )
  insert into lot_block (block, chapter, lots)
  select block, bound, sum(lots)
  -- Lots of one moment may leave nothing in front of them.
  from (select block, lots from recounted union all select cut, 0) as kept_too
  group by block
  on conflict (block) do update
  set lots = excluded.lots;
end
$$;

create or replace function cut_lot_chapter(cut timestamptz, size integer) returns void language plpgsql as $$
begin
  with placed as (
    select block, row_number() over (order by block) - 1 as place
    from lot_block
    where chapter = cut
  ), rebound as materialized (
    select block, max(case when place % size = 0 then block end) over (order by block) as chapter
    from placed
  ), moved_blocks as (
    update lot_block
    set chapter = rebound.chapter
    from rebound
    where lot_block.block = rebound.block and rebound.chapter > cut
  ), moved_counts as (
    update lot_block_count
    set chapter = rebound.chapter
    from rebound
    where lot_block_count.chapter = cut and lot_block_count.block = rebound.block and rebound.chapter > cut
    returning lot_block_count.wid, lot_block_count.chapter, lot_block_count.lots, lot_block_count.active
  ), added as (
    insert into lot_chapter_count (wid, chapter, lots, active)
    select wid, chapter, sum(lots), sum(active)
    from moved_counts
    group by wid, chapter
  )
  update lot_chapter_count
  set lots = lot_chapter_count.lots - moved.lots, active = lot_chapter_count.active - moved.active
  from (select wid, sum(lots) as lots, sum(active) as active from moved_counts group by wid) as moved
  where lot_chapter_count.wid = moved.wid and lot_chapter_count.chapter = cut;
end
$$;

create or replace function fold_lot_arrivals(block_size integer default 1024, chapter_size integer default 64) returns integer language plpgsql as $$
declare
  folded integer;
  grown record;
begin
  if current_setting('transaction_isolation') <> 'repeatable read' then
    raise exception 'fold_lot_arrivals() needs repeatable read';
  end if;
  with taken as (
    delete from lot_arrival
    returning wid, received, lots, active
  ), placed as (
    select wid, chapter, block, sum(taken.lots)::integer as lots, sum(taken.active)::integer as active
    from taken
    cross join lateral (
      select chapter, block from lot_block where block <= received order by block desc limit 1
    ) as of_block
    group by wid, chapter, block
  ), by_block as (
    update lot_block
    set lots = lot_block.lots + added.lots
    -- A block whose lots were only emptied is as large as it was.
    from (select block, sum(lots) as lots from placed group by block having sum(lots) <> 0) as added
    where lot_block.block = added.block
  ), by_warehouse as (
    merge into lot_block_count as counted
    using placed
    on counted.wid = placed.wid and counted.chapter = placed.chapter and counted.block = placed.block
    when matched then update set lots = counted.lots + placed.lots, active = counted.active + placed.active
    when not matched then insert (wid, chapter, block, lots, active)
      values (placed.wid, placed.chapter, placed.block, placed.lots, placed.active)
  ), by_chapter as (
    merge into lot_chapter_count as counted
    using (
      select wid, chapter, sum(lots)::integer as lots, sum(active)::integer as active from placed group by wid, chapter
    ) as placed
    on counted.wid = placed.wid and counted.chapter = placed.chapter
    when matched then update set lots = counted.lots + placed.lots, active = counted.active + placed.active
    when not matched then insert (wid, chapter, lots, active)
      values (placed.wid, placed.chapter, placed.lots, placed.active)
  )
  select count(*) into folded from taken;
  if folded > 0 then
    for grown in select block from lot_block where lots > 2 * block_size loop
      perform cut_lot_block(grown.block, block_size);
    end loop;
    for grown in select chapter from lot_block group by chapter having count(*) > 2 * chapter_size loop
      perform cut_lot_chapter(grown.chapter, chapter_size);
    end loop;
  end if;
  return folded;
end
$$;

create or replace function recount_lots() returns void language plpgsql as $$
begin
  -- No lot comes between what is counted and what has arrived.
  lock table lot in share row exclusive mode;
  truncate lot_block, lot_block_count, lot_chapter_count, lot_arrival;
  insert into lot_block (block, chapter, lots) values ('-infinity', '-infinity', 0);
  insert into lot_block_count (wid, chapter, block, lots, active)
  select wid, '-infinity', '-infinity', 0, 0
  from warehouse;
  perform cut_lot_block('-infinity', 1024);
  insert into lot_chapter_count (wid, chapter, lots, active)
  select wid, chapter, sum(lots), sum(active)
  from lot_block_count
  group by wid, chapter;
  perform cut_lot_chapter('-infinity', 64);
end
$$;

select recount_lots();
