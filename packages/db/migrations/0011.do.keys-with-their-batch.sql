-- A key leads to a request once that is decided, by the batch that decides it; nothing is written before.

-- What is bound and not decided is never applied.
insert into stock_transaction (request_id, status)
select request_id, 'abandoned'
from idempotency_key
where not exists (select from stock_transaction where stock_transaction.request_id = idempotency_key.request_id)
on conflict (request_id) do nothing;

alter table idempotency_key rename column created to asked_at;
alter table idempotency_key
  alter column asked_at drop default,
  alter column request_id drop not null,
  alter column fingerprint drop not null,
  -- when a send of it was last told that nothing was applied: what came before is never applied
  add column refused_at timestamptz(3);

update idempotency_key
set refused_at = clock_timestamp(), request_id = null, fingerprint = null
from stock_transaction
where stock_transaction.request_id = idempotency_key.request_id and status = 'abandoned';

alter table idempotency_key
  add check ((request_id is null) = (fingerprint is null)),
  add check (request_id is not null or refused_at is not null);

-- For a statement that finds a key decided which it found free: as if it had inserted the key a second time.
create function refuse_taken_key() returns uuid language plpgsql as $$
begin
  raise exception 'the key was decided meanwhile' using errcode = 'unique_violation', constraint = 'idempotency_key_pkey';
end
$$;
