-- How far the audit in the background is, and what it found: see src/audit-slice.ts. Neither is in a backup.

-- One row. A pass goes over the lots by their numbers, then over the levels by theirs.
create table audit_progress (
  only_one boolean primary key default true check (only_one),
  lot_after bigint not null default 0,
  -- The newest lot when the pass began, null before that: with lots that come faster than they are compared it would never end.
  lot_until bigint,
  -- null: the pass is still at the lots
  level_after_part_no integer,
  level_after_wid integer,
  pass_started timestamptz not null default now(),
  pass_finished timestamptz,
  -- when the next slice may be looked at
  due timestamptz not null default clock_timestamp()
) with (fillfactor = 50);

insert into audit_progress default values;

-- Where levels, lots and entries did not agree; rec_no 0: the level itself.
create table audit_drift (
  check_name text not null,
  part_no integer not null,
  wid integer not null,
  rec_no bigint not null,
  expected numeric not null,
  found numeric not null,
  first_seen timestamptz not null default now(),
  last_seen timestamptz not null default now(),
  primary key (check_name, part_no, wid, rec_no)
);

grant select, update on audit_progress to inventory_worker;
grant select, insert, update, delete on audit_drift to inventory_worker;
grant select on audit_progress, audit_drift to inventory_operator;
grant select on audit_drift to inventory_api;
