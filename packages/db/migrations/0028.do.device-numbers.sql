-- Numbers of devices that came, and have no transaction of their own: of operations that were applied before under another number, and of
-- those that were refused before anybody asked the stock. Without them they would be told as gaps. See src/requests/device-numbers.ts.

create table device_number (
  client_id text collate "C" not null,
  device_id text collate "C" not null,
  device_seq bigint not null check (device_seq >= 0),
  noted_at timestamptz(3) not null default clock_timestamp(),
  primary key (client_id, device_id, device_seq)
);

-- The oldest go first.
create index device_number_noted_at_idx on device_number (noted_at);

revoke all on device_number from public;
grant select, insert (client_id, device_id, device_seq) on device_number to inventory_api;
grant select on device_number to inventory_operator;

-- Removes at most `count_max` of them, the oldest first, noted before `until` and 8 days ago at least: as long as what was refused by the
-- stock stays.
create function remove_device_numbers(until timestamptz, count_max integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  removed integer;
begin
  with gone as (
    delete from device_number
    where ctid = any(array(
      select ctid
      from device_number
      where noted_at < least(until, clock_timestamp() - interval '8 days')
      order by noted_at
      limit count_max
    ))
    returning 1
  )
  select count(*) into removed from gone;
  return removed;
end
$$;

revoke all on function remove_device_numbers from public;
grant execute on function remove_device_numbers to inventory_operator;

-- As in the migration `retention-by-workers`; with each piece of transactions goes one of these numbers, which wait for no key.
create or replace function remove_outdated(days integer, pages integer, count_max integer,
  out keys integer, out transactions integer, out goes_on boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  round retention;
  remaining integer;
  numbers integer;
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
    numbers := remove_device_numbers(round.keys_until - interval '1 day', count_max);
    if not round.has_left then
      transactions := remove_undone_transactions(round.keys_until - interval '1 day', count_max);
    end if;
    if greatest(numbers, transactions) < count_max then
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
