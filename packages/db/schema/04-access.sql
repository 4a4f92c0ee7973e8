-- Clients, what they may do, and the keys that sign.

-- Clients of equal permissions share a group.
create table security_group (
  group_id integer generated always as identity primary key,
  name text not null unique,
  permissions integer[] not null
);

-- A client calls the API. Its rights stand here and not in tokens, so that they end at once.
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
  -- Tokens issued before are refused, whenever they expire; null: none is. Whole seconds, as a token has
  -- them.
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

-- Digests alone, so that a reader of the table learns no secret. A client may have two, so that it can be
-- given a new one while it still uses the old one.
create table client_secret (
  client_id text collate "C" not null references client on delete cascade,
  digest bytea not null check (length(digest) = 32),
  created timestamptz(3) not null default now(),
  -- null: it does not end by itself
  expires timestamptz(3),
  primary key (client_id, digest)
);

-- Ids of clients that were removed. They are not given again: the ledger names them, and keys of theirs lead
-- to their answers.
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

-- Behind the insert: it has waited for a removal of this id that was under way, and sees what that has left.
create trigger client_is_no_former_one after insert on client
  for each row execute function refuse_former_client();

-- The public halves of the keys that sign tokens, and their life.
create table verifying_key (
  kid text primary key,
  public_jwk json not null,
  created timestamptz(3) not null default clock_timestamp(),
  -- From then on it signs, until it is retired. A new one waits a minute, so that every process knows it
  -- first.
  signs_from timestamptz(3) not null,
  -- When its successor signs. Its last token is an hour younger.
  retired timestamptz(3) check (retired >= signs_from),
  -- Nothing that it signed is good any more.
  withdrawn timestamptz(3)
);

-- The private halves stand alone, so that the right to read them can be granted alone. They are deleted when
-- the key no longer signs.
create table signing_key (
  kid text primary key references verifying_key on delete cascade,
  private_jwk json not null,
  created timestamptz(3) not null default now()
);

-- The keys that sign what travels through Redis, which never sees them: a writer to Redis can neither ask for
-- anything nor answer anybody. The newest signs; see src/envelope-keys.ts.
create table envelope_key (
  kid integer generated always as identity primary key,
  -- Three times 122 random bits.
  secret bytea not null
    default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
    check (length(secret) = 32),
  created timestamptz(3) not null default clock_timestamp()
);

insert into envelope_key default values;
