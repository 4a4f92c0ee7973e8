-- Items, warehouses and clients.
-- Text that is sorted or compared uses collation "C": one order on every machine, and the fastest.

create table item (
  part_no integer generated always as identity primary key,
  short_id text collate "C" not null constraint item_short_id_key unique check (short_id <> ''),
  description text not null default '',
  category integer not null default 0,
  sub_category integer not null default 0,
  uom text not null default 'EA',
  put_up text not null default '',
  units numeric not null default 1 check (units >= 0 and units < 1e12),
  dflt_owner integer not null default 0,
  discontinued boolean not null default false,
  created timestamptz(3) not null default now(),
  created_by text not null,
  modified timestamptz(3) not null default now()
);

create index item_active_idx on item (short_id) where not discontinued;
create index item_category_idx on item (category, short_id) where not discontinued;
create index item_modified_idx on item (modified);

create table item_alias (
  alias text collate "C" primary key check (alias <> ''),
  part_no integer not null references item
);

create index item_alias_part_no_idx on item_alias (part_no);

-- An alias never equals a shortID. Adding an alias takes a lock on the item table that waits for creates under way
-- (add-alias in src/aliases.ts); this trigger is the other half: a create sees every alias added before it.
create function refuse_short_id_of_alias() returns trigger language plpgsql as $$
begin
  if exists (select from item_alias where alias = new.short_id) then
    raise unique_violation using constraint = 'item_alias_pkey', message = 'an alias has this name';
  end if;
  return new;
end
$$;

create trigger item_short_id_is_no_alias before insert on item
  for each row execute function refuse_short_id_of_alias();

create table warehouse (
  wid integer primary key check (wid > 0),
  name text not null check (name <> ''),
  created timestamptz(3) not null default now()
);

create table security_group (
  group_id integer generated always as identity primary key,
  name text not null unique,
  permissions integer[] not null
);

create table client (
  client_id text collate "C" primary key check (client_id <> ''),
  group_id integer not null references security_group,
  read_only boolean not null default false,
  -- requests in any 60 s; null: the service's default
  rate_limit integer check (rate_limit > 0),
  disabled boolean not null default false,
  created timestamptz(3) not null default now()
);

create index client_group_id_idx on client (group_id);

create table client_secret (
  client_id text collate "C" not null references client on delete cascade,
  digest bytea not null check (length(digest) = 32),
  created timestamptz(3) not null default now(),
  primary key (client_id, digest)
);

create table client_warehouse (
  client_id text collate "C" not null references client on delete cascade,
  wid integer not null references warehouse,
  primary key (client_id, wid)
);

create index client_warehouse_wid_idx on client_warehouse (wid);

-- The keys that sign tokens. A new key signs only some time after it was made, so that every process knows it first;
-- an old one verifies until the last token it signed has expired.
create table signing_key (
  kid text primary key,
  private_jwk json not null,
  created timestamptz(3) not null default now()
);
