-- The number of lots or transactions before a page, without counting them. The cost does not depend on how
-- many there are, or on where the page is. As with items (07-item-counts.sql), a write never changes a count:
-- it adds arrivals, which fold_list_arrivals() folds in. But the sizes are fixed, so that nothing is cut.
--
-- Each record has a position: a lot its time of receipt in milliseconds since 1970, a transaction its number.
-- A bucket contains all records with neighbouring positions: 2,048 positions in tier 0 (two seconds or 2,048
-- numbers), and 128 buckets of the tier below in each further tier, up to tier 3 (50 days or four thousand
-- million numbers). To find a page, the buckets of tier 3 are added up, then in each tier those inside the
-- buckets that contain the page: see src/lists/pages/way-to-page.ts. The total is the sum of tier 3.

-- The records of a warehouse in a bucket. Without checks: a row to be added to another one may be negative.
create table list_count (
  list text collate "C" not null,
  tier smallint not null,
  wid integer not null,
  -- 0. Or a higher warehouse: records that touched both, which each of the two counts. They are negative, so
  -- that the sum over all rows that name only warehouses of a scope counts each record once.
  other_wid integer not null,
  -- position >> 11 + 7 * tier
  bucket bigint not null,
  records bigint not null,
  -- of these, the lots in stock; 0 for transactions
  active bigint not null,
  primary key (list, tier, wid, bucket, other_wid)
) with (fillfactor = 80);

-- Changes that the counts do not include yet, by bucket of tier 0. No index, because it is short and read as
-- a whole. Triggers add those of lots. Those of transactions are added by the statement that writes a batch
-- (src/batch/write-batch.ts), because only batches apply transactions, and a trigger would slow down every
-- request.
create table list_arrival (
  list text collate "C" not null check (list in ('lots', 'transactions')),
  wid integer not null,
  other_wid integer not null,
  bucket bigint not null,
  records integer not null,
  active integer not null
);

-- The bucket of tier 0 of a time of receipt, which cannot be infinite.
create function lot_bucket(received timestamptz) returns bigint language sql stable as $$
  select (extract(epoch from received) * 1000)::bigint >> 11
$$;

-- How a transaction that touched these warehouses is counted: once for each, and once less for both together.
-- Without a second warehouse, only the first row remains. The batch and the recount ask here.
create function counted_for(wid integer, to_wid integer)
returns table (of_wid integer, other_wid integer, sign integer) language sql immutable as $$
  select of_wid, other_wid, sign
  from (
    values ($1, 0, 1), ($2, 0, 1), (least($1, $2), greatest($1, $2), -1)
  ) as touched (of_wid, other_wid, sign)
  where of_wid <> other_wid
$$;

create function note_lots() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'DELETE' then -1 else 1 end;
begin
  if tg_op = 'UPDATE' then
    insert into list_arrival (list, wid, other_wid, bucket, records, active)
    values ('lots', old.wid, 0, lot_bucket(old.received), -1, -old.active::integer),
      ('lots', new.wid, 0, lot_bucket(new.received), 1, new.active::integer);
  else
    insert into list_arrival (list, wid, other_wid, bucket, records, active)
    select 'lots', wid, 0, lot_bucket(received), sign * count(*), sign * count(*) filter (where active)
    from changed
    group by wid, lot_bucket(received);
  end if;
  return null;
end
$$;

create trigger lot_added after insert on lot referencing new table as changed
  for each statement execute function note_lots();
-- For each lot that became empty. Lots that keep some units, which are most of a batch, cost nothing. The
-- service never changes a lot's warehouse or time of receipt and never removes a lot. If an operator does,
-- the counts stay correct.
create trigger lot_changed after update of active, wid, received on lot
  for each row when (old.active <> new.active or old.wid <> new.wid or old.received <> new.received)
  execute function note_lots();
create trigger lot_removed after delete on lot referencing old table as changed
  for each statement execute function note_lots();

-- Folds the arrivals into the counts. The same rules as for fold_item_arrivals(); the table to lock is
-- list_count.
create function fold_list_arrivals() returns integer language plpgsql as $$
declare
  folded integer;
begin
  if current_setting('transaction_isolation') <> 'repeatable read' then
    raise exception 'fold_list_arrivals() needs repeatable read';
  end if;
  with taken as (
    delete from list_arrival
    returning list, wid, other_wid, bucket, records, active
  ), counted as (
    insert into list_count as known (list, tier, wid, other_wid, bucket, records, active)
    select list, tier, wid, other_wid, bucket >> 7 * tier, sum(records), sum(active)
    from taken
    cross join generate_series(0, 3) as tier
    group by 1, 2, 3, 4, 5
    -- next to each other, as they are read
    order by 1, 2, 3, 5
    on conflict (list, tier, wid, bucket, other_wid) do update
    set records = known.records + excluded.records, active = known.active + excluded.active
  )
  select count(*) into folded from taken;
  return folded;
end
$$;

-- The counts as they should be, from the lots and transactions themselves.
create function count_lists() returns setof list_count language sql stable as $$
  select list, tier::smallint, wid, other_wid, bucket >> 7 * tier, sum(records)::bigint, sum(active)::bigint
  from (
    select 'lots' as list, wid, 0 as other_wid, lot_bucket(received) as bucket, count(*) as records,
      count(*) filter (where active) as active
    from lot
    group by wid, lot_bucket(received)
    union all
    select 'transactions', of_wid, other_wid, bucket, sign * records, 0
    from (
      select wid, to_wid, transaction_no >> 11 as bucket, count(*) as records
      from stock_transaction
      where wid is not null
      group by 1, 2, 3
    ) as made
    cross join lateral counted_for(wid, to_wid)
  ) as found
  cross join generate_series(0, 3) as tier
  group by 1, 2, 3, 4, 5
$$;

-- Counts all lots and transactions again, ignoring the current counts.
create function recount_lists() returns void language plpgsql as $$
begin
  -- No record may come between the counts and the arrivals. In the order of a batch, which would otherwise
  -- wait for this and be waited for.
  lock table stock_transaction, lot in share row exclusive mode;
  truncate list_count, list_arrival;
  insert into list_count
  select *
  from count_lists()
  order by list, tier, wid, bucket;
end
$$;
