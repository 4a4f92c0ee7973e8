-- The number of lots before a page, and how many of them are in stock, without counting them. As with items
-- (07-item-counts.sql), but with more levels. Lots are cut by time of receipt into blocks of about a
-- thousand. 64 or more blocks form a chapter, and 64 or more chapters a volume. Each has a count for each
-- warehouse. To find a page, volumes are added up, then the chapters of the volumes that contain it, then
-- their blocks. So the newest page does not become slower with the number of lots. The total is the sum of
-- the volumes.

-- The blocks, and the chapter of each.
create table lot_block (
  -- the first time of receipt in the block; it ends before the next block
  block timestamptz(3) primary key,
  -- the chapter's first block
  chapter timestamptz(3) not null,
  lots integer not null
) with (fillfactor = 50);

create index lot_block_chapter_idx on lot_block (chapter);

-- A volume is named by its first chapter and ends before the next volume.
create table lot_volume (
  volume timestamptz(3) primary key,
  chapters integer not null
) with (fillfactor = 50);

insert into lot_block (block, chapter, lots) values ('-infinity', '-infinity', 0);
insert into lot_volume (volume, chapters) values ('-infinity', 1);

-- The number of lots of a warehouse in a block.
create table lot_block_count (
  wid integer not null,
  chapter timestamptz(3) not null,
  block timestamptz(3) not null,
  lots integer not null check (lots >= 0),
  active integer not null check (active between 0 and lots),
  primary key (wid, chapter, block)
) with (fillfactor = 50);

-- The same for a chapter: the sum of its blocks.
create table lot_chapter_count (
  wid integer not null,
  chapter timestamptz(3) not null,
  lots integer not null check (lots >= 0),
  active integer not null check (active between 0 and lots),
  primary key (wid, chapter)
) with (fillfactor = 50);

-- The same for a volume: the sum of its chapters.
create table lot_volume_count (
  wid integer not null,
  volume timestamptz(3) not null,
  lots integer not null check (lots >= 0),
  active integer not null check (active between 0 and lots),
  primary key (wid, volume)
) with (fillfactor = 50);

-- Changes that the counts do not include yet. No index, because it is short and read as a whole.
create table lot_arrival (
  wid integer not null,
  received timestamptz(3) not null,
  lots integer not null,
  active integer not null
);

create function note_lots_added() returns trigger language plpgsql as $$
begin
  insert into lot_arrival (wid, received, lots, active)
  select wid, received, count(*), count(*) filter (where active)
  from added
  group by wid, received;
  return null;
end
$$;

create function note_lots_removed() returns trigger language plpgsql as $$
begin
  insert into lot_arrival (wid, received, lots, active)
  select wid, received, -count(*), -count(*) filter (where active)
  from removed
  group by wid, received;
  return null;
end
$$;

create function note_lot_relocated() returns trigger language plpgsql as $$
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

create trigger lot_added after insert on lot referencing new table as added
  for each statement execute function note_lots_added();
-- A row for each lot that became empty without leaving the list. Lots that keep some units, which are most of
-- a batch, cost nothing. If a lot was relocated as well, lot_relocated records it.
create trigger lot_active_changed after update of active on lot
  for each row when (old.active <> new.active and old.wid = new.wid and old.received = new.received)
  execute function note_lot_active_changed();
-- The service does neither of these. If an operator does, the counts stay correct.
create trigger lot_removed after delete on lot referencing old table as removed
  for each statement execute function note_lots_removed();
create trigger lot_relocated after update of wid, received on lot
  for each row when (old.wid <> new.wid or old.received <> new.received) execute function note_lot_relocated();

-- Cuts a block into blocks of `size` lots and counts them. Lots with the same time stay together, so the
-- block of an arrival depends only on its time. Rows are read by warehouse, to use the index.
create function cut_lot_block(cut timestamptz, size integer) returns void language plpgsql as $$
declare
  until timestamptz := (select coalesce(min(block), 'infinity') from lot_block where block > cut);
  bound timestamptz := (select chapter from lot_block where block = cut);
begin
  with placed as (
    select wid, received, active, row_number() over (order by received) - 1 as place
    from lot
    where wid in (select warehouse.wid from warehouse) and received >= cut and received < until
  ), cuts as (
    select wid, active,
      -- With its peers, because a cut applies to all lots with its time.
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
    where wid in (select warehouse.wid from warehouse) and chapter = bound and block = cut
  ), added as (
    insert into lot_block_count (wid, chapter, block, lots, active)
    select wid, bound, block, lots, active
    from recounted
    where block > cut
    -- next to each other, as they are read
    order by wid, block
  )
  insert into lot_block (block, chapter, lots)
  select block, bound, sum(lots)
  -- lots with the same time may leave the first part empty
  from (select block, lots from recounted union all select cut, 0) as kept_too
  group by block
  on conflict (block) do update
  set lots = excluded.lots;
end
$$;

-- Cuts a chapter into chapters of `size` blocks. The volume then has more chapters.
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
    where lot_block_count.wid in (select warehouse.wid from warehouse) and lot_block_count.chapter = cut
      and lot_block_count.block = rebound.block and rebound.chapter > cut
    returning lot_block_count.wid, lot_block_count.chapter, lot_block_count.lots, lot_block_count.active
  ), added as (
    insert into lot_chapter_count (wid, chapter, lots, active)
    select wid, chapter, sum(lots), sum(active)
    from moved_counts
    group by wid, chapter
  ), of_volume as (
    update lot_volume
    set chapters = chapters + (select count(distinct chapter) from rebound where chapter > cut)
    where volume = (select max(volume) from lot_volume where volume <= cut)
  )
  update lot_chapter_count
  set lots = lot_chapter_count.lots - moved.lots, active = lot_chapter_count.active - moved.active
  from (select wid, sum(lots) as lots, sum(active) as active from moved_counts group by wid) as moved
  where lot_chapter_count.wid = moved.wid and lot_chapter_count.chapter = cut;
end
$$;

-- Cuts a volume into volumes of `size` chapters.
create function cut_lot_volume(cut timestamptz, size integer) returns void language plpgsql as $$
declare
  until timestamptz := (select coalesce(min(volume), 'infinity') from lot_volume where volume > cut);
begin
  with placed as (
    select chapter, row_number() over (order by chapter) - 1 as place
    from (select distinct chapter from lot_block where chapter >= cut and chapter < until) as chapters
  ), rebound as materialized (
    select chapter, max(case when place % size = 0 then chapter end) over (order by chapter) as volume
    from placed
  ), moved as materialized (
    select wid, volume, sum(lots) as lots, sum(active) as active
    from lot_chapter_count
    join rebound using (chapter)
    where wid in (select warehouse.wid from warehouse) and volume > cut
    group by wid, volume
  ), bound as (
    insert into lot_volume (volume, chapters)
    select volume, count(*)
    from rebound
    group by volume
    on conflict (volume) do update
    set chapters = excluded.chapters
  ), added as (
    insert into lot_volume_count (wid, volume, lots, active)
    select wid, volume, lots, active
    from moved
  )
  update lot_volume_count
  set lots = lot_volume_count.lots - gone.lots, active = lot_volume_count.active - gone.active
  from (select wid, sum(lots) as lots, sum(active) as active from moved group by wid) as gone
  where lot_volume_count.wid = gone.wid and lot_volume_count.volume = cut;
end
$$;

-- Folds the arrivals into the counts, and cuts everything that has grown to twice its size. Only blocks and
-- chapters with arrivals are examined. The same rules as for fold_item_arrivals(); the table to lock is
-- lot_block.
create function fold_lot_arrivals(block_size integer default 1024, chapter_size integer default 64) returns integer
language plpgsql
-- Finds each count by its key, however few the planner expects.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  folded integer;
  touched timestamptz[];
  grown record;
begin
  if current_setting('transaction_isolation') <> 'repeatable read' then
    raise exception 'fold_lot_arrivals() needs repeatable read';
  end if;
  with taken as (
    delete from lot_arrival
    returning wid, received, lots, active
  ), placed as materialized (
    select wid, volume, chapter, block, sum(taken.lots)::integer as lots, sum(taken.active)::integer as active
    from taken
    cross join lateral (
      select chapter, block from lot_block where block <= received order by block desc limit 1
    ) as of_block
    cross join lateral (
      select volume from lot_volume where volume <= chapter order by volume desc limit 1
    ) as of_volume
    group by wid, volume, chapter, block
  ), by_block as (
    update lot_block
    set lots = lot_block.lots + added.lots
    -- A block whose lots only became empty keeps its size.
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
  ), by_volume as (
    merge into lot_volume_count as counted
    using (
      select wid, volume, sum(lots)::integer as lots, sum(active)::integer as active from placed group by wid, volume
    ) as placed
    on counted.wid = placed.wid and counted.volume = placed.volume
    when matched then update set lots = counted.lots + placed.lots, active = counted.active + placed.active
    when not matched then insert (wid, volume, lots, active)
      values (placed.wid, placed.volume, placed.lots, placed.active)
  )
  select (select count(*) from taken), (select array_agg(distinct block) from placed) into folded, touched;
  if folded > 0 then
    for grown in select block from lot_block where block = any(touched) and lots > 2 * block_size loop
      perform cut_lot_block(grown.block, block_size);
    end loop;
    for grown in
      select chapter
      from lot_block
      where chapter in (select chapter from lot_block where block = any(touched))
      group by chapter
      having count(*) > 2 * chapter_size
    loop
      perform cut_lot_chapter(grown.chapter, chapter_size);
    end loop;
    for grown in select volume from lot_volume where chapters > 2 * chapter_size loop
      perform cut_lot_volume(grown.volume, chapter_size);
    end loop;
  end if;
  return folded;
end
$$;

-- Arranges all chapters into volumes, ignoring the current ones.
create function bind_lot_volumes() returns void language plpgsql as $$
begin
  truncate lot_volume, lot_volume_count;
  insert into lot_volume (volume, chapters)
  select min(chapter), count(*)
  from (
    select chapter, (row_number() over (order by chapter) - 1) / 64 as place
    from (select distinct chapter from lot_block) as chapters
  ) as placed
  group by place;
  insert into lot_volume_count (wid, volume, lots, active)
  select wid, (select max(volume) from lot_volume where volume <= chapter), sum(lots), sum(active)
  from lot_chapter_count
  group by 1, 2
  order by 1, 2;
end
$$;

-- Counts all lots again, ignoring the current counts.
create function recount_lots() returns void language plpgsql as $$
begin
  -- No lot may come between the counts and the arrivals.
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
  perform bind_lot_volumes();
end
$$;
