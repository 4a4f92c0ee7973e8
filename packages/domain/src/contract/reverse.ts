import { z } from 'zod';
import { ChangedLots } from './count.ts';
import { isReal, lengthMax, RecordNo, text } from './fields.ts';

/** `POST /Inventory/Reverse`, an extension. */
export const ReverseRequest = z
  .object({
    transactionNo: RecordNo.describe('The transaction to reverse'),
    remark: text(lengthMax.remark).optional().describe('Notes'),
    reference: text(lengthMax.label).optional().describe('External reference'),
  })
  .meta({ id: 'ReverseRequest' });
export type ReverseRequest = z.infer<typeof ReverseRequest>;

/** 200. */
export const ReverseAnswer = z
  .object({
    recNo: z.int().nullable().describe('Record number of the first of `lots`; null when there is none'),
    status: z.literal('reversed'),
    transactionNo: z.int().describe('Number of this transaction'),
    reverses: z.int().describe('Number of the reversed transaction'),
    lots: ChangedLots,
    dryRun: isReal,
  })
  .meta({ id: 'ReverseAnswer' });
