-- Which processes may work on these tables.

-- One row. `oldest`: code whose newest migration is this one, and all that is newer, works with these tables. A migration that only adds
-- leaves it as it is, so api and worker of the version before go on, and start again, beside those of the next one. A migration that takes
-- something away that this code uses sets it to the first version that does not use it any more, and comes a release later than that.
create table schema_compatibility (
  is_only boolean primary key default true check (is_only),
  oldest integer not null check (oldest > 0)
);

insert into schema_compatibility (oldest) values (20);

grant select on schema_compatibility to inventory_api, inventory_worker, inventory_operator;
