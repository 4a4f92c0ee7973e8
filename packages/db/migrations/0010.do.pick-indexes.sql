-- One index for each kind of pick: what a transaction may take is found in the order of allocation (earliest expiry, none last,
-- then received, then recNo), however many lots of the item there are beside it. Lots on hold are never picked.
-- A lot that never expires has 'infinity' there, so that one range holds all that have not expired. Each ends in the same three, and src/pick-statements.ts has a statement for each.

drop index lot_pick_idx;
create index lot_pick_idx on lot (part_no, wid, (coalesce(expires, 'infinity')), received, rec_no) where active and not hold;
create index lot_pick_serial_idx on lot (part_no, wid, serial, (coalesce(expires, 'infinity')), received, rec_no)
  where active and not hold and serial <> '';
create index lot_pick_serial2_idx on lot (part_no, wid, serial2, (coalesce(expires, 'infinity')), received, rec_no)
  where active and not hold and serial2 is not null;
create index lot_pick_rfid_idx on lot (part_no, wid, rfid_tag, (coalesce(expires, 'infinity')), received, rec_no)
  where active and not hold and rfid_tag is not null;

-- Nearly every lot has a spot, so the lists by spot and the picks share an index: one more would cost every write of a lot some percent.
drop index lot_spot_idx;
create index lot_spot_idx on lot (spot, part_no, wid, active, hold, (coalesce(expires, 'infinity')), received, rec_no) where spot <> '';
