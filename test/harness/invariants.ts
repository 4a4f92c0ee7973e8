import type { Sql } from '@inventory/db/client';
import { expect } from 'vitest';

/** What must hold after every test: level = sum of lots = sum of entries, per gate and per lot; nothing ever deadlocked. */
export async function expectInvariants(sql: Sql): Promise<void> {
  const gates = await sql`
    select part_no, wid, level.in_stock, level.on_hold, lots.units, lots.held, entries.delta
    from stock_level as level
    full join (
      select part_no, wid, sum(units) as units, coalesce(sum(units) filter (where hold), 0) as held from lot group by 1, 2
    ) as lots using (part_no, wid)
    full join (select part_no, wid, sum(delta) as delta from stock_entry group by 1, 2) as entries using (part_no, wid)
    where coalesce(level.in_stock, -1) <> coalesce(lots.units, 0)
      or coalesce(level.in_stock, -1) <> coalesce(entries.delta, 0)
      or coalesce(level.on_hold, -1) <> coalesce(lots.held, 0)`;
  expect([...gates], 'level = lots = entries, per item and warehouse').toEqual([]);
  const lots = await sql`
    select rec_no, lot.units, entries.delta
    from lot
    full join (select rec_no, sum(delta) as delta from stock_entry group by 1) as entries using (rec_no)
    where lot.units is distinct from entries.delta`;
  expect([...lots], 'units = entries, per lot').toEqual([]);
  const moves = await sql`
    select transaction_no
    from stock_entry
    join stock_transaction using (transaction_no)
    where kind = 'move'
    group by transaction_no
    having sum(delta) <> 0`;
  expect([...moves], 'the lines of a move add up to 0').toEqual([]);
  const [{ deadlocks }] = (await sql`
    select deadlocks from pg_stat_database where datname = current_database()`) as unknown as [
    { deadlocks: number },
  ];
  expect(deadlocks, 'deadlocks').toBe(0);
}
