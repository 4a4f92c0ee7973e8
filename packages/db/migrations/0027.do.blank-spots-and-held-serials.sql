-- Runs outside a transaction.
-- Lots without a spot, in the order of the picks: what is put away from nowhere is found beside any number of lots that lie somewhere.
-- A lot is in this index or in lot_spot_idx.
create index concurrently if not exists lot_pick_no_spot_idx
  on lot (part_no, wid, (coalesce(expires, 'infinity')), received, rec_no) where active and not hold and spot = '';

-- Counts by serial ask what is on hold of it.
create index concurrently if not exists lot_held_serial_idx on lot (part_no, wid, serial) where active and hold and serial <> '';
