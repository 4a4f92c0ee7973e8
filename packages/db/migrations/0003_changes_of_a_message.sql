-- The most changes in a message of a webhook: half as many after each 413 of its receiver, one more after each
-- full message that arrived. Null: as many as any (docs/decisions/0037).
alter table webhook add column changes_max integer;
grant update (changes_max) on webhook to inventory_worker;
