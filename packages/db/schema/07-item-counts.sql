-- How many items there are before a page, without counting them. The items are cut by shortID into blocks of
-- about a thousand, each with its count. A page is found by adding up blocks, a total by adding up all of
-- them.
--
-- A write never touches a count: it would wait for every other write near it. A trigger leaves a row in
-- item_arrival, and fold_item_arrivals() brings those into the counts, all in one transaction. So at any
-- moment counts and arrivals together are exactly the items that can be seen at that moment.

-- The blocks, with the counts of all items and of those that are not discontinued.
create table item_block (
  -- The shortID from which on an item belongs to the block; up to the next block's.
  block text collate "C" primary key,
  items integer not null check (items >= 0),
  active integer not null check (active between 0 and items)
) with (fillfactor = 50);

insert into item_block (block, items, active) values ('', 0, 0);

-- Changes that the counts do not hold yet. No index: it is short, and read whole.
create table item_arrival (
  short_id text collate "C" not null,
  items integer not null,
  active integer not null
);

create function note_items_added() returns trigger language plpgsql as $$
begin
  insert into item_arrival (short_id, items, active)
  select short_id, 1, (not discontinued)::integer
  from added;
  return null;
end
$$;

create function note_items_removed() returns trigger language plpgsql as $$
begin
  insert into item_arrival (short_id, items, active)
  select short_id, -1, -(not discontinued)::integer
  from removed;
  return null;
end
$$;

create function note_item_changed() returns trigger language plpgsql as $$
begin
  insert into item_arrival (short_id, items, active)
  values (old.short_id, -1, -(not old.discontinued)::integer), (new.short_id, 1, (not new.discontinued)::integer);
  return null;
end
$$;

create trigger item_added after insert on item referencing new table as added
  for each statement execute function note_items_added();
-- No part of the service removes items; if an operator does, the counts stay right.
create trigger item_removed after delete on item referencing old table as removed
  for each statement execute function note_items_removed();
create trigger item_changed after update of discontinued, short_id on item
  for each row when (old.discontinued <> new.discontinued or old.short_id <> new.short_id)
  execute function note_item_changed();

-- Cuts a block into blocks of `size` items and counts them.
create function cut_item_block(cut text, size integer) returns void language plpgsql as $$
declare
  until text := (select min(block) from item_block where block > cut);
begin
  with placed as (
    select short_id, discontinued, row_number() over (order by short_id) - 1 as place
    from item
    where short_id >= cut and (until is null or short_id < until)
  )
  insert into item_block (block, items, active)
  select case when place / size = 0 then cut else min(short_id) end, count(*), count(*) filter (where not discontinued)
  from placed
  group by place / size
  order by place / size
  on conflict (block) do update
  set items = excluded.items, active = excluded.active;
end
$$;

-- Brings the arrivals into the counts, and cuts each block that has grown to twice its size. Returns how many
-- arrivals that were. Must run in a transaction of REPEATABLE READ that has locked item_block before it did
-- anything else: then the items that it sees when it cuts a block are those of the counts and the arrivals,
-- and nobody else folds.
create function fold_item_arrivals(block_size integer) returns integer language plpgsql as $$
declare
  folded integer;
  grown record;
begin
  if current_setting('transaction_isolation') <> 'repeatable read' then
    raise exception 'fold_item_arrivals() needs repeatable read';
  end if;
  with taken as (
    delete from item_arrival
    returning short_id, items, active
  ), by_block as (
    update item_block
    set items = item_block.items + added.items, active = item_block.active + added.active
    from (
      select block, sum(taken.items) as items, sum(taken.active) as active
      from taken
      cross join lateral (
        select block from item_block where block <= short_id order by block desc limit 1
      ) as of_block
      group by block
    ) as added
    where item_block.block = added.block
  )
  select count(*) into folded from taken;
  if folded > 0 then
    for grown in select block from item_block where items > 2 * block_size loop
      perform cut_item_block(grown.block, block_size);
    end loop;
  end if;
  return folded;
end
$$;

-- Counts every item anew, whatever the counts say.
create function recount_items() returns void language plpgsql as $$
begin
  lock table item in share row exclusive mode;
  truncate item_block, item_arrival;
  insert into item_block (block, items, active) values ('', 0, 0);
  perform cut_item_block('', 1024);
end
$$;
