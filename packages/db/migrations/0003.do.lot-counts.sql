-- How many lots there are before a page, without counting them.
-- The lists of lots are cut by the moment of receipt into blocks of about a thousand lots, and the blocks are bound into chapters.
-- Each keeps its lots of each warehouse. A page is found by adding up chapters, then blocks; a total by adding up chapters.
--
-- A batch never touches a count: it would wait for every other batch of the warehouse. It leaves a row in lot_arrival, and
-- fold_lot_arrivals() brings those into the counts, all in one transaction. So at any moment counts and arrivals together
-- are exactly the lots that can be seen at that moment.

create table lot_block (
  -- The moment of receipt from which on a lot belongs to the block; up to the next block's.
  block timestamptz(3) primary key,
  -- The chapter's first block.
  chapter timestamptz(3) not null,
  lots integer not null
) with (fillfactor = 50);

create index lot_block_chapter_idx on lot_block (chapter);

create table lot_block_count (
  wid integer not null,
  chapter timestamptz(3) not null,
  block timestamptz(3) not null,
  lots integer not null check (lots >= 0),
  primary key (wid, chapter, block)
) with (fillfactor = 50);

create table lot_chapter_count (
  wid integer not null,
  chapter timestamptz(3) not null,
  lots integer not null check (lots >= 0),
  primary key (wid, chapter)
) with (fillfactor = 50);

-- What the counts do not hold yet. No index: it is short, and read whole.
create table lot_arrival (
  wid integer not null,
  received timestamptz(3) not null,
  lots integer not null
);

create function note_lots_added() returns trigger language plpgsql as $$
begin
  insert into lot_arrival (wid, received, lots)
  select wid, received, count(*)
  from added
  group by wid, received;
  return null;
end
$$;

create function note_lots_removed() returns trigger language plpgsql as $$
begin
  insert into lot_arrival (wid, received, lots)
  select wid, received, -count(*)
  from removed
  group by wid, received;
  return null;
end
$$;

create function note_lot_relocated() returns trigger language plpgsql as $$
begin
  insert into lot_arrival (wid, received, lots)
  values (old.wid, old.received, -1), (new.wid, new.received, 1);
  return null;
end
$$;

create trigger lot_added after insert on lot referencing new table as added
  for each statement execute function note_lots_added();
-- No part of the service does either of these; if an operator does, the counts stay right.
create trigger lot_removed after delete on lot referencing old table as removed
  for each statement execute function note_lots_removed();
create trigger lot_relocated after update of wid, received on lot
  for each row when (old.wid <> new.wid or old.received <> new.received) execute function note_lot_relocated();

-- Cuts a block into blocks of `size` lots and counts them. Lots of one moment stay together, so that the place of an arrival
-- is known by its moment alone.
create function cut_lot_block(cut timestamptz, size integer) returns void language plpgsql as $$
declare
  until timestamptz := (select coalesce(min(block), 'infinity') from lot_block where block > cut);
  bound timestamptz := (select chapter from lot_block where block = cut);
begin
  with placed as (
    select wid, received, row_number() over (order by received) - 1 as place
    from lot
    -- By warehouse, for the index.
    where wid in (select warehouse.wid from warehouse) and received >= cut and received < until
  ), cuts as (
    select wid,
      -- With its peers: a cut counts for all lots of its moment.
      max(case when place = 0 then cut when place % size = 0 then received end)
        over (order by received range unbounded preceding) as block
    from placed
  ), recounted as materialized (
    select wid, block, count(*)::integer as lots
    from cuts
    group by wid, block
  ), kept as (
    update lot_block_count
    set lots = coalesce(
      (select lots from recounted where recounted.wid = lot_block_count.wid and recounted.block = cut), 0)
    where chapter = bound and block = cut
  ), added as (
    insert into lot_block_count (wid, chapter, block, lots)
    select wid, bound, block, lots
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

-- Cuts a chapter into chapters of `size` blocks.
create function cut_lot_chapter(cut timestamptz, size integer) returns void language plpgsql as $$
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
    returning lot_block_count.wid, lot_block_count.chapter, lot_block_count.lots
  ), added as (
    insert into lot_chapter_count (wid, chapter, lots)
    select wid, chapter, sum(lots)
    from moved_counts
    group by wid, chapter
  )
  update lot_chapter_count
  set lots = lot_chapter_count.lots - moved.lots
  from (select wid, sum(lots) as lots from moved_counts group by wid) as moved
  where lot_chapter_count.wid = moved.wid and lot_chapter_count.chapter = cut;
end
$$;

-- Brings what arrived into the counts, and cuts what has grown to twice its size. Returns how many arrivals that were. Must run in a
-- transaction of REPEATABLE READ that has locked lot_block before it did anything else: then the lots that it sees when it
-- cuts a block are those of the counts and the arrivals, and nobody else folds.
create function fold_lot_arrivals(block_size integer default 1024, chapter_size integer default 64) returns integer language plpgsql as $$
declare
  folded integer;
  grown record;
begin
  if current_setting('transaction_isolation') <> 'repeatable read' then
    raise exception 'fold_lot_arrivals() needs repeatable read';
  end if;
  with taken as (
    delete from lot_arrival
    returning wid, received, lots
  ), placed as (
    select wid, chapter, block, sum(taken.lots)::integer as lots
    from taken
    cross join lateral (
      select chapter, block from lot_block where block <= received order by block desc limit 1
    ) as of_block
    group by wid, chapter, block
  ), by_block as (
    update lot_block
    set lots = lot_block.lots + added.lots
    from (select block, sum(lots) as lots from placed group by block) as added
    where lot_block.block = added.block
  ), by_warehouse as (
    merge into lot_block_count as counted
    using placed
    on counted.wid = placed.wid and counted.chapter = placed.chapter and counted.block = placed.block
    when matched then update set lots = counted.lots + placed.lots
    when not matched then insert (wid, chapter, block, lots) values (placed.wid, placed.chapter, placed.block, placed.lots)
  ), by_chapter as (
    merge into lot_chapter_count as counted
    using (select wid, chapter, sum(lots)::integer as lots from placed group by wid, chapter) as placed
    on counted.wid = placed.wid and counted.chapter = placed.chapter
    when matched then update set lots = counted.lots + placed.lots
    when not matched then insert (wid, chapter, lots) values (placed.wid, placed.chapter, placed.lots)
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

-- Counts every lot anew, whatever the counts say.
create function recount_lots() returns void language plpgsql as $$
begin
  -- No lot comes between what is counted and what has arrived.
  lock table lot in share row exclusive mode;
  truncate lot_block, lot_block_count, lot_chapter_count, lot_arrival;
  insert into lot_block (block, chapter, lots) values ('-infinity', '-infinity', 0);
  insert into lot_block_count (wid, chapter, block, lots)
  select wid, '-infinity', '-infinity', 0
  from warehouse;
  perform cut_lot_block('-infinity', 1024);
  insert into lot_chapter_count (wid, chapter, lots)
  select wid, chapter, sum(lots)
  from lot_block_count
  group by wid, chapter;
  perform cut_lot_chapter('-infinity', 64);
end
$$;

select recount_lots();

-- Every list begins with warehouses; nothing asks for this order over all of them.
drop index lot_list_idx;
