-- The identity of this database, and the processes that may work on it. In all of these files, text that is
-- sorted or compared uses collation "C": the same order on every machine, and the fastest. Quantities are
-- numeric, below 1e12 with at most 6 decimals. NaN is greater than every number, so the upper bound excludes
-- it, too.

-- The steps that created the tables: step 1 is these files, each later step a file of packages/db/migrations.
-- The checksum is that of the statements that ran (src/migrate/checksum.ts), so later edits of a file are
-- noticed, but for those of comments.
create table schema_version (
  version integer primary key,
  name text not null,
  checksum text not null,
  applied timestamptz(3) not null default clock_timestamp()
);

-- One row. Code that knows version `oldest`, and all later code, works with these tables. A migration that
-- only adds does not change it, so api and worker of the previous version continue, and can restart, beside
-- those of the next one. A migration that removes something that this code uses comes a release later, and
-- sets it to the first version that no longer uses it.
create table schema_compatibility (
  is_only boolean primary key default true check (is_only),
  oldest integer not null check (oldest > 0)
);

insert into schema_compatibility (oldest) values (1);

-- One row. A restored database has a new identity, even at the same address: a reference to data from after
-- the backup, such as a reader's position, must be refused.
create table database_identity (
  is_only boolean primary key default true check (is_only),
  id uuid not null default gen_random_uuid(),
  since timestamptz(3) not null default clock_timestamp(),
  -- the moment of the backup that it was restored from; null: never restored
  restored_to timestamptz(3)
);

insert into database_identity default values;
