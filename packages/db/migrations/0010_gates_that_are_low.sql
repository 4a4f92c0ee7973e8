-- A gate that is deleted is no longer low, whoever deletes it.
-- In the order in which batches lock them.
lock table stock_level, low_level in share row exclusive mode;
delete from low_level
where not exists (
  select from stock_level where stock_level.part_no = low_level.part_no and stock_level.wid = low_level.wid
);
alter table low_level
  add constraint low_level_gate_fkey foreign key (part_no, wid) references stock_level on delete cascade not valid;
