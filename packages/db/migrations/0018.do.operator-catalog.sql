-- What the operator's command line does beside what it did: items from files, aliases and clients that go,
-- warehouses of another name.

-- Ids of clients that were removed. They are not given again: the ledger names them, and keys of theirs lead
-- to their answers.
create table former_client (
  client_id text collate "C" primary key,
  removed timestamptz(3) not null default clock_timestamp()
);

create function refuse_former_client() returns trigger language plpgsql as $$
begin
  if exists (select from former_client where client_id = new.client_id) then
    raise unique_violation using constraint = 'former_client_pkey', message = 'a client of this id was removed';
  end if;
  return new;
end
$$;

create trigger client_is_no_former_one before insert on client
  for each row execute function refuse_former_client();

grant select, insert (client_id) on former_client to inventory_operator;
grant delete on client, item_alias to inventory_operator;
grant update (name) on warehouse to inventory_operator;
grant insert (short_id, description, category, sub_category, uom, put_up, units, dflt_owner, discontinued, created_by, created,
  modified) on item
  to inventory_operator;
grant update (description, category, sub_category, uom, put_up, units, dflt_owner, discontinued, modified, described) on item to inventory_operator;
grant insert on item_arrival to inventory_operator;
grant usage on sequence item_part_no_seq to inventory_operator;
