import { z } from 'zod';
import { CountAnswer, CountRequest } from './count.ts';
import { Flag } from './fields.ts';
import { IssueAnswer, IssueRequest } from './issue.ts';
import { MoveAnswer, MoveRequest } from './move.ts';
import { ReceiveRequest } from './receive.ts';
import { ReverseAnswer, ReverseRequest } from './reverse.ts';

const dryRun = Flag.optional().describe(
  'Extension; true: returns the answer but stores nothing, uses no key and draws no number',
);

/**
 * The body of a receipt as sent. A single receipt has no dry run, and a request for one must not create
 * stock.
 */
export const ReceiveCall = ReceiveRequest.safeExtend({
  dryRun: Flag.optional()
    .refine((isTried) => isTried !== true, { error: 'must not be true: a receipt alone is not tried out.' })
    .describe('Extension: not for a single receipt; use a dry run of an atomic batch'),
}).meta({ id: 'ReceiveCall' });
/** The bodies of the calls that have a dry run, as sent. */
export const MoveCall = MoveRequest.safeExtend({ dryRun }).meta({ id: 'MoveCall' });
export const IssueCall = IssueRequest.safeExtend({ dryRun }).meta({ id: 'IssueCall' });
export const CountCall = CountRequest.safeExtend({ dryRun }).meta({ id: 'CountCall' });
export const ReverseCall = ReverseRequest.safeExtend({ dryRun }).meta({ id: 'ReverseCall' });

const tried = {
  recNo: z.int().nullable().describe('null for a new lot'),
  transactionNo: z.null().describe('Nothing was done'),
  dryRun: z.literal(true).describe('true: nothing was done'),
};
const skipped = z
  .array(z.object({ recNo: z.int(), reason: z.enum(['onHold', 'expired', 'filter']) }))
  .describe('At most 50 lots of the item in stock in the warehouse that would not be taken, and why');
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
