import { StockAt } from '@inventory/domain/contract/stock-level';
import { one } from '@inventory/domain/examples';
import { Permission } from '@inventory/domain/permission';
import { requiredDateTime } from '@inventory/paging/date-time-parameter';
import { pageAnswer, pageWith } from '@inventory/paging/page';
import { inOrder, type PageQuery, pagesShape } from '@inventory/paging/page-query';
import { idParameter, idsParameter, textParameter } from '@inventory/paging/parameters';
import { type Piece, piece, raw } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { z } from 'zod';
import { itemConditions, type LevelItems, levelList, partNosMax } from './list-stock-levels.ts';
import { pagedList } from './paged-list.ts';
import type { ListReading } from './pages/list-reading.ts';
import { readLevelPage } from './pages/read-level-page.ts';
import { readPage } from './pages/read-page.ts';
import { pageOf, textBytes } from './pages/record-bytes.ts';
import { type Columns, columnList } from './record-json.ts';

// A transaction's number is drawn at about its moment. A clock that was ahead by up to a day and was set back
// gave later transactions an earlier time, if no list had told a time meanwhile.
const aheadMax = raw(`interval '26 hours'`);

/**
 * The units of an item by which these warehouses have changed since the end of `time`. All transactions since
 * have greater numbers than one that was over a day before `time`, so only those are read, by the index of
 * the item.
 */
function changedSince(time: Piece, wids: readonly number[]): Piece {
  return piece`coalesce((
    select sum(delta)
    from (${transactionsSince(time, wids, piece`stock_level.part_no`)}) as later
    join stock_entry using (transaction_no)
    where stock_entry.wid = any(${wids}::integer[])
  ), 0)`;
}

/** The numbers of an item's transactions in these warehouses since the end of `time`. Needs `past`. */
export function transactionsSince(time: Piece, wids: readonly number[], partNo: Piece): Piece {
  const scope = piece`${wids}::integer[]`;
  const since = piece`
    select transaction_no
    from stock_transaction
    where part_no = ${partNo} and transaction_no > (select last_before from past) and at > ${time}`;
  return piece`
    ${since} and wid = any(${scope}) and wid is not null
    union all
    ${since} and to_wid = any(${scope}) and to_wid is not null and wid <> all(${scope})`;
}

/** The greatest number of a transaction in these warehouses that was over well before `time`. */
export function past(time: Piece, wids: readonly number[]): Piece {
  return piece`
    select coalesce(max(transaction_no), 0) as last_before
    from unnest(${wids}::integer[]) as asked (wid)
    cross join lateral (
      select transaction_no
      from stock_transaction
      where stock_transaction.wid = asked.wid and stock_transaction.wid is not null and at < ${time} - ${aheadMax}
      order by at desc
      limit 1
    ) as last`;
}

const names: Columns<Exclude<keyof StockAt, 'inStock'>> = {
  partNo: 'stock_level.part_no',
  shortID: '(select short_id from item where item.part_no = stock_level.part_no)',
  description: '(select description from item where item.part_no = stock_level.part_no)',
};

/**
 * Chooses how a page of the stock at the end of a moment is read, by partNo: one record for each item with a
 * level now, summed over these warehouses, from the ledger. Exact for a time that `readNextModifiedSince` has
 * passed; then no change can come before it any more.
 */
export function stockAtPage(
  query: PageQuery,
  wids: readonly number[],
  { time, ...items }: LevelItems & { time: Date },
): ListReading {
  const moment = piece`${time}::timestamptz`;
  const record = piece`(
    with past as materialized (${past(moment, wids)})
    select row_to_json(record)
    from (
      select ${raw(columnList(names))}, trim_scale(sum(stock_level.in_stock) - ${changedSince(moment, wids)}) as "inStock"
    ) as record
  )::text`;
  const conditions = itemConditions(items);
  const read = (sql: Sql) => {
    if (conditions.length === 0) {
      const { page, pageSize } = query;
      return readLevelPage(
        sql,
        wids,
        { offset: (page - 1) * pageSize, limit: pageSize, backwards: false },
        record,
      );
    }
    const inScope = piece`wid = any(${wids}::integer[]) and used`;
    const where = conditions.reduce((all, condition) => piece`${all} and ${condition}`, inScope);
    return readPage(sql, query, { ...levelList, where, record });
  };
  return { cost: 'everything', read };
}

const moment = requiredDateTime('The moment; a date: its end, UTC', { through: true, example: '2026-01-31' });

/** `GET /Inventory/StockAt`. `now`: the clock of Postgres, in milliseconds since 1970. */
export const stockAt = (now: () => number) =>
  pagedList({
    path: '/Inventory/StockAt',
    isExtension: true,
    permission: Permission.ItemMasterList,
    query: z.object({
      ...pagesShape(),
      // A time without a fraction means the whole second.
      time: moment
        .refine((time) => time.getTime() < now() + 1000, { error: 'must not be in the future.' })
        .meta(moment.meta()!),
      wid: idParameter('Only stock in this warehouse'),
      itemID: textParameter('Only the item with this ShortID'),
      partNo: idParameter('Only the item with this part number'),
      partNos: idsParameter(`Only items with these part numbers, up to ${partNosMax}`, partNosMax),
    }),
    warehouses: ({ query }) => (query.wid === undefined ? [] : [query.wid]),
    answer: pageAnswer(StockAt, 'StockAtPage'),
    bytes: pageOf(300 + textBytes.shortId + textBytes.description),
    settled: ({ time }) => time,
    words: {
      id: 'listStockAt',
      summary: 'The stock per item at the end of a moment',
      notes: `*Extension.* The units in stock at the end of a moment, from the ledger: every transaction up to that moment counts, and none
after it. By \`partNo\`: one record for each item that has a stock level now, with 0 if there was no stock. Summed over the warehouses in the
client's scope, or in one. The answer for a moment never changes: a call for the last two seconds waits until they are over, and gets 503
while a change stays open for long. A moment in the future: 400. Lists for moments long ago take longer, and take turns with other costly lists.`,
      answer: one(
        'With `?time=2026-01-31`, before the stock of the demo came',
        pageWith({ partNo: 5, shortID: 'PAINT-WHITE', description: 'Wall paint, white', inStock: 0 }),
      ),
    },
    page: ({ query: { wid, ...query }, scope }) =>
      stockAtPage(inOrder(query), wid === undefined ? scope : [wid], query),
  });
