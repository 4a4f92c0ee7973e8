-- Units per code: what one scan of an alias stands for; a case is twelve (docs/decisions/0042).

-- Existing rows have 1, so there is nothing to be checked.
alter table item_alias add column units numeric not null default 1;
alter table item_alias
  add constraint item_alias_units_check check (units > 0 and units < 1e12 and scale(units) <= 6) not valid;

create trigger alias_change_updated after update on item_alias referencing new table as touched
  for each statement execute function note_items_changed();

-- As before, with the units: of a new alias, or for one that the item has already. `stands_for`: null leaves
-- them, or gives a new alias 1. `units_now`: those of the alias, if `of_part_no` has it.
create function teach_alias(taught text, of_part_no integer, stands_for numeric, out named integer, out is_new boolean,
  out is_short_id boolean, out is_changed boolean, out units_now numeric)
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
begin
  is_new := false;
  is_short_id := false;
  is_changed := false;
  select part_no into named
  from item_alias
  where alias = any(gtin_spellings(taught))
  -- Where 0.1.0 took several spellings: this very one, else one of this item.
  order by alias = taught desc, part_no = of_part_no desc, length(alias) desc
  limit 1;
  if named is null then
    if not exists (select from item where part_no = of_part_no) then
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
  end if;
  if named is null then
    if (select count(*) from (select from item_alias where part_no = of_part_no limit 100) as few) = 100 then
      raise check_violation using constraint = 'item_alias_limit', message = 'the item has 100 aliases';
    end if;
    begin
      insert into item_alias (alias, part_no, units) values (taught, of_part_no, coalesce(stands_for, 1));
      is_new := true;
      named := of_part_no;
    exception
      -- An import locks the items only at its end, so it may have added the name before. It was waited for.
      when unique_violation then
        select part_no into named from item_alias where alias = any(gtin_spellings(taught)) limit 1;
    end;
  end if;
  if named <> of_part_no then
    return;
  end if;
  -- All spellings of a GTIN stand for the same.
  update item_alias
  set units = stands_for
  where alias = any(gtin_spellings(taught)) and part_no = of_part_no and units <> stands_for;
  is_changed := found;
  select units into units_now
  from item_alias
  where alias = any(gtin_spellings(taught)) and part_no = of_part_no
  order by alias = taught desc
  limit 1;
end
$$;

-- For processes of versions before.
create or replace function teach_alias(taught text, of_part_no integer, out named integer, out is_new boolean,
  out is_short_id boolean)
language sql security definer set search_path = public, pg_temp
begin atomic
  select named, is_new, is_short_id from teach_alias(taught, of_part_no, null);
end;

grant execute on function teach_alias(text, integer, numeric) to inventory_api, inventory_operator;
grant update (units) on item_alias to inventory_operator;
