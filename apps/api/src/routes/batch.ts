import { BatchAnswer, BatchDryRun, BatchRequest } from '@inventory/domain/contract/batch';
import { z } from 'zod';
import { answerBytes } from '../http/answer-bytes.ts';
import { noWarehouses, route } from '../http/route.ts';
import { batch } from '../openapi/descriptions/batch.ts';
import type { BatchCalls } from '../stock/batch-call/batch-calls.ts';
import { type RawBatch, readRawBatch } from '../stock/batch-call/read-operations.ts';
import { callerOf } from '../stock/transactions.ts';

/** Many operations in one call. */
export function batchRoute(stock: BatchCalls) {
  return route({
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
    answerBytes: answerBytes.small,
    keyed: true,
    paged: 'never',
    notFound: null,
    description: batch,
    // `body` only describes the body; the operations are read one by one.
    handle: ({ body, ...call }) => stock.batch(body as unknown as RawBatch, callerOf(call), call),
  });
}
