-- Gaps in the numbers of devices are not told any more: a client that may change nothing filled the disk with a row for each refused
-- operation.
-- squawk-ignore-file ban-drop-table

drop table device_number;
drop function remove_device_numbers;

-- As in the migration `retention-by-workers`.
create or replace function remove_outdated(days integer, pages integer, count_max integer,
  out keys integer, out transactions integer, out goes_on boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  round retention;
  remaining integer;
begin
  keys := 0;
  transactions := 0;
  goes_on := false;
  -- A look, which nobody waits for and which writes nothing.
  if not exists (select from retention where next_page is not null or ended < clock_timestamp() - interval '1 hour') then
    return;
  end if;
  select * into round from retention for update skip locked;
  -- Another worker is at it.
  if not found then
    return;
  end if;
  if round.next_page is null then
    if round.ended >= clock_timestamp() - interval '1 hour' then
      return;
    end if;
    round.keys_until := clock_timestamp() - greatest(days, 7) * interval '1 day';
    round.next_page := 0;
    round.has_left := false;
  end if;
  goes_on := true;
  if round.next_page < pg_relation_size('idempotency_key') / current_setting('block_size')::integer then
    select old.removed, old.remaining into keys, remaining
    from remove_old_keys(round.keys_until, round.next_page, pages) as old;
    round.next_page := round.next_page + pages;
    round.has_left := round.has_left or remaining > 0;
  else
    if not round.has_left then
      transactions := remove_undone_transactions(round.keys_until - interval '1 day', count_max);
    end if;
    if transactions < count_max then
      goes_on := false;
      round.keys_until := null;
      round.next_page := null;
      round.ended := clock_timestamp();
    end if;
  end if;
  update retention
  set keys_until = round.keys_until, next_page = round.next_page, has_left = round.has_left, ended = round.ended;
end
$$;

-- The api of the version before writes the table. No code was ever of this migration without the next one.
update schema_compatibility set oldest = 30;
