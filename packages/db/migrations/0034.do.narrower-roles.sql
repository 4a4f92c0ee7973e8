-- Roles as wide as their statements are. Each may write the columns that it names somewhere, and no others:
-- an item's number, name and maker are given once, and the moments that the database draws are the
-- database's.

revoke insert, update on item, idempotency_key from inventory_api;
grant insert (part_no, short_id, description, category, sub_category, uom, put_up, units, dflt_owner, discontinued, created_by, created,
  modified) on item to inventory_api;
grant update (description, category, sub_category, uom, put_up, units, dflt_owner, discontinued, modified, described) on item to inventory_api;
-- A key that is refused: what it leads to is the worker's to say.
grant insert (client_id, key_digest, asked_at, refused_at), update (refused_at) on idempotency_key to inventory_api;

-- The api makes the first key and forgets private halves; it withdraws none.
revoke insert, update on signing_key, verifying_key from inventory_api, inventory_operator;
grant insert (kid, private_jwk) on signing_key to inventory_api, inventory_operator;
grant insert (kid, public_jwk, signs_from) on verifying_key to inventory_api, inventory_operator;
grant update (signs_from, retired, withdrawn) on verifying_key to inventory_operator;

revoke update on idempotency_key from inventory_worker;
grant update (asked_at, fingerprint, request_id, refused_at) on idempotency_key to inventory_worker;
revoke insert on stock_transaction from inventory_worker;
grant insert (transaction_no, request_id, x_request_id, client_id, kind, body, status, result, reverses, part_no, wid, to_wid, captured_at,
  captured_at_corrected, device_id, device_seq) on stock_transaction to inventory_worker;
revoke insert, update on audit_drift from inventory_worker;
grant insert (check_name, part_no, wid, rec_no, expected, found), update (expected, found, last_seen) on audit_drift to inventory_worker;
revoke update on audit_progress from inventory_worker;
grant update (lot_after, lot_until, level_after_part_no, level_after_wid, pass_started, pass_finished, due) on audit_progress
  to inventory_worker;

-- A transaction has the lines that it was written with. The right to add lines is the right to add them to
-- any transaction, so a trigger refuses lines of one that was committed before, to everybody but the tables'
-- owner. At the end of the statement, which writes both.
create function refuse_late_lines() returns trigger language plpgsql as $$
begin
  if not pg_has_role((select relowner from pg_class where oid = tg_relid), 'usage') and exists (
    select
    from added
    join stock_transaction using (transaction_no)
    where stock_transaction.xmin <> pg_current_xact_id()::xid
  ) then
    raise exception 'the transaction has all of its lines' using errcode = 'restrict_violation';
  end if;
  return null;
end
$$;
create trigger stock_entry_no_late_lines after insert on stock_entry referencing new table as added
  for each statement execute function refuse_late_lines();

-- Postgres lets everybody make large objects: room on the disk that nobody looks into. Only a superuser can
-- revoke that, so where the owner is none it stays. For such an owner Postgres warns, or fails where a superuser
-- has revoked it before.
do $$
begin
  revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea), lo_put(oid, bigint, bytea),
    lo_open(oid, integer), lowrite(integer, bytea), lo_truncate(integer, integer), lo_truncate64(integer, bigint), lo_unlink(oid)
    from public;
exception
  when insufficient_privilege then null;
end
$$;
