-- Requests with their answers, the lines of the ledger, and idempotency keys.

-- Requests and their answers. The unique request_id prevents double work. Applied rows never change and are
-- kept forever. By default, the table would be vacuumed when a fifth is new: with a thousand million rows
-- that means 200 million rows at once, and until then no index-only scan could cover them. So it is vacuumed
-- after each million rows, which takes some seconds. Rows are frozen at once; otherwise the whole table would
-- be read and written again when transaction ids wrap around. The same holds for stock_entry.
create table stock_transaction (
  transaction_no bigint primary key default nextval('stock_transaction_no_seq'),
  request_id uuid not null constraint stock_transaction_request_id_key unique,
  client_id text collate "C",
  -- 'batch': an atomic batch as a whole. It holds the request id and the answer; each of its operations also
  -- has a row of its own.
  kind text check (kind in ('receive', 'move', 'issue', 'count', 'reverse', 'hold', 'release', 'batch')),
  body json,
  status text not null check (status in ('applied', 'refused', 'abandoned')),
  -- applied: the body of the answer; refused: the refusal. json keeps the exact bytes.
  result json,
  at timestamptz(3) not null default clock_timestamp(),
  -- The caller's own name of its request, to find the transaction by a log entry. Null: there was none, and
  -- the caller got request_id as X-Request-Id. No index: proxies name every request, and an index over random
  -- names would slow down every batch. The approximate time is usually known.
  x_request_id text collate "C",
  -- Evidence from the device, never the time of the ledger: when the work was done by its clock, that time
  -- without the clock's error (if known), the device, and its own number for the work.
  captured_at timestamptz(3),
  captured_at_corrected timestamptz(3),
  device_id text collate "C",
  device_seq bigint check (device_seq >= 0),
  -- the transaction that this one reversed
  reverses bigint constraint stock_transaction_reverses_fkey references stock_transaction,
  -- The item and the warehouse of an applied transaction, and the other warehouse of a move between two; a
  -- reversal has those of its original. They are also set for a count without changes, which has no entries.
  -- All three are null for other rows.
  part_no integer,
  wid integer,
  to_wid integer,
  check (
    status = 'abandoned'
    or (kind is not null and client_id is not null and body is not null and result is not null)
  ),
  constraint stock_transaction_reverses_check
    check ((kind = 'reverse' and status = 'applied') = (reverses is not null))
) with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000, autovacuum_freeze_min_age = 0);

alter sequence stock_transaction_no_seq owned by stock_transaction.transaction_no;

-- Retention finds the rows to remove by this index, without reading the ledger. Almost all rows are applied
-- and not in it.
create index stock_transaction_undone_idx on stock_transaction (at) where status <> 'applied';
-- A transaction is reversed only once, however many requests come at the same time.
create unique index stock_transaction_reverses_key on stock_transaction (reverses) where reverses is not null;

-- In the order of the list, for each warehouse. A transaction between two warehouses is in both.
create index stock_transaction_wid_idx on stock_transaction (wid, transaction_no) where wid is not null;
create index stock_transaction_to_wid_idx on stock_transaction (to_wid, transaction_no) where to_wid is not null;
-- The filters of the list, by a transaction's first warehouse, and by the second for the few between two. An
-- item may have a hundred thousand transactions; they are counted and sorted within the index.
create index stock_transaction_item_wid_idx on stock_transaction (part_no, wid, transaction_no) include (to_wid)
  where wid is not null;
create index stock_transaction_item_to_wid_idx on stock_transaction (part_no, to_wid) where to_wid is not null;
create index stock_transaction_wid_at_idx on stock_transaction (wid, at) where wid is not null;
create index stock_transaction_to_wid_at_idx on stock_transaction (to_wid, at) where to_wid is not null;
-- Holds and releases by the command line are not in the list of transactions. The list of lots finds its
-- changes by them.
create index stock_transaction_hold_wid_at_idx on stock_transaction (((result->>'wid')::integer), at)
  where kind in ('hold', 'release');
-- Rows without a value are not in these indexes and cost nothing.
create index stock_transaction_reference_wid_idx on stock_transaction ((body->>'reference'), wid)
  where wid is not null and body->>'reference' is not null;
create index stock_transaction_reference_to_wid_idx on stock_transaction ((body->>'reference'), to_wid)
  where to_wid is not null and body->>'reference' is not null;
create index stock_transaction_device_wid_idx on stock_transaction (device_id, wid)
  where device_id is not null and wid is not null;
create index stock_transaction_device_to_wid_idx on stock_transaction (device_id, to_wid)
  where device_id is not null and to_wid is not null;

-- The ledger: one signed line for each lot that a transaction touched. Lots and levels can be rebuilt from
-- it. Foreign keys would look up transaction and lot again for each line. Instead, a trigger compares the
-- lines of a statement with their transactions, nobody may delete lots or applied transactions, and the audit
-- would find a line without a lot (docs/decisions/0027).
create table stock_entry (
  transaction_no bigint not null,
  line integer not null,
  rec_no bigint not null,
  part_no integer not null,
  wid integer not null,
  spot text collate "C" not null,
  delta numeric not null check (delta <> 0 and delta > -1e12 and delta < 1e12),
  -- the units of the lot after this line
  balance numeric not null check (balance >= 0),
  primary key (transaction_no, line)
) with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000, autovacuum_freeze_min_age = 0);

-- The history of a lot.
create index stock_entry_lot_idx on stock_entry (rec_no, transaction_no, line);

-- Triggers prevent even the owner of the tables from changing the history.
create function refuse_change_of_ledger() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only' using errcode = 'restrict_violation';
end
$$;

create trigger stock_entry_append_only before update or delete on stock_entry
  for each row execute function refuse_change_of_ledger();
create trigger stock_entry_no_truncate before truncate on stock_entry
  for each statement execute function refuse_change_of_ledger();

create trigger stock_transaction_append_only before update on stock_transaction
  for each row execute function refuse_change_of_ledger();
-- A refused or abandoned transaction changed nothing. It may be removed when it can no longer be resent: a
-- day after its key.
create trigger stock_transaction_kept before delete on stock_transaction
  for each row when (old.status = 'applied' or old.at > clock_timestamp() - interval '8 days')
  execute function refuse_change_of_ledger();
create trigger stock_transaction_no_truncate before truncate on stock_transaction
  for each statement execute function refuse_change_of_ledger();

-- A transaction keeps the lines that it was written with. The right to insert lines would allow adding them
-- to any transaction, so a trigger refuses lines of a transaction that was committed earlier, or that does not
-- exist, except for the tables' owner. It runs at the end of the statement, which writes both.
create function refuse_late_lines() returns trigger language plpgsql as $$
begin
  if not pg_has_role((select relowner from pg_class where oid = tg_relid), 'usage') and exists (
    select
    from added
    left join stock_transaction using (transaction_no)
    where stock_transaction.xmin is distinct from pg_current_xact_id()::xid
  ) then
    raise exception 'lines are written together with their transaction' using errcode = 'restrict_violation';
  end if;
  return null;
end
$$;

create trigger stock_entry_no_late_lines after insert on stock_entry referencing new table as added
  for each statement execute function refuse_late_lines();

-- Leads from a client's key to the decided request. The batch that decides the request writes the row;
-- nothing is written before. An eighth of the table is removed each day, and the next day's keys use that
-- space.
create table idempotency_key (
  client_id text collate "C" not null,
  key_digest bytea not null,
  fingerprint bytea,
  request_id uuid,
  asked_at timestamptz(3) not null,
  -- when a send of the key was last answered with "not applied"; earlier sends are never applied
  refused_at timestamptz(3),
  primary key (client_id, key_digest),
  check ((request_id is null) = (fingerprint is null)),
  check (request_id is not null or refused_at is not null)
) with (autovacuum_vacuum_scale_factor = 0.05);

-- For a statement that found a key free that is decided by now: fails as if it had inserted the key a second
-- time.
create function refuse_taken_key() returns uuid language plpgsql as $$
begin
  raise exception 'the key was decided meanwhile'
    using errcode = 'unique_violation', constraint = 'idempotency_key_pkey';
end
$$;
