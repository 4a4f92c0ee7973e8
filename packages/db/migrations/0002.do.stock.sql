-- Lots, stock levels and the ledger.
-- Quantities are numeric, below 1e12 with at most 6 digits after the point. NaN is greater than every number,
-- so the upper bound also keeps it out.

-- The gate: whoever changes stock of an item in a warehouse holds this row's lock.
-- No index on a quantity and room on every page, so that updates stay on their page (HOT).
create table stock_level (
  part_no integer not null references item,
  wid integer not null references warehouse,
  in_stock numeric not null default 0 check (in_stock >= 0 and in_stock < 1e15),
  on_hold numeric not null default 0 check (on_hold >= 0 and on_hold <= in_stock),
  on_order numeric not null default 0 check (on_order >= 0 and on_order < 1e15),
  committed numeric not null default 0 check (committed >= 0 and committed < 1e15),
  packed numeric not null default 0 check (packed >= 0 and packed < 1e15),
  asn numeric not null default 0 check (asn >= 0 and asn < 1e15),
  -- false until there was stock or an order quantity: a gate made for a request that was then refused is not listed
  used boolean not null default false,
  modified timestamptz(3) not null default now(),
  primary key (part_no, wid)
) with (fillfactor = 50);

create index stock_level_wid_idx on stock_level (wid, part_no) where used;

create sequence lot_rec_no_seq;

create table lot (
  rec_no bigint primary key default nextval('lot_rec_no_seq'),
  part_no integer not null,
  wid integer not null,
  spot text collate "C" not null default '',
  units numeric not null check (units >= 0 and units < 1e12 and scale(units) <= 6),
  received timestamptz(3) not null,
  shipped timestamptz(3),
  expires timestamptz(3),
  serial text collate "C" not null default '',
  serial2 text collate "C",
  rfid_tag text collate "C",
  remark text not null default '',
  hold boolean not null default false,
  hold_reason text,
  owner integer not null default 0,
  job_id integer not null default 0,
  price numeric,
  net_weight numeric,
  gross_weight numeric,
  supplier integer,
  line integer,
  reference text,
  reason_code integer,
  -- the lot this one was split from by a move
  from_rec_no bigint,
  active boolean not null default true,
  modified timestamptz(3) not null,
  check (active = (units > 0)),
  check (active = (shipped is null)),
  -- a lot lives behind its gate
  foreign key (part_no, wid) references stock_level (part_no, wid)
) with (fillfactor = 80);

alter sequence lot_rec_no_seq owned by lot.rec_no;

-- The order of allocation: earliest expiry first (none: last), then received, then recNo.
create index lot_pick_idx on lot (part_no, wid, expires, received, rec_no) where active;
-- The order of the lists.
create index lot_list_idx on lot (received desc, rec_no desc);
create index lot_list_by_warehouse_idx on lot (wid, received desc, rec_no desc);

create sequence stock_transaction_no_seq;

-- What was asked and answered, and the fence against doing it twice: request_id is unique.
create table stock_transaction (
  transaction_no bigint primary key default nextval('stock_transaction_no_seq'),
  request_id uuid not null constraint stock_transaction_request_id_key unique,
  client_id text collate "C",
  kind text check (kind in ('receive', 'move', 'issue', 'hold', 'release')),
  body json,
  status text not null check (status in ('applied', 'refused', 'abandoned')),
  -- applied: the body of the answer; refused: the refusal. json keeps the bytes as they are.
  result json,
  at timestamptz(3) not null default clock_timestamp(),
  check (status = 'abandoned' or (kind is not null and client_id is not null and body is not null and result is not null))
);

alter sequence stock_transaction_no_seq owned by stock_transaction.transaction_no;

create table stock_entry (
  transaction_no bigint not null references stock_transaction,
  line integer not null,
  rec_no bigint not null references lot,
  part_no integer not null,
  wid integer not null,
  spot text collate "C" not null,
  delta numeric not null check (delta <> 0 and delta > -1e12 and delta < 1e12),
  primary key (transaction_no, line)
);

create function refuse_change_of_ledger() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only' using errcode = 'restrict_violation';
end
$$;

create trigger stock_entry_append_only before update or delete on stock_entry
  for each row execute function refuse_change_of_ledger();
create trigger stock_entry_no_truncate before truncate on stock_entry
  for each statement execute function refuse_change_of_ledger();
revoke update, delete, truncate on stock_entry from public;

-- Leads from a client's key to the request id of the attempt that counts.
create table idempotency_key (
  client_id text collate "C" not null,
  key_digest bytea not null,
  fingerprint bytea not null,
  request_id uuid not null,
  created timestamptz(3) not null default now(),
  primary key (client_id, key_digest)
);
