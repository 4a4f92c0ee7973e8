import { z } from 'zod';
import { CountAnswer, CountRequest } from './count.ts';
import { Flag } from './fields.ts';
import { IssueAnswer, IssueRequest } from './issue.ts';
import { MoveAnswer, MoveRequest } from './move.ts';
import { ReceiveRequest } from './receive.ts';
import { ReverseAnswer, ReverseRequest } from './reverse.ts';

const dryRun = Flag.optional().describe(
  'Extension: true has the call decided and answered, and nothing stored; no key is used and no number drawn',
);

/**
 * The body of a receipt as sent. A single receipt has no dry run, and a request for one must not create
 * stock.
 */
export const ReceiveCall = ReceiveRequest.safeExtend({
  dryRun: Flag.optional()
    .refine((isTried) => isTried !== true, { error: 'must not be true: a receipt alone is not tried out.' })
    .describe('Extension: not for a receipt; an atomic batch with it can be tried out'),
}).meta({ id: 'ReceiveCall' });
/** The bodies of the calls that have a dry run, as sent. */
export const MoveCall = MoveRequest.safeExtend({ dryRun }).meta({ id: 'MoveCall' });
export const IssueCall = IssueRequest.safeExtend({ dryRun }).meta({ id: 'IssueCall' });
export const CountCall = CountRequest.safeExtend({ dryRun }).meta({ id: 'CountCall' });
export const ReverseCall = ReverseRequest.safeExtend({ dryRun }).meta({ id: 'ReverseCall' });

const tried = {
  recNo: z.int().nullable().describe('null for a lot that would be new'),
  transactionNo: z.null().describe('Nothing was done'),
  dryRun: z.literal(true).describe('true: nothing was done'),
};
const skipped = z
  .array(z.object({ recNo: z.int(), reason: z.enum(['onHold', 'expired', 'filter']) }))
  .describe('Lots in stock of the item in the warehouse that would not be taken, and why; at most 50');
const lotsOf = <Shape extends z.ZodRawShape>(lots: z.ZodArray<z.ZodObject<Shape>>) =>
  z.array(lots.element.extend({ recNo: z.int().nullable() }));

/** 200 of a dry run: the answer of the real call, without the numbers that it would draw. */
export const MoveDryRun = MoveAnswer.extend({ ...tried, lots: lotsOf(MoveAnswer.shape.lots), skipped }).meta({
  id: 'MoveDryRun',
});
export const IssueDryRun = IssueAnswer.extend({ ...tried, skipped }).meta({ id: 'IssueDryRun' });
export const CountDryRun = CountAnswer.extend({ ...tried, lots: lotsOf(CountAnswer.shape.lots) }).meta({
  id: 'CountDryRun',
});
export const ReverseDryRun = ReverseAnswer.extend(tried).meta({ id: 'ReverseDryRun' });
