-- The number of transactions before a page, without counting them. They are counted in blocks of 1,024
-- numbers; 64 blocks form a chapter, 64 chapters a volume. Numbers never change and are never reused, so a
-- block is never cut; a block with refused or unused numbers has a smaller count. A count is for one
-- warehouse, or for two that were touched together (the lower one first; 0: none). The total for a set of
-- warehouses is the sum of all counts that include one of them, so a transaction between two of them counts
-- once.

-- The count of a block.
create table transaction_block_count (
  chapter bigint not null,
  block bigint not null,
  wid integer not null,
  other_wid integer not null,
  transactions integer not null check (transactions between 0 and 1024),
  primary key (chapter, block, wid, other_wid)
) with (fillfactor = 50);

-- The count of a chapter: the sum of its blocks.
create table transaction_chapter_count (
  chapter bigint not null,
  wid integer not null,
  other_wid integer not null,
  transactions integer not null check (transactions between 0 and 65536),
  primary key (chapter, wid, other_wid)
) with (fillfactor = 50);

-- The count of a volume: the sum of its chapters.
create table transaction_volume_count (
  volume bigint not null,
  wid integer not null,
  other_wid integer not null,
  transactions integer not null check (transactions between 0 and 4194304),
  primary key (volume, wid, other_wid)
) with (fillfactor = 50);

-- Changes that the counts do not include yet, as with lots. The statement that writes a batch adds to it
-- (src/batch/write-batch.ts). There is no trigger, because only batches apply transactions, and a trigger
-- would slow down every request.
create table transaction_arrival (
  block bigint not null,
  wid integer not null,
  other_wid integer not null,
  transactions integer not null
);

-- The same rules as for fold_item_arrivals(); the table to lock is transaction_block_count.
create function fold_transaction_arrivals() returns integer language plpgsql as $$
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

-- Counts all transactions again, ignoring the current counts.
create function recount_transactions() returns void language plpgsql as $$
begin
  -- No transaction may come between the counts and the arrivals.
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
