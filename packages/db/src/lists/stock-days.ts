import type { StockDay } from '@inventory/domain/contract/stock-level';
import { piece, raw, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { past, transactionsSince } from './list-stock-at.ts';
import type { ListReading } from './pages/list-reading.ts';
import { type Columns, columnList } from './record-json.ts';

/** The days from one to another, both inclusive; each by its first moment, UTC. */
export type Days = { from: Date; to: Date };

const columns: Columns<keyof StockDay> = {
  day: `to_char(days.day, 'YYYY-MM-DD')`,
  received: 'trim_scale(coalesce(received, 0))',
  issued: 'trim_scale(coalesce(issued, 0))',
  movedIn: 'trim_scale(coalesce(moved_in, 0))',
  movedOut: 'trim_scale(coalesce(moved_out, 0))',
  counted: 'trim_scale(coalesce(counted, 0))',
  inStock: 'trim_scale((select units from now) - coalesce(changed_later, 0))',
};

/**
 * Reads what happened to the stock of an item on each of these days, over these warehouses, from the ledger.
 * What was undone counts as less of what it undid. Exact once the days are over, see `stockAtPage`.
 */
export function stockDays(
  { from, to }: Days,
  wids: readonly number[],
  partNo: number,
): Extract<ListReading, { cost: 'everything' | 'page' }> {
  // The first day of all has none before it that a Date could hold.
  const before = piece`(${from}::timestamptz - interval '1 millisecond')`;
  const read = async (sql: Sql) => {
    const [row] = await send<{ total_count: number; records: string }>(sql)`
      with past as materialized (${past(before, wids)}),
      now as materialized (
        select coalesce(sum(in_stock), 0) as units
        from stock_level
        where part_no = ${partNo} and wid = any(${wids}::integer[])
      ), nets as (
        -- Within the warehouses, units that moved were there before and after.
        select (made.at at time zone 'UTC')::date as day, coalesce(undone.kind, made.kind) as kind,
          made.reverses is not null as is_reversal, sum(delta) as net
        from (${transactionsSince(before, wids, piece`${partNo}`)}) as later
        join stock_transaction as made using (transaction_no)
        left join stock_transaction as undone on undone.transaction_no = made.reverses
        join stock_entry on stock_entry.transaction_no = made.transaction_no and stock_entry.wid = any(${wids}::integer[])
        group by made.transaction_no, made.at, 2, 3
      ), sums as materialized (
        select day, sum(net) filter (where kind = 'receive') as received, -sum(net) filter (where kind = 'issue') as issued,
          sum(net) filter (where kind = 'move' and (net > 0) <> is_reversal) as moved_in,
          -sum(net) filter (where kind = 'move' and (net > 0) = is_reversal) as moved_out,
          sum(net) filter (where kind = 'count') as counted, sum(net) as net
        from nets
        group by day
      ), days as (
        select day::date
        from generate_series(${from}::timestamptz at time zone 'UTC', ${to}::timestamptz at time zone 'UTC', interval '1 day') as day
      )
      select count(*) as total_count, string_agg(record, ',' order by day) as records
      from (
        select days.day, (select row_to_json(record) from (select ${raw(columnList(columns))}) as record)::text as record
        from days
        left join sums using (day)
        cross join lateral (select sum(net) as changed_later from sums as later where later.day > days.day) as after_it
      ) as told`;
    return { totalCount: row!.total_count, records: row!.records };
  };
  return { cost: 'everything', read };
}
