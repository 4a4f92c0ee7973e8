-- The counts of lots and of transactions are bound once more: 64 and more chapters are a volume. A page adds up volumes, then the chapters of
-- those that hold it, then their blocks, so a newest page does not cost more with each 65,536 rows there have ever been. And what arrives
-- is brought into the counts without looking at every block there is.

-- Nobody folds meanwhile.
lock table lot_block in share row exclusive mode;
lock table transaction_block_count in share row exclusive mode;

-- 64 chapters of 64 blocks of 1,024 numbers.
create table transaction_volume_count (
  volume bigint not null,
  wid integer not null,
  other_wid integer not null,
  transactions integer not null check (transactions between 0 and 4194304),
  primary key (volume, wid, other_wid)
) with (fillfactor = 50);

insert into transaction_volume_count (volume, wid, other_wid, transactions)
select chapter >> 6, wid, other_wid, sum(transactions)
from transaction_chapter_count
group by 1, 2, 3
order by 1, 2, 3;

create or replace function fold_transaction_arrivals() returns integer language plpgsql as $$
declare
  folded integer;
begin
  if current_setting('transaction_isolation') <> 'repeatable read' then
    raise exception 'fold_transaction_arrivals() needs repeatable read';
  end if;
  with taken as (
    delete from transaction_arrival
    returning block, wid, other_wid, transactions
  ), by_block as (
    insert into transaction_block_count as counted (chapter, block, wid, other_wid, transactions)
    select block >> 6, block, wid, other_wid, sum(transactions)
    from taken
    group by block, wid, other_wid
    on conflict (chapter, block, wid, other_wid) do update
    set transactions = counted.transactions + excluded.transactions
  ), by_chapter as (
    insert into transaction_chapter_count as counted (chapter, wid, other_wid, transactions)
    select block >> 6, wid, other_wid, sum(transactions)
    from taken
    group by block >> 6, wid, other_wid
    on conflict (chapter, wid, other_wid) do update
    set transactions = counted.transactions + excluded.transactions
  ), by_volume as (
    insert into transaction_volume_count as counted (volume, wid, other_wid, transactions)
    select block >> 12, wid, other_wid, sum(transactions)
    from taken
    group by block >> 12, wid, other_wid
    on conflict (volume, wid, other_wid) do update
    set transactions = counted.transactions + excluded.transactions
  )
  select count(*) into folded from taken;
  return folded;
end
$$;

create or replace function recount_transactions() returns void language plpgsql as $$
begin
  -- No transaction comes between what is counted and what has arrived.
  lock table stock_transaction in share row exclusive mode;
  truncate transaction_block_count, transaction_chapter_count, transaction_volume_count, transaction_arrival;
  insert into transaction_block_count (chapter, block, wid, other_wid, transactions)
  select transaction_no >> 16, transaction_no >> 10, least(wid, to_wid),
    case when to_wid is null then 0 else greatest(wid, to_wid) end, count(*)
  from stock_transaction
  where wid is not null
  group by 1, 2, 3, 4
  order by 1, 2, 3, 4;
  insert into transaction_chapter_count (chapter, wid, other_wid, transactions)
  select chapter, wid, other_wid, sum(transactions)
  from transaction_block_count
  group by chapter, wid, other_wid
  order by chapter, wid, other_wid;
  insert into transaction_volume_count (volume, wid, other_wid, transactions)
  select chapter >> 6, wid, other_wid, sum(transactions)
  from transaction_chapter_count
  group by 1, 2, 3
  order by 1, 2, 3;
end
$$;

-- A volume of lots is named by its first chapter, and goes up to the next one's.
create table lot_volume (
  volume timestamptz(3) primary key,
  chapters integer not null
) with (fillfactor = 50);

create table lot_volume_count (
  wid integer not null,
  volume timestamptz(3) not null,
  lots integer not null check (lots >= 0),
  active integer not null check (active between 0 and lots),
  primary key (wid, volume)
) with (fillfactor = 50);

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

-- As before; the counts of the block by warehouse, for the index.
create or replace function cut_lot_block(cut timestamptz, size integer) returns void language plpgsql as $$
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
    where wid in (select warehouse.wid from warehouse) and chapter = bound and block = cut
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

-- Likewise; and the volume has so many chapters more.
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

-- As before, with the volumes, which have as many chapters as a chapter has blocks. Of blocks and chapters only those are looked at that
-- something came to.
create or replace function fold_lot_arrivals(block_size integer default 1024, chapter_size integer default 64) returns integer language plpgsql
-- Each count by its key, however few of them the planner thinks there are.
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

-- Binds all chapters into volumes, whatever volumes there are.
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
  perform bind_lot_volumes();
end
$$;

select bind_lot_volumes();

revoke all on transaction_volume_count, lot_volume, lot_volume_count from public;
revoke all on function cut_lot_volume, bind_lot_volumes from public;
grant select on transaction_volume_count, lot_volume, lot_volume_count to inventory_api, inventory_worker, inventory_operator;
grant insert, update on transaction_volume_count, lot_volume, lot_volume_count to inventory_worker;
grant execute on function cut_lot_volume to inventory_worker;
