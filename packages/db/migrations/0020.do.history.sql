-- What happened: applied transactions as a list, by the warehouses that they touched, by item, by lot and by moment, and how many of them
-- there are before a page, without counting them.
--
-- Fills what is there, which writes every row of stock_transaction once more and takes about a minute for a million of them; nobody reads or
-- writes it meanwhile.

-- The item and the warehouse of an applied transaction, and the other warehouse of one that moved between two; a reversal has those of
-- what it undid. They are there, too, for a count that changed nothing and so has no entries. All three are null for anything else.
alter table stock_transaction
  add column part_no integer,
  add column wid integer,
  add column to_wid integer;

alter table stock_transaction disable trigger stock_transaction_append_only;
update stock_transaction
set part_no = item.part_no, wid = (undone.body->>'wid')::integer,
  to_wid = nullif((undone.body->>'shipToWid')::integer, (undone.body->>'wid')::integer)
from stock_transaction as undone
join item on item.short_id = undone.body->>'itemID'
where undone.transaction_no = coalesce(stock_transaction.reverses, stock_transaction.transaction_no)
  and stock_transaction.status = 'applied' and stock_transaction.kind in ('receive', 'move', 'issue', 'count', 'reverse');
alter table stock_transaction enable trigger stock_transaction_append_only;

-- The order of the list, for each warehouse; a transaction between two is in both.
create index stock_transaction_wid_idx on stock_transaction (wid, transaction_no) where wid is not null;
create index stock_transaction_to_wid_idx on stock_transaction (to_wid, transaction_no) where to_wid is not null;
-- An item's, counted without looking at the rows.
create index stock_transaction_item_idx on stock_transaction (part_no, transaction_no) include (wid, to_wid) where wid is not null;
create index stock_transaction_at_idx on stock_transaction (at) where wid is not null;
-- Rows without one are not in these, and cost nothing.
create index stock_transaction_reference_idx on stock_transaction ((body->>'reference'))
  where wid is not null and body->>'reference' is not null;
create index stock_transaction_device_id_idx on stock_transaction (device_id) where device_id is not null;
-- What happened to a lot.
create index stock_entry_lot_idx on stock_entry (rec_no, transaction_no, line);

-- Lots by what is scanned, and by job; most have none of these.
create index lot_serial2_idx on lot (serial2) where serial2 is not null;
create index lot_rfid_idx on lot (rfid_tag) where rfid_tag is not null;
create index lot_job_idx on lot (job_id) where job_id <> 0;

-- Transactions are counted in blocks of 1,024 numbers; 64 blocks are a chapter. Numbers never change and are never given back, so a block is
-- never cut; one of which some numbers were refused or never used holds less. A count is of one warehouse, or of two that were touched
-- together (the lower one first; 0: none): the total of a set of warehouses is the sum of all counts that have one of them, and what
-- touched two of them counts once.
create table transaction_block_count (
  chapter bigint not null,
  block bigint not null,
  wid integer not null,
  other_wid integer not null,
  transactions integer not null check (transactions between 0 and 1024),
  primary key (chapter, block, wid, other_wid)
) with (fillfactor = 50);

create table transaction_chapter_count (
  chapter bigint not null,
  wid integer not null,
  other_wid integer not null,
  transactions integer not null check (transactions between 0 and 65536),
  primary key (chapter, wid, other_wid)
) with (fillfactor = 50);

-- What the counts do not hold yet; see lot_arrival. The statement that writes a batch adds to it (src/batch/write-batch.ts), no trigger:
-- nobody else applies transactions, and one would cost every request more. No index: it is short, and read whole.
create table transaction_arrival (
  block bigint not null,
  wid integer not null,
  other_wid integer not null,
  transactions integer not null
);

-- Brings what arrived into the counts. Returns how many arrivals that were. Under the same rules as fold_lot_arrivals().
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
  )
  select count(*) into folded from taken;
  return folded;
end
$$;

-- Counts every transaction anew, whatever the counts say.
create function recount_transactions() returns void language plpgsql as $$
begin
  -- No transaction comes between what is counted and what has arrived.
  lock table stock_transaction in share row exclusive mode;
  truncate transaction_block_count, transaction_chapter_count, transaction_arrival;
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
end
$$;

select recount_transactions();

revoke all on transaction_block_count, transaction_chapter_count, transaction_arrival from public;
revoke all on function fold_transaction_arrivals, recount_transactions from public;
grant select on transaction_block_count, transaction_chapter_count, transaction_arrival
  to inventory_api, inventory_worker, inventory_operator;
grant insert, update on transaction_block_count, transaction_chapter_count to inventory_worker;
grant insert, delete on transaction_arrival to inventory_worker;
grant execute on function fold_transaction_arrivals to inventory_worker;
