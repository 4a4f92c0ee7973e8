import { activityPage } from '@inventory/db/lists/list-activity';
import { transactionPage, transactionSortColumns } from '@inventory/db/lists/list-transactions';
import { readLot } from '@inventory/db/lists/read-lot';
import { readTransaction } from '@inventory/db/lists/transaction-record';
import { Activity, LotWithHistory, Transaction } from '@inventory/domain/contract/transaction';
import { Text } from '@inventory/domain/fields';
import { kindNames } from '@inventory/domain/kinds/kinds';
import { Permission } from '@inventory/domain/permission';
import { noLot, noTransaction } from '@inventory/domain/refusals/refused';
import { dateTimeParameter, requiredDateTime } from '@inventory/paging/date-time-parameter';
import { pageQueryShape, pageSizeMax } from '@inventory/paging/page-query';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { answerBytes, pageBytes } from '../http/answer-bytes.ts';
import { idParameter, numberParameter, pathNumber, withinDays } from '../http/reading/parameters.ts';
import { noWarehouses, route } from '../http/route.ts';
import { pageAnswer, pageReply } from '../lists/page-reply.ts';
import { activity, oneLot, oneTransaction, transactions } from '../openapi/descriptions/history.ts';

const anyText = (description: string) => Text.optional().meta({ description });

const transactionQuery = z.object({
  ...pageQueryShape(transactionSortColumns),
  kind: z
    .enum(kindNames, { error: `must be one of ${kindNames.join(', ')}.` })
    .optional()
    .meta({ description: 'Only transactions of this kind' }),
  itemID: anyText('Only transactions of the item with this ShortID'),
  wid: idParameter('Only transactions that touched this warehouse'),
  recNo: numberParameter('Only transactions with a line of this lot, and its holds'),
  serial: anyText('Only transactions with a line of a lot with this serial, and its holds'),
  reference: anyText('Only transactions with this external reference'),
  clientId: anyText('Only transactions of this client'),
  deviceID: anyText('Only transactions of this device'),
  startDate: dateTimeParameter('Only transactions applied at this moment or later'),
  endDate: dateTimeParameter(
    'Only transactions applied at this moment or earlier; a date: through its end, UTC',
    {
      through: true,
    },
  ),
});
const TransactionPage = pageAnswer(Transaction, 'TransactionPage');
/** The most days in one query. */
const daysMax = { hour: 31, day: 366 };
const { page, pageSize } = pageQueryShape([], pageSizeMax.report);
const activityQuery = z
  .object({
    ...{ page, pageSize },
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
const ActivityPage = pageAnswer(Activity, 'ActivityPage');

/** Applied transactions and the history of lots. */
export function historyRoutes(database: Database) {
  return [
    activityRoute(database),
    route({
      method: 'GET',
      path: '/Inventory/Transactions',
      isExtension: true,
      summary: 'List applied stock transactions that touched a warehouse in scope, newest first',
      permission: Permission.ItemMasterList,
      writes: false,
      query: transactionQuery,
      warehouses: ({ query }) => (query.wid === undefined ? [] : [query.wid]),
      answer: { 200: TransactionPage },
      answerBytes: ({ query }) => pageBytes('transaction', query),
      keyed: false,
      paged: 'always',
      notFound: null,
      description: transactions,
      handle: async ({ query, ...asker }) => {
        const reading = transactionPage(query, [...asker.client.scope], query);
        return pageReply(query, await database.lists.page(reading, asker));
      },
    }),
    route({
      method: 'GET',
      path: '/Inventory/Transactions/:transactionNo',
      isExtension: true,
      summary: 'Get one applied stock transaction',
      permission: Permission.ItemMasterList,
      writes: false,
      params: z.object({ transactionNo: pathNumber('Transaction number', 17) }),
      // A transaction outside the scope gets 404.
      warehouses: noWarehouses,
      answer: { 200: Transaction },
      answerBytes: answerBytes.transaction,
      keyed: false,
      paged: 'never',
      notFound: noTransaction.message,
      description: oneTransaction,
      handle: async ({ params, client, wait }) => {
        const text = await database.reads.run(
          (sql) => readTransaction(sql, params.transactionNo, [...client.scope]),
          wait,
        );
        return text === null ? null : { status: 200, text };
      },
    }),
    route({
      method: 'GET',
      path: '/Inventory/Lots/:recNo',
      isExtension: true,
      summary: 'Get one lot with all stored values and its history',
      permission: Permission.ItemMasterList,
      writes: false,
      params: z.object({ recNo: pathNumber('Lot record number', 6) }),
      // A lot outside the scope gets 404.
      warehouses: noWarehouses,
      answer: { 200: LotWithHistory },
      answerBytes: answerBytes.lot,
      keyed: false,
      paged: 'never',
      notFound: noLot.message,
      description: oneLot,
      handle: async ({ params, client, wait }) => {
        const text = await database.reads.run((sql) => readLot(sql, params.recNo, [...client.scope]), wait);
        return text === null ? null : { status: 200, text };
      },
    }),
  ];
}

function activityRoute(database: Database) {
  return route({
    method: 'GET',
    path: '/Inventory/Activity',
    isExtension: true,
    summary: 'How many transactions of each kind each client made, by hour or day',
    permission: Permission.ItemMasterList,
    writes: false,
    query: activityQuery,
    warehouses: noWarehouses,
    answer: { 200: ActivityPage },
    answerBytes: ({ query }) => pageBytes('activity', query),
    keyed: false,
    paged: 'always',
    notFound: null,
    description: activity,
    handle: async ({ query, ...asker }) => {
      const asked = { ...query, sort: undefined, direction: 'asc' as const };
      return pageReply(asked, await database.lists.page(activityPage(query, [...asker.client.scope]), asker));
    },
  });
}
