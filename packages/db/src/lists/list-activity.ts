import { Activity } from '@inventory/domain/contract/transaction';
import { one } from '@inventory/domain/examples';
import { Permission } from '@inventory/domain/permission';
import { requiredDateTime } from '@inventory/paging/date-time-parameter';
import { pageAnswer, pageWith } from '@inventory/paging/page';
import { pageSizeMax, pagesShape } from '@inventory/paging/page-query';
import { withinDays } from '@inventory/paging/parameters';
import { piece, raw, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { z } from 'zod';
import { pagedList } from './paged-list.ts';
import type { ListReading } from './pages/list-reading.ts';
import { pageOf, textBytes } from './pages/record-bytes.ts';
import { type Columns, columnList, dateTimeText } from './record-json.ts';
import { touching } from './touching.ts';

/** The most days in one query. */
const daysMax = { hour: 31, day: 366 };

const query = z
  .object({
    ...pagesShape(pageSizeMax.report),
    from: requiredDateTime('The first moment', { example: '2026-01-01' }),
    to: requiredDateTime('The last moment; a date: through its end, UTC', {
      through: true,
      example: '2026-01-31',
    }),
    by: z.enum(['hour', 'day'], { error: 'must be hour or day.' }).default('day').meta({
      description: 'How long each record is, UTC',
    }),
  })
  .check(withinDays(({ by }) => daysMax[by]));

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
function activityPage(
  { from, to, by, page, pageSize }: z.infer<typeof query>,
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

/** `GET /Inventory/Activity`. */
export const activity = pagedList({
  path: '/Inventory/Activity',
  isExtension: true,
  permission: Permission.ItemMasterList,
  query,
  answer: pageAnswer(Activity, 'ActivityPage'),
  bytes: pageOf(textBytes.label + 200),
  words: {
    id: 'listActivity',
    summary: 'How many transactions of each kind each client made, by hour or day',
    notes: `*Extension.* One record for each hour or day of UTC, kind and client that has any applied transaction in scope, in this order. By the
time in the ledger, at most 31 days by hour or 366 by day. It reads all of these transactions, so it takes a turn as a costly list.`,
    answer: one(
      'A day of receipts',
      pageWith({ start: '2026-01-31T00:00:00.000Z', kind: 'receive', clientId: 'demo', transactions: 9 }),
    ),
  },
  page: ({ query: asked, scope }) => activityPage(asked, scope),
});
