-- The items that have a stock level, without reading the levels. A list over several warehouses has one
-- record for each item that is used in any of them. Counts cannot be added up for that, but sets can be
-- united: one bit for each item. As with items (07-item-counts.sql), a batch never changes a set: it adds a
-- row to level_arrival, which fold_level_arrivals() folds in.

-- A set is cut into blocks of 8,192 items, 1 KB each.
create table level_set (
  wid integer not null,
  -- part_no / 8192
  block integer not null,
  -- the bit part_no % 8192, from the left: whether the item has a used level in the warehouse
  used bit(8192) not null,
  primary key (wid, block)
);

-- A row only says that a gate must be looked at.
create table level_arrival (
  wid integer not null,
  part_no integer not null
);

create function note_level_used() returns trigger language plpgsql as $$
begin
  insert into level_arrival (wid, part_no) values (new.wid, new.part_no);
  return null;
end
$$;

create function note_level_gone() returns trigger language plpgsql as $$
begin
  update level_set
  set used = set_bit(used, old.part_no % 8192, 0)
  where wid = old.wid and block = old.part_no / 8192;
  return null;
end
$$;

-- A batch adds gates that are not used yet.
create trigger level_added after insert on stock_level
  for each row when (new.used) execute function note_level_used();
create trigger level_used after update of used on stock_level
  for each row when (new.used and not old.used) execute function note_level_used();
-- The service does neither of these. If an operator does, the sets stay correct.
create trigger level_unused after update of used on stock_level
  for each row when (old.used and not new.used) execute function note_level_gone();
create trigger level_removed after delete on stock_level
  for each row when (old.used) execute function note_level_gone();

-- The same rules as for fold_item_arrivals(); the table to lock is level_set.
create function fold_level_arrivals() returns integer language plpgsql as $$
declare
  folded integer;
begin
  if current_setting('transaction_isolation') <> 'repeatable read' then
    raise exception 'fold_level_arrivals() needs repeatable read';
  end if;
  with taken as (
    delete from level_arrival
    returning wid, part_no
  ), joining as (
    select wid, part_no / 8192 as block, bit_or(set_bit(b'0'::bit(8192), part_no % 8192, 1)) as used
    from (select distinct wid, part_no from taken) as arrived
    join stock_level using (wid, part_no)
    where stock_level.used
    group by wid, part_no / 8192
  ), united as (
    insert into level_set (wid, block, used)
    select wid, block, used
    from joining
    order by wid, block
    on conflict (wid, block) do update
    set used = level_set.used | excluded.used
  )
  select count(*) into folded from taken;
  return folded;
end
$$;

-- Builds the sets again, ignoring the current ones.
create function collect_levels() returns void language plpgsql as $$
begin
  lock table stock_level in share row exclusive mode;
  truncate level_set, level_arrival;
  insert into level_set (wid, block, used)
  with words as (
    select wid, part_no / 8192 as block, part_no % 8192 / 32 as word, bit_or(b'1'::bit(32) >> part_no % 32) as used
    from stock_level
    where used
    group by 1, 2, 3
  )
  select wid, block, string_agg(coalesce(used, b'0'::bit(32))::text, '' order by word)::bit(8192)
  from (select distinct wid, block from words) as blocks
  cross join generate_series(0, 255) as word
  left join words using (wid, block, word)
  group by wid, block
  order by wid, block;
end
$$;
