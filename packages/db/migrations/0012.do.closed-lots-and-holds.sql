-- A lot without units has no hold; and what is on hold beside stock that is too little is found by an index of its own.
update lot
set hold = false, hold_reason = null, modified = date_trunc('milliseconds', clock_timestamp())
where hold and not active;

create index lot_held_idx on lot (part_no, wid) where active and hold;
