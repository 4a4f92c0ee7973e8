-- A GTIN is one alias in all its spellings, of 8, 12, 13 and 14 digits, and an item has at most 100 aliases
-- (docs/decisions/0039).

-- The 14 digits of a GTIN with the right check digit; null for any other text. As gtin14Of of the code.
create function gtin_of(given text) returns text language plpgsql immutable strict parallel safe as $$
declare
  digits text;
  total integer := 0;
begin
  if given !~ '^([0-9]{8}|[0-9]{12,14})$' then
    return null;
  end if;
  digits := lpad(given, 14, '0');
  for place in 1 .. 14 loop
    total := total + substr(digits, place, 1)::integer * case when place % 2 = 1 then 3 else 1 end;
  end loop;
  if total % 10 = 0 then
    return digits;
  end if;
  return null;
end
$$;

-- All spellings of a GTIN, the longest first; any other text alone.
create function gtin_spellings(given text) returns text[] language sql immutable parallel safe
return case
  when gtin_of(given) is null then array[given]
  else array(
    select right(gtin_of(given), digits)
    from unnest(array[14, 13, 12, 8]) as digits
    where gtin_of(given) = lpad(right(gtin_of(given), digits), 14, '0')
    order by digits desc
  )
end;

-- The GTINs among the aliases. The database computes them, so processes of 0.1.0 cannot leave them out.
create table alias_gtin (
  gtin text collate "C" not null,
  -- 0.1.0 took several spellings, even for several items. They stay: one has the rank 0, and the others their
  -- number of digits. A new alias always has the rank 0. `doctor` names those of different items.
  rank integer not null default 0,
  alias text collate "C" not null unique,
  primary key (gtin, rank)
);
create index alias_gtin_rank_idx on alias_gtin (gtin) where rank > 0;

create function note_alias_gtins() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
begin
  -- In order, so that two sessions do not wait for each other. Fails on alias_gtin_pkey if an alias is another
  -- spelling of one that there is.
  insert into alias_gtin (gtin, alias)
  select gtin_of(alias), alias
  from taught
  where gtin_of(alias) is not null
  order by 1;
  return null;
end
$$;

create function forget_alias_gtins() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
declare
  freed text;
begin
  for freed in
    with gone as (
      delete from alias_gtin
      using forgotten
      where alias_gtin.alias = forgotten.alias
      returning gtin, rank
    )
    select gtin from gone where rank = 0 order by gtin
  loop
    -- Another spelling takes its place. The lock skips one that another session has just removed.
    update alias_gtin
    set rank = 0
    where alias = (
      select alias from alias_gtin where gtin = freed and rank > 0 order by rank desc limit 1 for update
    );
  end loop;
  return null;
end
$$;

create trigger alias_gtin_added after insert on item_alias referencing new table as taught
  for each statement execute function note_alias_gtins();
create trigger alias_gtin_removed after delete on item_alias referencing old table as forgotten
  for each statement execute function forget_alias_gtins();

-- The triggers hold back other writers of aliases until the end, so nothing is missed. Readers go on. The
-- spelling of 14 digits is the first, because 0.1.0 found it by all others.
insert into alias_gtin (gtin, rank, alias)
select gtin, case row_number() over (partition by gtin order by length(alias) desc) when 1 then 0 else length(alias) end,
  alias
from (select alias, gtin_of(alias) as gtin from item_alias) as known
where gtin is not null;

-- As before, and a shortID is no other spelling of an alias.
create or replace function refuse_short_id_of_alias() returns trigger language plpgsql as $$
begin
  if exists (select from item_alias where alias = new.short_id)
    or exists (select from alias_gtin where gtin = gtin_of(new.short_id))
    -- Such an item is refused as one that there is already.
    and not exists (select from item where short_id = new.short_id)
  then
    raise unique_violation using constraint = 'item_alias_pkey', message = 'an alias has this name';
  end if;
  return new;
end
$$;

-- As before, with the rules of GTINs and the limit. Whoever adds an alias locks the table of items, so two
-- at once cannot pass the limit. `named`: the item that has the name in any spelling. Fails on the constraint
-- item_alias_limit if the item has 100.
create or replace function teach_alias(taught text, of_part_no integer, out named integer, out is_new boolean,
  out is_short_id boolean)
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
begin
  is_new := false;
  is_short_id := false;
  select part_no into named
  from item_alias
  where alias = any(gtin_spellings(taught))
  -- Where 0.1.0 took several spellings: this very one, else one of this item.
  order by alias = taught desc, part_no = of_part_no desc, length(alias) desc
  limit 1;
  if named is not null or not exists (select from item where part_no = of_part_no) then
    return;
  end if;
  lock table item in share row exclusive mode;
  -- The item itself may have its shortID in another spelling as an alias.
  select part_no into named
  from item
  where short_id = any(gtin_spellings(taught)) and (short_id = taught or part_no <> of_part_no)
  order by short_id = taught desc
  limit 1;
  is_short_id := named is not null;
  if is_short_id then
    return;
  end if;
  -- Another session may have added it while this one waited for the lock.
  select part_no into named from item_alias where alias = any(gtin_spellings(taught)) limit 1;
  if named is not null then
    return;
  end if;
  if (select count(*) from (select from item_alias where part_no = of_part_no limit 100) as few) = 100 then
    raise check_violation using constraint = 'item_alias_limit', message = 'the item has 100 aliases';
  end if;
  begin
    insert into item_alias (alias, part_no) values (taught, of_part_no);
    is_new := true;
    named := of_part_no;
  exception
    -- An import locks the items only at its end, so it may have added the name before. It was waited for.
    when unique_violation then
      select part_no into named from item_alias where alias = any(gtin_spellings(taught)) limit 1;
  end;
end
$$;

grant select on alias_gtin to inventory_api, inventory_worker, inventory_operator;
grant execute on function gtin_of to inventory_api, inventory_operator;
grant execute on function teach_alias to inventory_operator;
