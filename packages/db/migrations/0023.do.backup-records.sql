-- Which backups were made, so that their age can be told: by `doctor`, by the metrics of an api, and by an alert. A row for each; the files
-- themselves are elsewhere.
create table backup_record (
  -- All that was acknowledged before this moment is in it.
  taken_at timestamptz(3) not null,
  -- What was copied: host, port and name, as the command reached it; of a restored database the identity of the one that it comes from.
  server text collate "C" not null,
  -- Of the file; null where something else made the backup.
  bytes bigint check (bytes >= 0),
  made_by text collate "C" not null,
  noted timestamptz(3) not null default clock_timestamp(),
  primary key (taken_at, server)
);

revoke all on backup_record from public;
grant select on backup_record to inventory_api, inventory_operator;
grant insert (taken_at, server, bytes, made_by) on backup_record to inventory_operator;
