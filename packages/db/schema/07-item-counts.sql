-- The number of items before a page, without counting them. The items are cut by shortID into blocks of about
-- a thousand, each with its count. Adding up blocks finds a page; adding up all blocks gives the total. A
-- write never changes a count, because it would wait for every other write near it. Instead, a trigger adds a
-- row to item_arrival, and fold_item_arrivals() moves these rows into the counts in one transaction. So at
-- any moment, counts plus arrivals are exactly the visible items.

-- The blocks, with the counts of all items and of items that are not discontinued.
create table item_block (
  -- the first shortID of the block; it ends before the next block
  block text collate "C" primary key,
  items integer not null check (items >= 0),
  active integer not null check (active between 0 and items)
) with (fillfactor = 50);

insert into item_block (block, items, active) values ('', 0, 0);

-- Changes that the counts do not include yet. No index, because it is short and read as a whole.
create table item_arrival (
  short_id text collate "C" not null,
  items integer not null,
  active integer not null
);

create function note_items() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'DELETE' then -1 else 1 end;
begin
  if tg_op = 'UPDATE' then
    insert into item_arrival (short_id, items, active)
    values (old.short_id, -1, -(not old.discontinued)::integer), (new.short_id, 1, (not new.discontinued)::integer);
  else
    insert into item_arrival (short_id, items, active)
    select short_id, sign, sign * (not discontinued)::integer
    from changed;
  end if;
  return null;
end
$$;

create trigger item_added after insert on item referencing new table as changed
  for each statement execute function note_items();
-- The service never removes items. If an operator does, the counts stay correct.
create trigger item_removed after delete on item referencing old table as changed
  for each statement execute function note_items();
create trigger item_changed after update of discontinued, short_id on item
  for each row when (old.discontinued <> new.discontinued or old.short_id <> new.short_id)
  execute function note_items();

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

-- Folds the arrivals into the counts, and cuts each block that has grown to twice its size. Returns the
-- number of arrivals. Must run in a REPEATABLE READ transaction that has locked item_block before anything
-- else: so the items that it sees when it cuts a block match the counts and arrivals, and no other fold runs.
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

-- Counts all items again, ignoring the current counts.
create function recount_items() returns void language plpgsql as $$
begin
  lock table item in share row exclusive mode;
  truncate item_block, item_arrival;
  insert into item_block (block, items, active) values ('', 0, 0);
  perform cut_item_block('', 1024);
end
$$;
