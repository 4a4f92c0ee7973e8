-- Minimums: the units of an item that should be available in a warehouse (docs/decisions/0044).

alter table stock_level add column minimum numeric;
alter table stock_level
  add constraint stock_level_minimum_check check (minimum >= 0 and minimum < 1e15 and scale(minimum) <= 6) not valid;

-- The gates that have fewer available. A table of its own: an index for it on stock_level would take long to
-- build, and contain a quantity.
create table low_level (
  wid integer not null,
  part_no integer not null,
  primary key (wid, part_no)
);

-- A minimum that was set is told as a change of the level, together with its order quantities.
create or replace trigger stock_level_ordered after insert on stock_level
  for each row when (
    new.on_order <> 0 or new.committed <> 0 or new.packed <> 0 or new.asn <> 0 or new.minimum is not null
  )
  execute function note_order_quantities();
create or replace trigger stock_level_order_changed after update of on_order, committed, packed, asn, minimum
  on stock_level
  for each row when (
    (old.on_order, old.committed, old.packed, old.asn, old.minimum)
      is distinct from (new.on_order, new.committed, new.packed, new.asn, new.minimum)
  )
  execute function note_order_quantities();

alter table change
  drop constraint change_kind_check,
  drop constraint change_check1,
  -- Of a gate that went below its minimum, or that is no longer below it: both as they were then.
  add column minimum numeric,
  add column available numeric;
alter table change
  add constraint change_kind_check check (kind in ('item', 'level', 'warehouse', 'hold', 'low')) not valid,
  add constraint change_check1 check ((kind in ('item', 'level', 'low')) = (part_no is not null)) not valid,
  add constraint change_low_check check ((kind = 'low') = (available is not null)) not valid;

-- Runs in the transaction that changes the level, under the lock of its row, so these changes alternate for
-- each gate. Whatever changes a level tells it: batches, also of a version before, and the command line.
create function note_low() returns trigger language plpgsql as $$
declare
  available numeric := new.in_stock - new.on_hold - new.committed - new.packed;
begin
  if available < new.minimum then
    insert into low_level (wid, part_no) values (new.wid, new.part_no) on conflict do nothing;
  else
    delete from low_level where low_level.wid = new.wid and low_level.part_no = new.part_no;
  end if;
  perform change_moment();
  insert into change (change_no, kind, wid, part_no, minimum, available)
  values (nextval('stock_transaction_no_seq'), 'low', new.wid, new.part_no, new.minimum, available);
  return null;
end
$$;

-- Triggers of a row run by name, so this one is after the change of the level.
create trigger stock_level_under_minimum_added after insert on stock_level
  for each row when (new.in_stock - new.on_hold - new.committed - new.packed < new.minimum)
  execute function note_low();
create trigger stock_level_under_minimum_changed after update of in_stock, on_hold, committed, packed, minimum on stock_level
  for each row when (
    (old.minimum is not null or new.minimum is not null)
    and coalesce(old.in_stock - old.on_hold - old.committed - old.packed < old.minimum, false)
      <> coalesce(new.in_stock - new.on_hold - new.committed - new.packed < new.minimum, false)
  )
  execute function note_low();

alter table webhook drop constraint webhook_kinds_check;
alter table webhook
  add constraint webhook_kinds_check
    check (cardinality(kinds) > 0 and kinds <@ array['stock', 'hold', 'item', 'level', 'warehouse', 'low']) not valid;

grant select, insert, delete on low_level to inventory_api, inventory_worker, inventory_operator;
-- The api sets minimums.
grant insert (part_no, wid, minimum, used), update (minimum, used, modified) on stock_level to inventory_api;
grant insert (wid, minimum, available) on change to inventory_api;
grant insert on level_arrival to inventory_api;
grant execute on function note_change to inventory_api;
grant insert (minimum), update (minimum) on stock_level to inventory_operator;
