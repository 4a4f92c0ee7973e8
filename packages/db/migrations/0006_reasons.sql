-- Reasons by name: what the reason codes of receipts, issues and counts mean (docs/decisions/0041).
create table reason (
  reason_code integer primary key check (reason_code >= 0),
  name text collate "C" not null check (name <> ''),
  -- The operations for which it is meant, in this order.
  operations text[] not null check (operations <@ '{receive,issue,count}' and operations <> '{}')
);

-- If there is a row, reasons that are not listed for an operation are refused.
create table reason_enforcement (
  is_only boolean primary key default true check (is_only),
  since timestamptz(3) not null default clock_timestamp()
);

grant select on reason, reason_enforcement to inventory_api, inventory_worker, inventory_operator;
grant insert, update (name, operations), delete on reason to inventory_operator;
grant insert, delete on reason_enforcement to inventory_operator;
