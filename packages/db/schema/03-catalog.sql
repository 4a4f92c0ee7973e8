-- Warehouses and items.

-- The places where stock is kept. Scopes, counts and most indexes use the number.
create table warehouse (
  wid integer primary key check (wid > 0),
  name text collate "C" not null check (name <> ''),
  created timestamptz(3) not null default now(),
  -- When the name last changed; null: never. The warehouse's lots show it and count as modified since then.
  renamed timestamptz(3)
);

create function note_warehouse_renamed() returns trigger language plpgsql as $$
begin
  perform note_change('warehouse', new.wid, null);
  return null;
end
$$;

-- Lots show the name.
create trigger warehouse_renamed after update of name on warehouse
  for each row when (old.name <> new.name) execute function note_warehouse_renamed();

-- Items. Stock and its history refer to the number, callers to the shortID.
create table item (
  part_no integer generated always as identity primary key,
  short_id text collate "C" not null constraint item_short_id_key unique check (short_id <> ''),
  description text collate "C" not null default '',
  category integer not null default 0,
  sub_category integer not null default 0,
  uom text collate "C" not null default 'EA',
  put_up text collate "C" not null default '',
  units numeric not null default 1 check (units >= 0 and units < 1e12),
  dflt_owner integer not null default 0,
  discontinued boolean not null default false,
  created timestamptz(3) not null default now(),
  created_by text collate "C" not null,
  -- now() would be the start of the transaction
  modified timestamptz(3) not null default change_moment(),
  -- When the description last changed; null: never. The item's lots show it, and there may be a hundred
  -- thousand of them. They are found through the item and are not updated.
  described timestamptz(3)
);

create index item_active_idx on item (short_id) where not discontinued;
create index item_category_idx on item (category, short_id) where not discontinued;
create index item_modified_idx on item (modified);
create index item_described_idx on item (described) where described is not null;

-- Other names of items. An alias never equals a shortID. Adding an alias locks the item table and waits for
-- creates under way (`teach_alias`). The trigger does the reverse: a create sees every alias that was added
-- before it.
create table item_alias (
  alias text collate "C" primary key check (alias <> ''),
  part_no integer not null references item
);

-- In the order of the list of an item's aliases.
create index item_alias_part_no_idx on item_alias (part_no, alias);

create function refuse_short_id_of_alias() returns trigger language plpgsql as $$
begin
  if exists (select from item_alias where alias = new.short_id) then
    raise unique_violation using constraint = 'item_alias_pkey', message = 'an alias has this name';
  end if;
  return new;
end
$$;

create trigger item_short_id_is_no_alias before insert on item
  for each row execute function refuse_short_id_of_alias();

-- Notes the items of these rows as changed, for the change feed.
create function note_items_changed() returns trigger language plpgsql as $$
begin
  if exists (select from touched) then
    perform change_moment();
    insert into change (change_no, kind, part_no)
    select nextval('stock_transaction_no_seq'), 'item', part_no
    from (select distinct part_no from touched order by part_no) as items;
  end if;
  return null;
end
$$;

create trigger item_change_added after insert on item referencing new table as touched
  for each statement execute function note_items_changed();
create trigger item_change_updated after update on item referencing new table as touched
  for each statement execute function note_items_changed();
create trigger alias_change_added after insert on item_alias referencing new table as touched
  for each statement execute function note_items_changed();
create trigger alias_change_removed after delete on item_alias referencing old table as touched
  for each statement execute function note_items_changed();
-- Adds an alias for the api. Runs with the owner's rights, because the api may not lock the items. Creates of
-- items wait behind the lock, so it is not waited for longer than a caller waits anyway. `named`: the number
-- of the item that has the name now, as an alias or as its shortID; null if there is no such item.
create function teach_alias(taught text, of_part_no integer, out named integer, out is_new boolean,
  out is_short_id boolean)
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
begin
  is_new := false;
  is_short_id := false;
  select part_no into named from item_alias where alias = taught;
  if named is not null or not exists (select from item where part_no = of_part_no) then
    return;
  end if;
  lock table item in share row exclusive mode;
  select part_no into named from item where short_id = taught;
  is_short_id := named is not null;
  if is_short_id then
    return;
  end if;
  insert into item_alias (alias, part_no) values (taught, of_part_no) on conflict do nothing;
  is_new := found;
  select part_no into named from item_alias where alias = taught;
end
$$;

-- Search: items whose shortID, description or alias contains a text, in any case and any language
-- (src/lists/search-items.ts).

-- A text as it is compared: composed, and in capitals by the rules of Unicode, so that ß equals SS and the two
-- small sigmas are one. In small letters first, because the capital ẞ stays as it is. The collation is named,
-- because the rules of the database may know ASCII only. Composing takes longest, and is seldom needed.
create function fold_beyond_ascii(given text) returns text language plpgsql immutable parallel safe as $$
declare
  folded text := given;
begin
  if folded is not nfc normalized then
    folded := normalize(folded, nfc);
  end if;
  folded := upper(lower(folded collate "und-x-icu"));
  if folded is not nfc normalized then
    folded := normalize(folded, nfc);
  end if;
  return folded;
end
$$;

create function search_fold(given text) returns text language sql immutable parallel safe
return case
  when octet_length(given) = length(given) then upper(given collate "C")
  else fold_beyond_ascii(given)
end;

-- The pieces of a folded text that lead to it: all of three characters, and those of one and two that are not
-- all ASCII, for scripts in which two characters are a word. A text that contains another one has all of its
-- pieces. The extension pg_trgm would see only what the database's locale calls a letter (docs/decisions/0032).
-- Names the schema, because Postgres evaluates indexes without a search path.
create function search_pieces(given text) returns text[] language plpgsql immutable parallel safe cost 1000 as $$
declare
  characters text[] := string_to_array(public.search_fold(given), null);
  pieces text[] := '{}';
  piece text;
begin
  for place in 1 .. cardinality(characters) loop
    piece := characters[place];
    if octet_length(piece) > 1 then
      pieces := array_append(pieces, piece);
    end if;
    -- Null beyond the end.
    piece := piece || characters[place + 1];
    if octet_length(piece) > 2 then
      pieces := array_append(pieces, piece);
    end if;
    piece := piece || characters[place + 2];
    if piece is not null then
      pieces := array_append(pieces, piece);
    end if;
  end loop;
  return pieces;
end
$$;

-- A search also reads the entries that are not in the index proper yet, one by one: at most 64 kB, the least
-- that Postgres takes. Imports are no slower for it.
create index item_search_idx on item using gin (search_pieces(short_id || chr(10) || description))
  with (gin_pending_list_limit = 64);
create index item_alias_search_idx on item_alias using gin (search_pieces(alias))
  with (gin_pending_list_limit = 64);
