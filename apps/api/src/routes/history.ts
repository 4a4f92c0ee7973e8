import { transactionPage, transactionSortColumns } from '@inventory/db/lists/list-transactions';
import { readLot } from '@inventory/db/lists/read-lot';
import { readTransaction } from '@inventory/db/lists/transaction-record';
import { LotWithHistory, Transaction } from '@inventory/domain/contract/transaction';
import { Text } from '@inventory/domain/fields';
import { kindNames } from '@inventory/domain/kinds/kinds';
import { Permission } from '@inventory/domain/permission';
import { noLot, noTransaction } from '@inventory/domain/refusals/refused';
import { dateTimeParameter } from '@inventory/paging/date-time-parameter';
import { pageQueryShape } from '@inventory/paging/page-query';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { answerBytes, pageBytes } from '../http/answer-bytes.ts';
import { idParameter, numberParameter, pathNumber } from '../http/reading/parameters.ts';
import { noWarehouses, route } from '../http/route.ts';
import { pageAnswer, pageReply } from '../lists/page-reply.ts';
import { oneLot, oneTransaction, transactions } from '../openapi/descriptions/history.ts';

const anyText = (description: string) => Text.optional().meta({ description });

const transactionQuery = z.object({
  ...pageQueryShape(transactionSortColumns),
  kind: z
    .enum(kindNames, { error: `must be one of ${kindNames.join(', ')}.` })
    .optional()
    .meta({ description: 'Only transactions of this kind' }),
  itemID: anyText('Only transactions of the item with this ShortID'),
  wid: idParameter('Only transactions that touched this warehouse'),
  recNo: numberParameter('Only transactions with a line of this lot'),
  serial: anyText('Only transactions with a line of a lot with this serial'),
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

/** Applied transactions and the history of lots. */
export function historyRoutes(database: Database) {
  return [
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
