-- Runs outside a transaction.
-- A pick by a field could be served by the index of all lots as well, with that field as a filter, and on a table that was never analysed
-- both look equally cheap: the one that passes over every lot of the item was taken, and its plan kept. `rec_no > 0` is true of every lot;
-- only the statements that ask for any lot say it, so nobody else can use these two. The indexes of lots on hold are in the order of the
-- picks: with sorting off nothing else has that order.
create index concurrently if not exists lot_pick_any_idx
  on lot (part_no, wid, (coalesce(expires, 'infinity')), received, rec_no) where active and not hold and rec_no > 0;
create index concurrently if not exists lot_held_any_idx
  on lot (part_no, wid, (coalesce(expires, 'infinity')), received, rec_no) where active and hold and rec_no > 0;
create index concurrently if not exists lot_held_of_serial_idx
  on lot (part_no, wid, serial, (coalesce(expires, 'infinity')), received, rec_no) where active and hold and serial <> '';

-- Code of the version before finds all it found; while it runs, its picks of any lot of a large item take longer.
drop index concurrently if exists lot_pick_idx;
drop index concurrently if exists lot_held_idx;
drop index concurrently if exists lot_held_serial_idx;
