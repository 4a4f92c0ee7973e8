-- Who may do what. Three roles without a login of their own, one for each part of the service; its logins are members of them:
-- inventory_api, inventory_worker, and inventory_operator for the everyday use of the command line. The owner of the tables is for
-- migrations. What is not granted here, or beside the table that a later migration makes, is refused.

-- Roles are the cluster's, not the database's: another database of this service may have made them, or make them at this moment.
do $$
declare
  missing text[];
  wanted text;
begin
  select array_agg(name order by name) into missing
  from unnest(array['inventory_api', 'inventory_worker', 'inventory_operator']) as name
  where not exists (select from pg_roles where rolname = name);
  foreach wanted in array coalesce(missing, '{}') loop
    begin
      execute format('create role %I nologin', wanted);
    exception
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then
        raise exception using message = format(
          '%I may not create roles: have somebody who may run `%s`, then migrate again',
          current_user,
          (select string_agg(format('create role %I nologin;', name), ' ') from unnest(missing) as name)
        );
    end;
  end loop;
end
$$;

-- What was asked and answered is never changed, as the ledger is not; for the owner, too.
create trigger stock_transaction_append_only before update or delete on stock_transaction
  for each row execute function refuse_change_of_ledger();
create trigger stock_transaction_no_truncate before truncate on stock_transaction
  for each statement execute function refuse_change_of_ledger();

-- The keys that sign what travels through Redis, which never sees them: whoever can write to Redis can neither ask for anything nor
-- answer anybody. The newest signs; see src/envelope-keys.ts.
create table envelope_key (
  kid integer generated always as identity primary key,
  -- Three times 122 random bits.
  secret bytea not null
    default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
    check (length(secret) = 32),
  created timestamptz(3) not null default clock_timestamp()
);

insert into envelope_key default values;

-- Nothing by default. A later migration's functions begin without rights, too.
do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to inventory_api, inventory_worker, inventory_operator', current_database());
end
$$;
revoke all on schema public from public;
revoke all on all tables in schema public from public;
revoke all on all sequences in schema public from public;
revoke all on all functions in schema public from public;
alter default privileges revoke execute on functions from public;
grant usage on schema public to inventory_api, inventory_worker, inventory_operator;
grant select on schema_version to inventory_api, inventory_worker, inventory_operator;

-- The api: lists, items, tokens, keys and the verdict.
grant select on item, item_alias, warehouse, security_group, client, client_secret, client_warehouse, stock_level, lot,
  stock_transaction, idempotency_key, envelope_key, lot_block, lot_block_count, lot_chapter_count, lot_arrival, item_block, item_arrival,
  level_set, level_arrival to inventory_api;
grant insert on item, item_arrival, idempotency_key to inventory_api;
grant update on item, idempotency_key to inventory_api;
-- An abandoned request, and nothing else: one that was applied or refused has more columns.
grant insert (request_id, status) on stock_transaction to inventory_api;
grant usage on sequence item_part_no_seq, stock_transaction_no_seq to inventory_api;

-- The worker: stock, its ledger, and the counts of the lists.
grant select on item, warehouse, security_group, client, client_warehouse, stock_level, lot, stock_transaction, envelope_key, lot_block,
  lot_block_count, lot_chapter_count, lot_arrival, item_block, item_arrival, level_set, level_arrival to inventory_worker;
grant insert (part_no, wid) on stock_level to inventory_worker;
grant update (in_stock, on_hold, used, modified) on stock_level to inventory_worker;
grant insert on lot, stock_transaction, stock_entry, lot_arrival, level_arrival to inventory_worker;
grant update (units, spot, modified, active, shipped, hold, hold_reason, net_weight, gross_weight) on lot to inventory_worker;
grant select, insert, update on idempotency_key to inventory_worker;
grant insert, update on lot_block, lot_block_count, lot_chapter_count, item_block, level_set to inventory_worker;
grant delete on lot_arrival, item_arrival, level_arrival to inventory_worker;
grant usage on sequence lot_rec_no_seq, stock_transaction_no_seq to inventory_worker;
grant execute on function fold_lot_arrivals, fold_item_arrivals, fold_level_arrivals, cut_lot_block, cut_lot_chapter, cut_item_block
  to inventory_worker;

-- The operator: clients, warehouses, aliases, holds, order quantities, new keys and the audit; no migrations, no seed data.
grant select on item, item_alias, warehouse, security_group, client, client_secret, client_warehouse, stock_level, lot,
  stock_transaction, stock_entry, lot_block, lot_block_count, lot_chapter_count, lot_arrival, item_block, item_arrival, level_set,
  level_arrival to inventory_operator;
grant insert on item_alias, warehouse, security_group, client, client_secret, client_warehouse, level_arrival to inventory_operator;
grant update (group_id, read_only, disabled, rate_limit) on client to inventory_operator;
grant delete on client_secret, client_warehouse to inventory_operator;
grant update (hold, hold_reason, modified) on lot to inventory_operator;
grant insert (part_no, wid, on_order, committed, packed, asn, used) on stock_level to inventory_operator;
grant update (on_hold, on_order, committed, packed, asn, used, modified) on stock_level to inventory_operator;
grant insert (request_id, client_id, kind, body, status, result) on stock_transaction to inventory_operator;
grant usage on sequence stock_transaction_no_seq to inventory_operator;
-- A new key, drawn by the database; no look at any.
grant insert (created), select (kid, created) on envelope_key to inventory_operator;

-- The keys that sign tokens: the api signs; the operator adds and withdraws keys and sees no private half.
grant select, insert, delete on signing_key to inventory_api;
grant insert, select (kid), delete on signing_key to inventory_operator;
grant select, insert, update on verifying_key to inventory_api, inventory_operator;

-- By it the batch that claims a key finds that another one has.
grant execute on function refuse_taken_key() to inventory_worker;

-- Adding an alias locks the items against creates. Postgres 17 has a right for that alone.
do $$
begin
  if current_setting('server_version_num')::integer >= 170000 then
    execute 'grant maintain on item to inventory_operator';
  else
    execute 'grant update on item to inventory_operator';
  end if;
end
$$;
