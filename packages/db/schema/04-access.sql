-- Clients, their rights, and the keys that sign.

-- Clients with equal permissions share a group.
create table security_group (
  group_id integer generated always as identity primary key,
  name text not null unique,
  permissions integer[] not null
);

-- A client calls the API. Its rights are stored here and not in tokens, so that they can end at once.
create table client (
  client_id text collate "C" primary key check (client_id <> ''),
  group_id integer not null references security_group,
  read_only boolean not null default false,
  -- requests in any 60 s; null: the service's default
  rate_limit integer check (rate_limit > 0),
  disabled boolean not null default false,
  created timestamptz(3) not null default now(),
  -- operations of batches in any 60 s; null: the service's default
  operations_per_minute integer check (operations_per_minute > 0),
  -- Tokens that were issued earlier are refused, even before they expire; null: none is refused. Whole
  -- seconds, as in tokens.
  tokens_from timestamptz(0)
);

create index client_group_id_idx on client (group_id);

-- The warehouses in a client's scope.
create table client_warehouse (
  client_id text collate "C" not null references client on delete cascade,
  wid integer not null references warehouse,
  primary key (client_id, wid)
);

create index client_warehouse_wid_idx on client_warehouse (wid);

-- Only digests, so that reading the table reveals no secret. A client may have two secrets, so that it can
-- get a new one while it still uses the old one.
create table client_secret (
  client_id text collate "C" not null references client on delete cascade,
  digest bytea not null check (length(digest) = 32),
  created timestamptz(3) not null default now(),
  -- null: it does not expire
  expires timestamptz(3),
  primary key (client_id, digest)
);

-- Ids of removed clients. They are never given again, because the ledger names them, and their keys lead to
-- their answers.
create table former_client (
  client_id text collate "C" primary key,
  removed timestamptz(3) not null default clock_timestamp()
);

create function refuse_former_client() returns trigger language plpgsql as $$
begin
  if exists (select from former_client where client_id = new.client_id) then
    raise unique_violation using constraint = 'former_client_pkey', message = 'a client of this id was removed';
  end if;
  return new;
end
$$;

-- After the insert, because it has waited for a concurrent removal of this id and sees its result.
create trigger client_is_no_former_one after insert on client
  for each row execute function refuse_former_client();

-- The public keys of the keys that sign tokens, and their periods.
create table verifying_key (
  kid text primary key,
  public_jwk json not null,
  created timestamptz(3) not null default clock_timestamp(),
  -- It signs from then on, until it is retired. A new key waits a minute, so that every process knows it
  -- first.
  signs_from timestamptz(3) not null,
  -- When its successor signs. Its last token expires an hour later.
  retired timestamptz(3) check (retired >= signs_from),
  -- None of its signatures is valid any more.
  withdrawn timestamptz(3)
);

-- The private keys have a table of their own, so that the right to read them can be granted separately. They
-- are deleted when the key no longer signs.
create table signing_key (
  kid text primary key references verifying_key on delete cascade,
  private_jwk json not null,
  created timestamptz(3) not null default now()
);

-- The keys that sign envelopes and answers. Redis never sees them, so a process that can only write to Redis
-- can neither request anything nor answer. The newest key signs; see src/access/envelope-keys.ts.
create table envelope_key (
  kid integer generated always as identity primary key,
  -- three times 122 random bits
  secret bytea not null
    default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
    check (length(secret) = 32),
  created timestamptz(3) not null default clock_timestamp()
);

insert into envelope_key default values;
