-- Stock levels and lots. docs/reads.md gives the cost of each index and the lists that need it.

-- The gate: each change of stock of an item in a warehouse locks this row. There is no index on a quantity,
-- and every page has room, so updates stay on their page (HOT). Every batch writes this table; frequent
-- vacuums keep it small.
create table stock_level (
  part_no integer not null references item,
  wid integer not null references warehouse,
  in_stock numeric not null default 0 check (in_stock >= 0 and in_stock < 1e15),
  on_hold numeric not null default 0 check (on_hold >= 0 and on_hold <= in_stock),
  on_order numeric not null default 0 check (on_order >= 0 and on_order < 1e15),
  committed numeric not null default 0 check (committed >= 0 and committed < 1e15),
  packed numeric not null default 0 check (packed >= 0 and packed < 1e15),
  asn numeric not null default 0 check (asn >= 0 and asn < 1e15),
  -- false until there was stock or an order quantity, so a gate that was made for a refused request is not
  -- listed
  used boolean not null default false,
  modified timestamptz(3) not null default change_moment(),
  primary key (part_no, wid)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

create index stock_level_wid_idx on stock_level (wid, part_no) where used;
-- Levels change with every transaction. This index summarizes groups of pages, not rows, so updates stay HOT.
-- Changes since a time are found by reading the pages that have changed since.
create index stock_level_modified_idx on stock_level using brin (modified)
  with (pages_per_range = 4, autosummarize = on);

create function note_order_quantities() returns trigger language plpgsql as $$
begin
  perform note_change('level', new.wid, new.part_no);
  return null;
end
$$;

-- For the change feed. The other quantities follow from the lots. Batches name none of these columns.
create trigger stock_level_ordered after insert on stock_level
  for each row when (new.on_order <> 0 or new.committed <> 0 or new.packed <> 0 or new.asn <> 0)
  execute function note_order_quantities();
create trigger stock_level_order_changed after update of on_order, committed, packed, asn on stock_level
  for each row when (
    (old.on_order, old.committed, old.packed, old.asn) is distinct from (new.on_order, new.committed, new.packed, new.asn)
  )
  execute function note_order_quantities();

create sequence lot_rec_no_seq;

-- A lot is stock of an item that was received at one time and is at one spot. It changes a few times and then
-- never again. Scans of the indexes for picks and lists pass over its old versions until they are vacuumed,
-- so vacuum runs after a fiftieth of the table has changed, not a fifth. No foreign key to its level: the
-- batch that writes a lot has locked the level, and nobody may delete levels or lots. The audit would find a
-- lot without a level (docs/decisions/0027).
create table lot (
  rec_no bigint primary key default nextval('lot_rec_no_seq'),
  part_no integer not null,
  wid integer not null,
  spot text collate "C" not null default '',
  units numeric not null check (units >= 0 and units < 1e12 and scale(units) <= 6),
  received timestamptz(3) not null,
  shipped timestamptz(3),
  expires timestamptz(3),
  serial text collate "C" not null default '',
  serial2 text collate "C",
  rfid_tag text collate "C",
  remark text collate "C" not null default '',
  hold boolean not null default false,
  hold_reason text collate "C",
  owner integer not null default 0,
  job_id integer not null default 0,
  price numeric,
  net_weight numeric,
  gross_weight numeric,
  supplier integer,
  line integer,
  reference text collate "C",
  reason_code integer,
  -- the lot from which a move split this one
  from_rec_no bigint,
  active boolean not null default true,
  modified timestamptz(3) not null,
  check (active = (units > 0)),
  check (active = (shipped is null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 1000000, autovacuum_analyze_scale_factor = 0.02);

alter sequence lot_rec_no_seq owned by lot.rec_no;

-- No index contains the units or the time of the last change. So an issue of a part of a lot is a HOT update,
-- which writes to no index (docs/decisions/0028).

-- In the order of the lists. Every list begins with warehouses or an item. None of these columns ever changes
-- except `hold`, so these indexes only cost time on inserts.
create index lot_list_by_warehouse_idx on lot (wid, received desc, rec_no desc);
create index lot_item_idx on lot (part_no, wid, received desc, rec_no desc);
create index lot_hold_idx on lot (wid, received desc, rec_no desc) where hold;

-- One index for each kind of pick. It finds the lots that a transaction may take in the order of allocation
-- (earliest expiry, none last, then received, then recNo), however many other lots the item has. Lots on hold
-- are never picked. A lot that never expires has 'infinity' there, so that one range contains all lots that
-- have not expired. src/batch/picks/pick-statements.ts has a statement for each index.
create index lot_pick_serial_idx on lot (part_no, wid, serial, (coalesce(expires, 'infinity')), received, rec_no)
  where active and not hold and serial <> '';
create index lot_pick_serial2_idx on lot (part_no, wid, serial2, (coalesce(expires, 'infinity')), received, rec_no)
  where active and not hold and serial2 is not null;
create index lot_pick_rfid_idx on lot (part_no, wid, rfid_tag, (coalesce(expires, 'infinity')), received, rec_no)
  where active and not hold and rfid_tag is not null;
-- Lots without a spot, so that a put-away finds them among any number of lots with one. A lot is either in
-- this index or in lot_spot_wid_idx.
create index lot_pick_no_spot_idx on lot (part_no, wid, (coalesce(expires, 'infinity')), received, rec_no)
  where active and not hold and spot = '';

-- `rec_no > 0` is true for every lot, but only statements that ask for any lot contain it. Without it, these
-- indexes could also serve a pick by a field, with that field as a filter. On a table that was never
-- analysed, both look equally cheap, and the plan that scans all lots of the item could be chosen and kept.
create index lot_pick_any_idx on lot (part_no, wid, (coalesce(expires, 'infinity')), received, rec_no)
  where active and not hold and rec_no > 0;
-- Lots on hold, also in the order of the picks, because with sorting off no other index has that order.
create index lot_held_any_idx on lot (part_no, wid, (coalesce(expires, 'infinity')), received, rec_no)
  where active and hold and rec_no > 0;
create index lot_held_of_serial_idx on lot (part_no, wid, serial, (coalesce(expires, 'infinity')), received, rec_no)
  where active and hold and serial <> '';

-- The filters of the lists search only in the caller's warehouses, so that they reveal nothing about others.
-- Most lots do not have these fields.
create index lot_serial_wid_idx on lot (serial, wid) where serial <> '';
create index lot_serial2_wid_idx on lot (serial2, wid) where serial2 is not null;
create index lot_rfid_wid_idx on lot (rfid_tag, wid) where rfid_tag is not null;
create index lot_job_wid_idx on lot (job_id, wid) where job_id <> 0;
-- Almost every lot has a spot, so lists by spot and picks share an index. Another one would slow down every
-- write of a lot by some percent.
create index lot_spot_wid_idx
  on lot (spot, wid, part_no, active, hold, (coalesce(expires, 'infinity')), received, rec_no) where spot <> '';
