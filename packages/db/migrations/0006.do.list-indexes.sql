-- What the filters of the lot lists and `modifiedSince` are found by; docs/reads.md has what each costs.

-- None of these columns ever changes, so these cost inserts only.
create index lot_item_idx on lot (part_no, wid, received desc, rec_no desc);
create index lot_serial_idx on lot (serial) where serial <> '';
create index lot_hold_idx on lot (wid, received desc, rec_no desc) where hold;

-- Changes with every change of a lot, which is then no longer HOT.
create index lot_modified_idx on lot (modified);
