-- Rights. There are three roles without a login, one for each part of the service: inventory_api,
-- inventory_worker, and inventory_operator for everyday use of the command line. The logins of a part are
-- members of its role. The owner of the tables is for migrations. Everything is refused that is not granted
-- here, or next to a table of a later migration. Each role may only write the columns that its statements
-- name.

-- Roles belong to the cluster, not to the database: another database of this service may have created them,
-- or may be creating them now.
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
    end;
  end loop;
end
$$;

-- No rights by default, also for functions of later migrations.
do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format(
    'grant connect on database %I to inventory_api, inventory_worker, inventory_operator', current_database()
  );
end
$$;
revoke all on schema public from public;
revoke all on all tables in schema public from public;
revoke all on all sequences in schema public from public;
revoke all on all functions in schema public from public;
alter default privileges revoke execute on functions from public;
grant usage on schema public to inventory_api, inventory_worker, inventory_operator;

-- By default, everybody may create large objects, which use disk space unnoticed. Only a superuser can revoke
-- that, so it stays if the owner is not one. In that case Postgres warns, or fails if a superuser has revoked
-- it before.
do $$
begin
  revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea), lo_put(oid, bigint, bytea),
    lo_open(oid, integer), lowrite(integer, bytea), lo_truncate(integer, integer), lo_truncate64(integer, bigint),
    lo_unlink(oid)
    from public;
exception
  when insufficient_privilege then null;
end
$$;

-- All three read the catalog, the stock and its history, and the counts of the lists.
grant select on schema_version, schema_compatibility, item, warehouse, security_group, client, client_warehouse,
  stock_level, lot, stock_transaction, stock_entry, idempotency_key, item_block, item_arrival, level_set,
  level_arrival, list_count, list_arrival to inventory_api, inventory_worker, inventory_operator;
-- The time of their changes.
grant execute on function change_moment to inventory_api, inventory_worker, inventory_operator;

-- The api: lists, items, tokens, keys and the verdict.
grant select on item_alias, client_secret, envelope_key, database_identity, backup_record, audit_drift to
  inventory_api;
grant insert (part_no, short_id, description, category, sub_category, uom, put_up, units, dflt_owner,
  discontinued, created_by, created, modified) on item to inventory_api;
grant update (description, category, sub_category, uom, put_up, units, dflt_owner, discontinued, modified,
  described) on item to inventory_api;
grant insert on item_arrival to inventory_api;
grant execute on function teach_alias to inventory_api;
grant delete on item_alias to inventory_api;
-- Searches and writes of items evaluate them.
grant execute on function fold_beyond_ascii, search_fold, search_pieces to inventory_api, inventory_operator;
-- Only abandoned requests: an applied or refused one needs more columns.
grant insert (request_id, status) on stock_transaction to inventory_api;
-- Only refusing a key: where it leads is written by the worker.
grant insert (client_id, key_digest, asked_at, refused_at), update (refused_at) on idempotency_key to
  inventory_api;
-- The api signs tokens. It creates the first key and deletes private keys, but cannot withdraw a key.
grant select, insert (kid, private_jwk), delete on signing_key to inventory_api;
grant select, insert (kid, public_jwk, signs_from) on verifying_key to inventory_api;
-- Creating or changing an item notes the change for the feed, which the api reads.
grant select, insert (change_no, kind, part_no) on change to inventory_api;
grant usage on sequence item_part_no_seq, stock_transaction_no_seq to inventory_api;
grant execute on function changes_known_until, feed_position, held_numbers to inventory_api;
-- Clients see their own webhooks.
grant select on webhook to inventory_api;

-- The worker: stock, its ledger, the counts of the lists, retention and the background audit.
grant select on item_alias, envelope_key, audit_progress, audit_drift to inventory_worker;
grant insert (part_no, wid), update (in_stock, on_hold, used, modified) on stock_level to inventory_worker;
grant insert, update (units, spot, rfid_tag, modified, active, shipped, hold, hold_reason, net_weight,
  gross_weight) on lot to inventory_worker;
grant insert on stock_transaction, stock_entry to inventory_worker;
grant insert, update (asked_at, fingerprint, request_id, refused_at) on idempotency_key to inventory_worker;
grant usage on sequence lot_rec_no_seq, stock_transaction_no_seq to inventory_worker;
-- With it, a batch that claims a key notices that another one has it.
grant execute on function refuse_taken_key to inventory_worker;
grant insert on level_arrival, list_arrival to inventory_worker;
grant delete on item_arrival, level_arrival, list_arrival to inventory_worker;
grant insert, update on item_block, level_set, list_count to inventory_worker;
grant execute on function lot_bucket, counted_for, fold_item_arrivals, fold_level_arrivals, fold_list_arrivals,
  cut_item_block, remove_outdated to inventory_worker;
grant update (lot_after, lot_until, level_after_part_no, level_after_wid, pass_started, pass_finished, due) on
  audit_progress to inventory_worker;
grant insert (check_name, part_no, wid, rec_no, expected, found), update (expected, found, last_seen), delete on
  audit_drift to inventory_worker;

-- The worker sends webhooks: it reads the feed, signs, and keeps the place of each webhook. It cannot add one
-- or change its address.
grant select on change, item_alias, database_identity, webhook, webhook_secret, webhook_message,
  webhook_delivery to inventory_worker;
grant execute on function feed_position, held_numbers to inventory_worker;
grant update (after_no, scope, attempts, failing_since, next_attempt, disabled, disabled_why, lease,
  leased_until, test_asked, last_attempt, last_outcome) on webhook to inventory_worker;
grant insert, delete on webhook_message to inventory_worker;
grant insert (webhook_id, message_id, attempt, change_count, at, took_ms, outcome, answer), delete on
  webhook_delivery to inventory_worker;

-- The operator: items from files, aliases, warehouses, clients, webhooks, holds, order quantities, new keys,
-- backups and the audit; no migrations and no seed data.
grant select on item_alias, client_secret, former_client, database_identity, retention, backup_record,
  audit_progress, audit_drift to inventory_operator;
grant insert (short_id, description, category, sub_category, uom, put_up, units, dflt_owner, discontinued,
  created_by, created, modified) on item to inventory_operator;
grant update (description, category, sub_category, uom, put_up, units, dflt_owner, discontinued, modified,
  described) on item to inventory_operator;
grant select, insert on change to inventory_operator;
-- To see how long a change has been open, and where a new webhook begins.
grant execute on function note_change, held_numbers, feed_position to inventory_operator;
grant insert on item_arrival, item_alias, level_arrival, warehouse, security_group, client, client_secret,
  client_warehouse to inventory_operator;
grant insert (client_id) on former_client to inventory_operator;
grant update (name, renamed) on warehouse to inventory_operator;
grant update (group_id, read_only, disabled, rate_limit, operations_per_minute, tokens_from) on client to
  inventory_operator;
grant delete on item_alias, client, client_secret, client_warehouse to inventory_operator;
grant update (hold, hold_reason, modified) on lot to inventory_operator;
grant insert (part_no, wid, on_order, committed, packed, asn, used), update (on_hold, on_order, committed,
  packed, asn, used, modified) on stock_level to inventory_operator;
grant insert (request_id, client_id, kind, body, status, result, at) on stock_transaction to inventory_operator;
grant usage on sequence item_part_no_seq, stock_transaction_no_seq to inventory_operator;
-- A backup contains the last numbers of the sequences.
grant select on all sequences in schema public to inventory_operator;
grant insert (taken_at, server, bytes, made_by) on backup_record to inventory_operator;
grant execute on function remove_old_keys, remove_undone_transactions to inventory_operator;
-- for the audit
grant execute on function lot_bucket, counted_for, count_lists to inventory_operator;
-- The operator adds and withdraws keys for tokens, but never reads a private key.
grant select (kid), insert (kid, private_jwk), delete on signing_key to inventory_operator;
grant select, insert (kid, public_jwk, signs_from), update (signs_from, retired, withdrawn) on verifying_key to
  inventory_operator;
-- A new key for envelopes is drawn by the database; the operator cannot read any.
grant select (kid, created), insert (created) on envelope_key to inventory_operator;
-- The operator keeps webhooks, and gives them secrets that it cannot read afterwards.
grant select, insert (client_id, url, kinds, allow_private, after_no, database_id, scope), update (after_no,
  database_id, scope, attempts, failing_since, next_attempt, disabled, disabled_why, lease, test_asked), delete
  on webhook to inventory_operator;
grant select (webhook_id, created, ends), insert (webhook_id, secret), update (ends), delete on webhook_secret to
  inventory_operator;
grant select (webhook_id), delete on webhook_message to inventory_operator;
grant select on webhook_delivery to inventory_operator;
-- Adding an alias locks the items against creates. Postgres 17 has a separate right for that.
do $$
begin
  if current_setting('server_version_num')::integer >= 170000 then
    execute 'grant maintain on item to inventory_operator';
  else
    execute 'grant update on item to inventory_operator';
  end if;
end
$$;
