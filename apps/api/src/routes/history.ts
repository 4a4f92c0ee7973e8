import { activity } from '@inventory/db/lists/list-activity';
import { transactions } from '@inventory/db/lists/list-transactions';
import { readLot } from '@inventory/db/lists/read-lot';
import { readTransaction } from '@inventory/db/lists/transaction-record';
import { LotWithHistory, Transaction } from '@inventory/domain/contract/transaction';
import { Permission } from '@inventory/domain/permission';
import { noLot, noTransaction } from '@inventory/domain/refusals/refused';
import { pathNumber } from '@inventory/paging/parameters';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { answerBytes } from '../http/answer-bytes.ts';
import { noWarehouses, route } from '../http/route.ts';
import { oneLot, oneTransaction } from '../openapi/descriptions/history.ts';
import { listRoute } from './list-route.ts';

/** Applied transactions and the history of lots. */
export function historyRoutes(database: Database) {
  return [
    listRoute(activity, database),
    listRoute(transactions, database),
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
