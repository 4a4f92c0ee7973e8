-- Which database this is, and what is removed after its time.

-- One row. A database that was restored from a backup is another one, also when it has the same address: whatever refers to what it held
-- after the backup (the place of a reader in it, say) must be refused, not believed.
create table database_identity (
  is_only boolean primary key default true check (is_only),
  id uuid not null default gen_random_uuid(),
  since timestamptz(3) not null default clock_timestamp(),
  -- The moment of the backup that it was restored from; null: it never was.
  restored_to timestamptz(3)
);

insert into database_identity default values;

grant select on database_identity to inventory_api, inventory_operator;

-- The operator makes backups: of all but the keys that sign, which it does not see.
grant select on idempotency_key to inventory_operator;
grant select on all sequences in schema public to inventory_operator;

-- What is to be removed is found without reading the ledger. Nearly all rows are applied and not in it.
create index stock_transaction_undone_idx on stock_transaction (at) where status <> 'applied';

-- A transaction that was applied is kept for ever. One that was refused or abandoned, which changed nothing, may go when nobody
-- can send it again any more: a day after its key.
drop trigger stock_transaction_append_only on stock_transaction;
create trigger stock_transaction_append_only before update on stock_transaction
  for each row execute function refuse_change_of_ledger();
create trigger stock_transaction_kept before delete on stock_transaction
  for each row when (old.status = 'applied' or old.at > clock_timestamp() - interval '8 days')
  execute function refuse_change_of_ledger();

-- Removes keys that were last sent before `until`, at most so many pages of the table from `first_page` on: the answer to a request is
-- promised for 7 days, so none is removed earlier, whatever is asked for. With the rights of the owner: the operator can remove keys in no other way.
-- One that somebody has locked is left, not waited for: a batch locks several, in an order of its own. `remaining`: how many were left.
create function remove_old_keys(until timestamptz, first_page bigint, pages integer, out removed integer, out remaining integer)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  before timestamptz := least(until, clock_timestamp() - interval '7 days');
  first tid := format('(%s,0)', first_page)::tid;
  past tid := format('(%s,0)', first_page + pages)::tid;
begin
  with gone as (
    delete from idempotency_key
    where ctid = any(array(
      select ctid
      from idempotency_key
      where ctid >= first and ctid < past and greatest(asked_at, refused_at) < before
      for update skip locked
    ))
    returning 1
  )
  select count(*) into removed from gone;
  select count(*) into remaining
  from idempotency_key
  where ctid >= first and ctid < past and greatest(asked_at, refused_at) < before;
end
$$;

-- Removes at most `count_max` transactions that were not applied, the oldest first, of before `until` and 8 days ago at least. After their
-- keys: a key that led to nothing could neither be answered nor be used again.
create function remove_undone_transactions(until timestamptz, count_max integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  removed integer;
begin
  with gone as (
    delete from stock_transaction
    where transaction_no = any(array(
      select transaction_no
      from stock_transaction
      where status <> 'applied' and at < least(until, clock_timestamp() - interval '8 days')
      order by at
      limit count_max
    ))
    returning 1
  )
  select count(*) into removed from gone;
  return removed;
end
$$;

grant execute on function remove_old_keys, remove_undone_transactions to inventory_operator;
