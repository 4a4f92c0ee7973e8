import { Transaction } from '@inventory/domain/contract/transaction';
import { one } from '@inventory/domain/examples';
import { kindNames } from '@inventory/domain/kinds/kinds';
import { Permission } from '@inventory/domain/permission';
import { dateTimeParameter } from '@inventory/paging/date-time-parameter';
import { type Page, pageAnswer, pageWith } from '@inventory/paging/page';
import { type PageQuery, pageQueryShape } from '@inventory/paging/page-query';
import { idParameter, numberParameter, textParameter } from '@inventory/paging/parameters';
import { type Piece, piece, raw, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { z } from 'zod';
import { heldLot, isHold } from './holds-of-lots.ts';
import { pagedList } from './paged-list.ts';
import { firstOfFew, type ListReading } from './pages/list-reading.ts';
import { readTransactionPage } from './pages/read-transaction-page.ts';
import { sliceOf } from './pages/slice.ts';
import { recordsOnPage } from './record-json.ts';
import { transaction } from './story.ts';
import { touching } from './touching.ts';
import {
  lineBytes,
  listedLinesBytesMax,
  listedTransaction,
  touches,
  transactionBytes,
  transactionNotes,
} from './transaction-record.ts';

/**
 * Each filter narrows the list. `recNo` and `serial`: of a lot with a line in scope, or of the lot of a hold.
 * Dates: of `at`, both inclusive.
 */
const filterShape = {
  kind: z
    .enum(kindNames, { error: `must be one of ${kindNames.join(', ')}.` })
    .optional()
    .meta({ description: 'Only transactions of this kind' }),
  itemID: textParameter('Only transactions of the item with this ShortID'),
  wid: idParameter('Only transactions that touched this warehouse'),
  recNo: numberParameter('Only transactions with a line of this lot, and its holds'),
  serial: textParameter('Only transactions with a line of a lot with this serial, and its holds'),
  reference: textParameter('Only transactions with this external reference'),
  clientId: textParameter('Only transactions of this client'),
  deviceID: textParameter('Only transactions of this device'),
  startDate: dateTimeParameter('Only transactions applied at this moment or later'),
  endDate: dateTimeParameter(
    'Only transactions applied at this moment or earlier; a date: through its end, UTC',
    { through: true },
  ),
};
export type TransactionFilters = z.infer<z.ZodObject<typeof filterShape>>;

/** A condition on `stock_transaction`. */
type Narrowing = {
  name: keyof TransactionFilters;
  /** Checked for each transaction. */
  condition: Piece;
  /**
   * The same condition by an index, and a selection with at least as many rows, for counting. Null: there is
   * no index, or it finds more rows than the other filters.
   */
  found: { condition: Piece; rows: Piece; selection: Piece } | null;
};

/** The warehouses of a list: `scope` is the caller's, `wids` the part of it that the filter `wid` leaves. */
type Asked = { scope: readonly number[]; wids: readonly number[]; modifiedSince: Date | undefined };

function narrowingsOf(filters: TransactionFilters, { scope, wids, modifiedSince }: Asked): Narrowing[] {
  const { kind, itemID, recNo, serial, reference, clientId, deviceID, startDate, endDate } = filters;
  const narrowings: Narrowing[] = [];
  const byColumn = (name: Narrowing['name'], condition: Piece) =>
    narrowings.push({
      name,
      condition,
      found: {
        condition,
        rows: touching(wids, piece`*`, condition),
        selection: touching(wids, piece``, condition),
      },
    });
  const inScope = piece`stock_entry.wid = any(${scope}::integer[])`;
  const ofLotsInScope = piece`lot.wid = any(${scope}::integer[])`;
  const byLines = (name: Narrowing['name'], condition: Piece, lines: Piece, leads = true) => {
    // An array: a join would be planned for the row count that the planner expects.
    const ofLines = piece`transaction_no = any(array(select transaction_no from ${lines}))`;
    const rows = piece`select * from stock_transaction where ${ofLines} and wid is not null`;
    narrowings.push({
      name,
      condition,
      found: leads ? { condition: ofLines, rows, selection: piece`select from ${lines}` } : null,
    });
  };
  if (itemID !== undefined) {
    byColumn(
      'itemID',
      piece`stock_transaction.part_no = (select part_no from item where short_id = ${itemID})`,
    );
  }
  if (recNo !== undefined) {
    const ofLot = piece`stock_entry where rec_no = ${recNo}`;
    const hasLine = piece`(exists (
      select from ${ofLot} and stock_entry.transaction_no = stock_transaction.transaction_no and ${inScope} offset 0
    ) or (${isHold} and ${heldLot} = ${recNo}))`;
    // A lot stays in its warehouse, so either all or none of its lines are in scope.
    const lotInScope = piece`(select rec_no from lot where rec_no = ${recNo} and ${ofLotsInScope})`;
    const ofLotInScope = piece`(
      select transaction_no from stock_entry where rec_no = ${lotInScope}
      union all
      select transaction_no from stock_transaction where ${isHold} and ${heldLot} = ${lotInScope}
    ) as lines`;
    byLines('recNo', hasLine, ofLotInScope);
  }
  if (reference !== undefined) {
    byColumn('reference', piece`body->>'reference' = ${reference} and body->>'reference' is not null`);
  }
  if (deviceID !== undefined) byColumn('deviceID', piece`device_id = ${deviceID}`);
  if (startDate !== undefined || endDate !== undefined) {
    const end = endDate ?? new Date('9999-12-31T23:59:59.999Z');
    byColumn('startDate', piece`at >= ${startDate ?? new Date(0)} and at <= ${end}`);
  }
  if (serial !== undefined) {
    // The index excludes blank serials.
    const ofSerial =
      serial === '' ? piece`lot.serial = ''` : piece`lot.serial = ${serial} and lot.serial <> ''`;
    // Almost all lots may be without a serial, and a single lot has fewer transactions than any serial.
    const isNarrowed = narrowings.length > 0 || modifiedSince !== undefined;
    const leads = recNo === undefined && !(serial === '' && isNarrowed);
    // Begins with the transaction's own lines: a plan that begins with the lots of the serial would scan all
    // of them for each transaction.
    const hasLine = piece`(exists (
      select from (
        select rec_no from stock_entry
        where stock_entry.transaction_no = stock_transaction.transaction_no and ${inScope}
        offset 0
      ) as line
      where (select lot.serial from lot where lot.rec_no = line.rec_no) = ${serial}
    ) or (${isHold} and (select lot.serial from lot where lot.rec_no = ${heldLot}) = ${serial}))`;
    const ofLots = piece`(
      select transaction_no from lot join stock_entry using (rec_no) where ${ofLotsInScope} and ${ofSerial}
      union all
      select transaction_no
      from lot
      join stock_transaction on ${isHold} and ${heldLot} = lot.rec_no
      where ${ofLotsInScope} and ${ofSerial}
    ) as lines`;
    byLines('serial', hasLine, ofLots, leads);
  }
  if (kind !== undefined) narrowings.push({ name: 'kind', condition: piece`kind = ${kind}`, found: null });
  if (clientId !== undefined) {
    narrowings.push({ name: 'clientId', condition: piece`client_id = ${clientId}`, found: null });
  }
  return narrowings;
}

/**
 * The transactions of these warehouses that have changed since, each found by an index. A transaction changes
 * only when it is reversed, by one that touches the same warehouses.
 */
function changedSince(wids: readonly number[], since: Date): Piece {
  return piece`
    ${touching(wids, piece`*`, piece`at >= ${since}`)}
    union all
    select * from stock_transaction
    where wid is not null and at < ${since}
      and transaction_no = any(array(${touching(wids, piece`reverses`, piece`at >= ${since} and reverses is not null`)}))`;
}

/** The same, checked for each transaction. */
function hasChanged(since: Date): Piece {
  return piece`(
    at >= ${since}
    or exists (
      select from stock_transaction as reversal
      where reversal.reverses = stock_transaction.transaction_no and reversal.at >= ${since}
      offset 0
    )
  )`;
}

/**
 * Chooses how a page of applied transactions is read: those that touched a warehouse in scope, or `wid`,
 * which is one of them. Default order: newest first. Each shows its first lines in scope.
 */
export function transactionPage(
  query: PageQuery,
  scope: readonly number[],
  filters: TransactionFilters,
): ListReading {
  const wids = filters.wid === undefined ? scope : [filters.wid];
  const slice = sliceOf(query, 'transactionNo', 'desc');
  // Listed by name, because `filters` may contain other parts of the query that do not narrow the list.
  const { kind, itemID, recNo, serial, reference, clientId, deviceID, startDate, endDate } = filters;
  const { modifiedSince } = query;
  const withIndex = [itemID, recNo, reference, deviceID, startDate, endDate, modifiedSince];
  const isGiven = (filter: unknown) => filter !== undefined;
  const isCounted = ![...withIndex, serial, kind, clientId].some(isGiven);
  if (slice !== null && isCounted) {
    return {
      cost: 'page',
      read: (sql) => readTransactionPage(sql, wids, slice, listedTransaction(scope, query.pageSize)),
    };
  }
  const asked: Asked = { scope, wids, modifiedSince };
  const read = (sql: Sql, few: Few = null) => readMatches(sql, query, asked, filters, few);
  const findFew = async (sql: Sql) => {
    const looks: { few: Few; selection: Piece }[] = narrowingsOf(filters, asked).flatMap(({ name, found }) =>
      found === null ? [] : [{ few: name, selection: found.selection }],
    );
    if (modifiedSince !== undefined) {
      looks.push({
        few: 'modifiedSince',
        selection: touching(wids, piece``, piece`at >= ${modifiedSince}`),
      });
    }
    const found = await firstOfFew(sql, looks);
    return found && ((own: Sql) => read(own, found.few));
  };
  const hasIndex = withIndex.some(isGiven) || (serial !== undefined && serial !== '');
  return hasIndex ? { cost: 'matches', findFew, read } : { cost: 'everything', read };
}

/** The filter that is searched first; the others are checked on its matches. Null: Postgres chooses. */
type Few = Narrowing['name'] | 'modifiedSince' | null;

/** Finds all matches once, for the total and the page, so every page costs the same. */
async function readMatches(
  sql: Sql,
  query: PageQuery,
  asked: Asked,
  filters: TransactionFilters,
  few: Few,
): Promise<Page> {
  const direction = raw(query.sort !== undefined && query.direction === 'asc' ? 'asc' : 'desc');
  const matching = piece`
    select transaction_no
    from ${matchingFrom(asked, filters, few)} and ${touches(asked.wids)}`;
  const [row] = await send<{ total_count: number; records: string }>(sql)`
    with matching as materialized (${matching}), page as materialized (
      select transaction_no
      from matching
      order by transaction_no ${direction}
      limit ${query.pageSize} offset ${((query.page - 1) * query.pageSize).toString()}::bigint
    )
    select (select count(*) from matching) as total_count,
      ${recordsOnPage(listedTransaction(asked.scope, query.pageSize), {
        from: piece`stock_transaction where stock_transaction.transaction_no = page.transaction_no`,
        order: piece`page.transaction_no ${direction}`,
      })} as records`;
  return { totalCount: row!.total_count, records: row!.records };
}

/** `from` and `where` for all matches of the filters. */
function matchingFrom(asked: Asked, filters: TransactionFilters, few: Few): Piece {
  const { modifiedSince, wids } = asked;
  const narrowings = narrowingsOf(filters, asked);
  const conditions = narrowings
    .filter(({ name }) => name !== few)
    .map(({ condition, found }) => (few === null && found !== null ? found.condition : condition))
    .reduce((all, each) => piece`${all} and ${each}`, piece`true`);
  const changed = () => changedSince(wids, modifiedSince!);
  if (few === 'modifiedSince') return piece`(${changed()} offset 0) as stock_transaction where ${conditions}`;
  if (few !== null) {
    const { rows } = narrowings.find(({ name }) => name === few)!.found!;
    const since = modifiedSince === undefined ? piece`true` : hasChanged(modifiedSince);
    return piece`(${rows} offset 0) as stock_transaction where ${conditions} and ${since}`;
  }
  return modifiedSince === undefined
    ? piece`stock_transaction where ${conditions}`
    : piece`(${changed()}) as stock_transaction where ${conditions}`;
}

/** `GET /Inventory/Transactions`. */
export const transactions = pagedList({
  path: '/Inventory/Transactions',
  isExtension: true,
  permission: Permission.ItemMasterList,
  query: z.object({ ...pageQueryShape(['transactionNo']), ...filterShape }),
  warehouses: ({ query }) => (query.wid === undefined ? [] : [query.wid]),
  answer: pageAnswer(Transaction, 'TransactionPage'),
  bytes: ({ pageSize }) => listedLinesBytesMax + pageSize * (transactionBytes + lineBytes),
  words: {
    id: 'listTransactions',
    summary: 'List applied stock transactions that touched a warehouse in scope, newest first',
    notes: `
*Extension.* Newest first: by \`transactionNo\`, descending. ${transactionNotes} All filters must match. \`wid\` out of scope: 403. With
\`modifiedSince\`, a transaction counts as modified when it is reversed, because \`reversedBy\` changes.`,
    answer: one('One transaction', pageWith(transaction)),
  },
  page: ({ query, scope }) => transactionPage(query, scope, query),
});
