import type { Page } from '@inventory/paging/page-envelope';
import type { PageQuery } from '@inventory/paging/page-query';
import type { Fragment, Sql } from '../client.ts';
import { type ListReading, leavesFew } from './list-reading.ts';
import { readTransactionPage } from './read-transaction-page.ts';
import { recordsOnPage } from './record-json.ts';
import { sliceOf } from './slice.ts';
import { listedLinesMax, touches, transactionRecord } from './transaction-record.ts';

/** The column that the history can be sorted by. */
export const transactionSortColumns = ['transactionNo'];

/**
 * Each narrows the list. `recNo` and `serial`: of a lot with a line in scope; dates: of `at`, both included.
 */
export type TransactionFilters = {
  kind?: string | undefined;
  itemID?: string | undefined;
  wid?: number | undefined;
  recNo?: number | undefined;
  serial?: string | undefined;
  reference?: string | undefined;
  clientId?: string | undefined;
  deviceID?: string | undefined;
  startDate?: Date | undefined;
  endDate?: Date | undefined;
};

type Narrowing = {
  /** On `stock_transaction`. */
  condition: Fragment;
  /** Rows that an index leads to, at least as many as it leaves; null: there is none. */
  look: { table: string; condition: Fragment } | null;
};

const history = 'stock_transaction';

function narrowingsOf(
  sql: Sql,
  filters: TransactionFilters,
  wids: readonly number[],
  modifiedSince: PageQuery['modifiedSince'],
): Narrowing[] {
  const { kind, itemID, recNo, serial, reference, clientId, deviceID, startDate, endDate } = filters;
  const narrowings: Narrowing[] = [];
  const byIndex = (make: () => Fragment) =>
    narrowings.push({
      condition: make(),
      look: { table: history, condition: sql`${make()} and wid is not null` },
    });
  const inScope = () => sql`stock_entry.wid = any(${wids as number[]}::integer[])`;
  if (itemID !== undefined) {
    byIndex(() => sql`stock_transaction.part_no = (select part_no from item where short_id = ${itemID})`);
  }
  // The numbers as an array: a join would be planned for as many as the planner expects.
  if (recNo !== undefined) {
    const lines = () => sql`stock_entry.rec_no = ${recNo} and ${inScope()}`;
    narrowings.push({
      condition: sql`transaction_no = any(array(select transaction_no from stock_entry where ${lines()}))`,
      look: { table: 'stock_entry', condition: lines() },
    });
  }
  if (reference !== undefined) {
    byIndex(() => sql`body->>'reference' = ${reference} and body->>'reference' is not null`);
  }
  if (deviceID !== undefined) byIndex(() => sql`device_id = ${deviceID}`);
  if (startDate !== undefined || endDate !== undefined) {
    byIndex(
      () =>
        sql`at >= ${startDate ?? new Date(0)} and at <= ${endDate ?? new Date('9999-12-31T23:59:59.999Z')}`,
    );
  }
  if (serial !== undefined) {
    // The index leaves out the blank ones.
    const lines = () =>
      serial === ''
        ? sql`lot.serial = '' and ${inScope()}`
        : sql`lot.serial = ${serial} and lot.serial <> '' and ${inScope()}`;
    const table = 'lot join stock_entry using (rec_no)';
    // Nearly every lot may be without a serial: what anything else leads to is asked one by one. So is what
    // belongs to one lot.
    const isNarrowed = narrowings.length > 0 || modifiedSince !== undefined;
    const isAsked = recNo !== undefined || (serial === '' && isNarrowed);
    narrowings.push({
      condition: isAsked
        ? sql`exists (
            select from ${sql.unsafe(table)}
            where stock_entry.transaction_no = stock_transaction.transaction_no and ${lines()}
            offset 0
          )`
        : sql`transaction_no = any(array(select transaction_no from ${sql.unsafe(table)} where ${lines()}))`,
      look: serial === '' ? null : { table, condition: lines() },
    });
  }
  if (kind !== undefined) narrowings.push({ condition: sql`kind = ${kind}`, look: null });
  if (clientId !== undefined) narrowings.push({ condition: sql`client_id = ${clientId}`, look: null });
  return narrowings;
}

/**
 * How a page of the applied transactions is read that touched a warehouse in scope, or `wid`, which is one of
 * them; newest first unless sorted otherwise. Each shows its first lines in scope.
 */
export function transactionPage(
  query: PageQuery,
  scope: readonly number[],
  filters: TransactionFilters,
): ListReading {
  const wids = filters.wid === undefined ? scope : [filters.wid];
  const slice = sliceOf(query, 'transactionNo', 'desc');
  // By name: the filters may come with the rest of a query, which narrows nothing.
  const { kind, itemID, recNo, serial, reference, clientId, deviceID, startDate, endDate } = filters;
  const { modifiedSince } = query;
  const withIndex = [itemID, recNo, reference, deviceID, startDate, endDate, modifiedSince];
  const isGiven = (filter: unknown) => filter !== undefined;
  const isCounted = ![...withIndex, serial, kind, clientId].some(isGiven);
  if (slice !== null && isCounted) {
    return {
      cost: 'page',
      read: (sql) => readTransactionPage(sql, wids, slice, transactionRecord(sql, scope, listedLinesMax)),
    };
  }
  const read = (sql: Sql) => readMatches(sql, query, scope, wids, filters);
  const isNarrow = (sql: Sql) =>
    narrowingsOf(sql, filters, scope, modifiedSince).flatMap(({ look }) => look ?? []);
  const hasFew = async (sql: Sql) => {
    for (const { table, condition } of isNarrow(sql)) {
      if (await leavesFew(sql, [sql`select from ${sql.unsafe(table)} where ${condition}`])) return true;
    }
    if (modifiedSince === undefined) return false;
    return leavesFew(sql, [
      sql`select from stock_transaction where at >= ${modifiedSince} and wid is not null`,
    ]);
  };
  const hasIndex = withIndex.some(isGiven) || (serial !== undefined && serial !== '');
  return hasIndex ? { cost: 'matches', hasFew, read } : { cost: 'everything', read };
}

/** Such a page, read. */
export function listTransactions(
  sql: Sql,
  query: PageQuery,
  scope: readonly number[],
  filters: TransactionFilters,
): Promise<Page> {
  return transactionPage(query, scope, filters).read(sql);
}

/** All that match are found once, for the total and the page: so every page costs the same. */
async function readMatches(
  sql: Sql,
  query: PageQuery,
  scope: readonly number[],
  wids: readonly number[],
  filters: TransactionFilters,
): Promise<Page> {
  const direction = sql.unsafe(query.sort !== undefined && query.direction === 'asc' ? 'asc' : 'desc');
  const where = () =>
    narrowingsOf(sql, filters, scope, query.modifiedSince).reduce(
      (all, { condition }) => sql`${all} and ${condition}`,
      touches(sql, wids),
    );
  const { modifiedSince } = query;
  const matching =
    modifiedSince === undefined
      ? sql`select transaction_no from stock_transaction where ${where()}`
      : // A transaction changes once more: when it is undone. No row meets both conditions, and each has an index.
        sql`
          (select transaction_no from stock_transaction where ${where()} and at >= ${modifiedSince} offset 0)
          union all
          (
            select transaction_no
            from stock_transaction
            where ${where()} and at < ${modifiedSince}
              and transaction_no = any(array(
                select reverses from stock_transaction
                where reverses is not null and wid is not null and at >= ${modifiedSince}
              ))
            offset 0
          )`;
  const [row] = await sql<{ total_count: number; records: string }[]>`
    with matching as materialized (${matching}), page as materialized (
      select transaction_no
      from matching
      order by transaction_no ${direction}
      limit ${query.pageSize} offset ${((query.page - 1) * query.pageSize).toString()}::bigint
    )
    select (select count(*) from matching) as total_count,
      ${recordsOnPage(sql, transactionRecord(sql, scope, listedLinesMax), {
        from: sql`stock_transaction where stock_transaction.transaction_no = page.transaction_no`,
        order: sql`page.transaction_no ${direction}`,
      })} as records`;
  return { totalCount: row!.total_count, records: row!.records };
}
