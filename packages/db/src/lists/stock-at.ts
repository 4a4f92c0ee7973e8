import type { StockAt } from '@inventory/domain/contract/stock-level';
import type { PageQuery } from '@inventory/paging/page-query';
import { type Piece, piece, raw } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { itemConditions, type LevelItems, levelList } from './list-stock-levels.ts';
import type { ListReading } from './pages/list-reading.ts';
import { readLevelPage } from './pages/read-level-page.ts';
import { readPage } from './pages/read-page.ts';
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
