-- Counts, reversals and batches in the ledger; what a device noted while it was offline; and what each line left in its lot.

-- Those that are there satisfy the narrower list, so nothing has to be looked at. 'batch': an atomic batch as a whole, which is the fence
-- and the answer of its operations; each of them has a row of its own beside it.
alter table stock_transaction drop constraint stock_transaction_kind_check;
alter table stock_transaction add constraint stock_transaction_kind_check
  check (kind in ('receive', 'move', 'issue', 'count', 'reverse', 'hold', 'release', 'batch')) not valid;

alter table stock_transaction
  -- Evidence of the device, never the ledger's time: when the work was done by its clock, that less the clock's error where it is known,
  -- the device, and its own number of the work.
  add column captured_at timestamptz(3),
  add column captured_at_corrected timestamptz(3),
  add column device_id text collate "C",
  add column device_seq bigint check (device_seq >= 0),
  -- The transaction that this one undid.
  add column reverses bigint constraint stock_transaction_reverses_fkey references stock_transaction,
  -- The database transaction that wrote the row: what a reader could see first has a lower one, or was committed before it. What is there
  -- gets this migration's.
  add column xact_id xid8 not null default pg_current_xact_id(),
  add constraint stock_transaction_reverses_check
    check ((kind = 'reverse' and status = 'applied') = (reverses is not null)) not valid;

-- Once only, whoever asks at the same time.
create unique index stock_transaction_reverses_key on stock_transaction (reverses) where reverses is not null;
-- For the gaps in a device's numbers; rows without one are not in it, and cost nothing.
create index stock_transaction_device_idx on stock_transaction (client_id, device_id, device_seq) where device_seq is not null;

-- The units of the lot after this line, as its holder saw them.
alter table stock_entry add column balance numeric;
alter table stock_entry disable trigger stock_entry_append_only;
update stock_entry
set balance = added.balance
from (
  select transaction_no, line, sum(delta) over (partition by rec_no order by transaction_no, line) as balance
  from stock_entry
) as added
where stock_entry.transaction_no = added.transaction_no and stock_entry.line = added.line;
alter table stock_entry enable trigger stock_entry_append_only;
alter table stock_entry alter column balance set not null, add check (balance >= 0);

-- Operations of batches in any 60 s; null: the service's default.
alter table client add column operations_per_minute integer check (operations_per_minute > 0);

-- The api looks up what a reversal would undo, the worker reads it under the gates' locks.
grant select on stock_entry to inventory_api, inventory_worker;
grant update (operations_per_minute) on client to inventory_operator;
