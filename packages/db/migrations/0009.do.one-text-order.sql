-- Text sorts by code point in every list, whatever order the database was made with.
alter table item
  alter column description type text collate "C",
  alter column uom type text collate "C",
  alter column put_up type text collate "C",
  alter column created_by type text collate "C";

alter table warehouse alter column name type text collate "C";

alter table lot
  alter column remark type text collate "C",
  alter column hold_reason type text collate "C",
  alter column reference type text collate "C";
