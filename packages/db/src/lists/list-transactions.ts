import type { Page } from '@inventory/paging/page-envelope';
import type { PageQuery } from '@inventory/paging/page-query';
import type { Fragment, Sql } from '../client.ts';
import { firstOfFew, type ListReading } from './list-reading.ts';
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

/** A condition on `stock_transaction`. */
type Narrowing = {
  name: keyof TransactionFilters;
  /** Asked of each. */
  condition: Fragment;
  /**
   * The same by an index that leads to what it leaves, and rows to be counted, at least as many. Null: there
   * is none, or it leads to more than other filters leave.
   */
  found: { condition: Fragment; selection: Fragment } | null;
};

/**
 * The array of the transactions with such a line: a join would be planned for as many as the planner expects.
 */
const ofLines = (sql: Sql, lines: Fragment) =>
  sql`transaction_no = any(array(select transaction_no from ${lines}))`;

function narrowingsOf(
  sql: Sql,
  filters: TransactionFilters,
  wids: readonly number[],
  modifiedSince: PageQuery['modifiedSince'],
): Narrowing[] {
  const { kind, itemID, recNo, serial, reference, clientId, deviceID, startDate, endDate } = filters;
  const narrowings: Narrowing[] = [];
  const byColumn = (name: Narrowing['name'], condition: Fragment) =>
    narrowings.push({
      name,
      condition,
      found: {
        condition,
        selection: sql`select from stock_transaction where ${condition} and wid is not null`,
      },
    });
  const inScope = sql`stock_entry.wid = any(${wids as number[]}::integer[])`;
  // Lines are counted whatever their warehouse: to pass over those of others costs as much as to find some.
  const byLines = (name: Narrowing['name'], condition: Fragment, lines: Fragment, leads = true) =>
    narrowings.push({
      name,
      condition,
      found: leads
        ? { condition: ofLines(sql, sql`${lines} and ${inScope}`), selection: sql`select from ${lines}` }
        : null,
    });
  if (itemID !== undefined) {
    byColumn(
      'itemID',
      sql`stock_transaction.part_no = (select part_no from item where short_id = ${itemID})`,
    );
  }
  if (recNo !== undefined) {
    const ofLot = sql`stock_entry where rec_no = ${recNo}`;
    const hasLine = sql`exists (
      select from ${ofLot} and stock_entry.transaction_no = stock_transaction.transaction_no and ${inScope} offset 0
    )`;
    byLines('recNo', hasLine, ofLot);
  }
  if (reference !== undefined) {
    byColumn('reference', sql`body->>'reference' = ${reference} and body->>'reference' is not null`);
  }
  if (deviceID !== undefined) byColumn('deviceID', sql`device_id = ${deviceID}`);
  if (startDate !== undefined || endDate !== undefined) {
    const end = endDate ?? new Date('9999-12-31T23:59:59.999Z');
    byColumn('startDate', sql`at >= ${startDate ?? new Date(0)} and at <= ${end}`);
  }
  if (serial !== undefined) {
    // The index leaves out the blank ones.
    const ofSerial = serial === '' ? sql`lot.serial = ''` : sql`lot.serial = ${serial} and lot.serial <> ''`;
    // Nearly every lot may be without a serial, and one lot has fewer transactions than any serial.
    const isNarrowed = narrowings.length > 0 || modifiedSince !== undefined;
    const leads = recNo === undefined && !(serial === '' && isNarrowed);
    // Its own lines first: a plan that begins with the lots of the serial would pass over them for each.
    const hasLine = sql`exists (
      select from (
        select rec_no from stock_entry
        where stock_entry.transaction_no = stock_transaction.transaction_no and ${inScope}
        offset 0
      ) as line
      where (select lot.serial from lot where lot.rec_no = line.rec_no) = ${serial}
    )`;
    byLines('serial', hasLine, sql`lot join stock_entry using (rec_no) where ${ofSerial}`, leads);
  }
  if (kind !== undefined) narrowings.push({ name: 'kind', condition: sql`kind = ${kind}`, found: null });
  if (clientId !== undefined) {
    narrowings.push({ name: 'clientId', condition: sql`client_id = ${clientId}`, found: null });
  }
  return narrowings;
}

/**
 * The transactions that have changed since, each found by an index. One changes once more: when it is undone.
 */
function changedSince(sql: Sql, since: Date): Fragment {
  return sql`
    select * from stock_transaction where wid is not null and at >= ${since}
    union all
    select * from stock_transaction
    where wid is not null and at < ${since}
      and transaction_no = any(array(
        select reverses from stock_transaction
        where reverses is not null and wid is not null and at >= ${since}
      ))`;
}

/** Whether it has, asked of each. */
function hasChanged(sql: Sql, since: Date): Fragment {
  return sql`(
    at >= ${since}
    or exists (
      select from stock_transaction as reversal
      where reversal.reverses = stock_transaction.transaction_no and reversal.at >= ${since}
      offset 0
    )
  )`;
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
  const read = (sql: Sql, few: Few = null) => readMatches(sql, query, scope, wids, filters, few);
  const findFew = async (sql: Sql) => {
    const looks: { few: Few; selection: Fragment }[] = narrowingsOf(
      sql,
      filters,
      scope,
      modifiedSince,
    ).flatMap(({ name, found }) => (found === null ? [] : [{ few: name, selection: found.selection }]));
    if (modifiedSince !== undefined) {
      looks.push({
        few: 'modifiedSince',
        selection: sql`select from stock_transaction where at >= ${modifiedSince} and wid is not null`,
      });
    }
    const found = await firstOfFew(sql, looks);
    return found && ((own: Sql) => read(own, found.few));
  };
  const hasIndex = withIndex.some(isGiven) || (serial !== undefined && serial !== '');
  return hasIndex ? { cost: 'matches', findFew, read } : { cost: 'everything', read };
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

/** The filter that is found first, the others being asked of what it leaves; null: Postgres chooses. */
type Few = Narrowing['name'] | 'modifiedSince' | null;

/** All that match are found once, for the total and the page: so every page costs the same. */
async function readMatches(
  sql: Sql,
  query: PageQuery,
  scope: readonly number[],
  wids: readonly number[],
  filters: TransactionFilters,
  few: Few,
): Promise<Page> {
  const direction = sql.unsafe(query.sort !== undefined && query.direction === 'asc' ? 'asc' : 'desc');
  const matching = sql`
    select transaction_no
    from ${matchingFrom(sql, query, scope, filters, few)} and ${touches(sql, wids)}`;
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

/** The `from` and `where` of all that the filters leave. */
function matchingFrom(
  sql: Sql,
  { modifiedSince }: PageQuery,
  scope: readonly number[],
  filters: TransactionFilters,
  few: Few,
): Fragment {
  const narrowings = narrowingsOf(sql, filters, scope, modifiedSince);
  const asked = narrowings
    .filter(({ name }) => name !== few)
    .map(({ condition, found }) => (few === null && found !== null ? found.condition : condition))
    .reduce((all, each) => sql`${all} and ${each}`, sql`true`);
  const changed = () => changedSince(sql, modifiedSince!);
  if (few === 'modifiedSince') return sql`(${changed()} offset 0) as stock_transaction where ${asked}`;
  if (few !== null) {
    const { condition } = narrowings.find(({ name }) => name === few)!.found!;
    const since = modifiedSince === undefined ? sql`true` : hasChanged(sql, modifiedSince);
    return sql`
      (select * from stock_transaction where ${condition} and wid is not null offset 0) as stock_transaction
      where ${asked} and ${since}`;
  }
  return modifiedSince === undefined
    ? sql`stock_transaction where ${asked}`
    : sql`(${changed()}) as stock_transaction where ${asked}`;
}
