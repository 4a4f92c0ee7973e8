-- Webhooks: addresses of clients to which the worker sends the changes of the feed, one message after the
-- other (docs/decisions/0031). Redis only wakes the worker; everything that must not be lost is here.
create table webhook (
  webhook_id integer generated always as identity primary key,
  -- Not a reference: a webhook outlives its client, so that the operator is told why it stands still. The id
  -- of a removed client is never given again.
  client_id text collate "C" not null,
  url text not null check (length(url) <= 2000),
  -- the kinds of changes that are sent; null: all
  kinds text[] check (cardinality(kinds) > 0 and kinds <@ array['stock', 'hold', 'item', 'level', 'warehouse']),
  -- whether its address may be in a private network
  allow_private boolean not null default false,
  created timestamptz(3) not null default clock_timestamp(),
  -- null: it is enabled
  disabled timestamptz(3),
  -- operator: by hand; gone: the receiver answered 410; failed: too many attempts at a message; restored: its
  -- place is of a database that was restored since, or has lost its last changes
  disabled_why text check (disabled_why in ('operator', 'gone', 'failed', 'restored')),
  -- All changes up to this number of this database were told. A restored database has another identity.
  after_no bigint not null check (after_no >= 0),
  database_id uuid not null,
  -- a digest of the warehouses of the last told change; null: none was told
  scope text,
  -- failed attempts at the message that is due, and the first failure since the last success
  attempts integer not null default 0 check (attempts >= 0),
  failing_since timestamptz(3),
  next_attempt timestamptz(3) not null default clock_timestamp(),
  -- Only the worker that holds the lease sends. It ends by itself if the worker is lost.
  lease uuid,
  leased_until timestamptz(3),
  -- An operator asks for a message without changes, to see whether it arrives.
  test_asked timestamptz(3),
  -- The last attempt: a status of HTTP, or a word for what went wrong.
  last_attempt timestamptz(3),
  last_outcome text,
  check ((disabled is null) = (disabled_why is null)),
  check ((lease is null) = (leased_until is null)),
  check ((last_attempt is null) = (last_outcome is null))
)
-- Each message updates its row several times.
with (fillfactor = 50);

create index webhook_client_id_idx on webhook (client_id);

-- Secrets that sign messages. They must be readable to sign, so they have a table of their own, which only
-- the worker may read. A webhook has two while one replaces the other.
create table webhook_secret (
  webhook_id integer not null references webhook on delete cascade,
  secret bytea not null check (length(secret) between 24 and 64),
  created timestamptz(3) not null default clock_timestamp(),
  -- null: it is the current one
  ends timestamptz(3),
  primary key (webhook_id, secret)
);

-- The message of a webhook that has not arrived yet. It is stored before it is first sent, so that every
-- attempt sends the same bytes under the same id.
create table webhook_message (
  webhook_id integer primary key references webhook on delete cascade,
  message_id text not null,
  -- the values of the webhook once it has arrived
  through_no bigint not null,
  scope text not null,
  change_count integer not null,
  body text not null
);

-- The last deliveries of each webhook, for the operator.
create table webhook_delivery (
  webhook_id integer not null references webhook on delete cascade,
  delivery_no bigint generated always as identity,
  message_id text not null,
  -- of this message; 1 is the first
  attempt integer not null,
  change_count integer not null,
  at timestamptz(3) not null,
  took_ms integer not null,
  -- as in `webhook.last_outcome`
  outcome text not null,
  -- the beginning of the answer's body
  answer text not null,
  primary key (webhook_id, delivery_no)
);
