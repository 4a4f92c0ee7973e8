import { anyReversal, transactionPermission } from '@inventory/auth/permission';
import { BatchAnswer, BatchDryRun, BatchRequest } from '@inventory/domain/contract/batch';
import { CountAnswer } from '@inventory/domain/contract/count';
import { CountCall, CountDryRun, ReverseCall, ReverseDryRun } from '@inventory/domain/contract/dry-run';
import { noTransaction } from '@inventory/domain/contract/refused';
import { ReverseAnswer } from '@inventory/domain/contract/reverse';
import { z } from 'zod';
import { noWarehouses, route } from '../http/route.ts';
import { batch, count, reverse } from '../openapi/descriptions/inventory-extensions.ts';
import type { BatchCalls } from '../stock/batch-call/batch-calls.ts';
import { type RawBatch, readRawBatch } from '../stock/batch-call/read-operations.ts';
import { callerOf, handlerOf, type Stock } from '../stock/transactions.ts';

/** The extensions of `/Inventory`: counts, reversals, and many operations in one call. */
export function extensionRoutes(stock: Stock & BatchCalls) {
  return [
    route({
      method: 'POST',
      path: '/Inventory/Count',
      isExtension: true,
      summary: 'Count stock: the recorded units become the counted units',
      permission: transactionPermission.count,
      writes: true,
      body: CountCall,
      warehouses: ({ body }) => [body.wid],
      answer: { 200: z.discriminatedUnion('dryRun', [CountAnswer, CountDryRun]) },
      keyed: true,
      paged: 'never',
      notFound: null,
      description: count,
      handle: handlerOf(stock, 'count'),
    }),
    route({
      method: 'POST',
      path: '/Inventory/Reverse',
      isExtension: true,
      summary: 'Reverse a stock transaction: its exact opposite, on the same lots',
      permission: anyReversal,
      writes: true,
      body: ReverseCall,
      // The warehouses are those of the transaction to reverse. Outside the scope it gets 404.
      warehouses: noWarehouses,
      answer: { 200: z.discriminatedUnion('dryRun', [ReverseAnswer, ReverseDryRun]) },
      keyed: true,
      paged: 'never',
      notFound: noTransaction.message,
      description: reverse,
      handle: ({ body, ...call }) => stock.reverse(body, callerOf(call), call.wait),
    }),
    route({
      method: 'POST',
      path: '/Inventory/Batch',
      isExtension: true,
      summary: 'Many stock transactions in one call',
      // Each operation needs its own permission.
      permission: [],
      writes: true,
      body: BatchRequest,
      readBody: readRawBatch,
      warehouses: noWarehouses,
      answer: { 200: z.discriminatedUnion('dryRun', [BatchAnswer, BatchDryRun]) },
      keyed: true,
      paged: 'never',
      notFound: null,
      description: batch,
      // `body` only describes the body; the operations are read one by one.
      handle: ({ body, ...call }) => stock.batch(body as unknown as RawBatch, callerOf(call), call),
    }),
  ];
}
