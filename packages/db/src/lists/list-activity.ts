import type { Activity } from '@inventory/domain/contract/transaction';
import { piece, raw, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import type { ListReading } from './pages/list-reading.ts';
import { type Columns, columnList, dateTimeText } from './record-json.ts';
import { touching } from './touching.ts';

export type ActivityOptions = { from: Date; to: Date; by: 'hour' | 'day'; page: number; pageSize: number };

const columns: Columns<keyof Activity> = {
  start: dateTimeText(`(start at time zone 'UTC')`),
  kind: 'kind',
  clientId: 'client_id',
  transactions: 'transactions',
};

/**
 * Chooses how a page of the activity is read: how many transactions of each kind each client made in these
 * warehouses, for each hour or day of UTC that has any, in order. `to`: inclusive.
 */
export function activityPage(
  { from, to, by, page, pageSize }: ActivityOptions,
  wids: readonly number[],
): ListReading {
  const made = touching(
    wids,
    piece`at, kind, client_id`,
    piece`wid is not null and at >= ${from} and at <= ${to}`,
  );
  const read = async (sql: Sql) => {
    const [row] = await send<{ total_count: number; records: string }>(sql)`
      with counted as materialized (
        select date_trunc(${by}::text, at at time zone 'UTC') as start, kind, client_id, count(*) as transactions
        from (${made}) as made
        group by 1, 2, 3
      )
      select (select count(*) from counted) as total_count, (
          select coalesce(string_agg(record, ',' order by start, kind, client_id), '')
          from (
            select start, kind, client_id,
              (select row_to_json(record) from (select ${raw(columnList(columns))}) as record)::text as record
            from counted
            order by start, kind, client_id
            limit ${pageSize} offset ${((page - 1) * pageSize).toString()}::bigint
          ) as shown
        ) as records`;
    return { totalCount: row!.total_count, records: row!.records };
  };
  return { cost: 'everything', read };
}
