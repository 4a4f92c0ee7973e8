-- What this database is, and which processes may work on it.
--
-- In all of these files: text that is sorted or compared uses collation "C", one order on every machine and
-- the fastest. Quantities are numeric, below 1e12 with at most 6 digits after the point; NaN is greater than
-- every number, so the upper bound also keeps it out.

-- The steps that made the tables: 1 is these files, each later one a file of packages/db/migrations. The
-- checksum is that of the text that was run (src/schema-steps.ts), so a file that was edited since is
-- noticed.
create table schema_version (
  version integer primary key,
  name text not null,
  checksum text not null,
  applied timestamptz(3) not null default clock_timestamp()
);

-- One row. Code that knows version `oldest`, and all later code, works with these tables. A migration that
-- only adds leaves it as it is, so api and worker of the version before go on, and start again, beside those
-- of the next one. A migration that removes something that this code uses sets it to the first version that
-- does not use it any more, and comes a release later than that.
create table schema_compatibility (
  is_only boolean primary key default true check (is_only),
  oldest integer not null check (oldest > 0)
);

insert into schema_compatibility (oldest) values (1);

-- One row. A database that was restored from a backup is another one, also when it has the same address: a
-- reference to what it held after the backup (the place of a reader in it, say) must be refused, not
-- believed.
create table database_identity (
  is_only boolean primary key default true check (is_only),
  id uuid not null default gen_random_uuid(),
  since timestamptz(3) not null default clock_timestamp(),
  -- The moment of the backup that it was restored from; null: it never was.
  restored_to timestamptz(3)
);

insert into database_identity default values;
