import { z } from 'zod';
import { Count53, DateTimeText, Flag, isReal, lengthMax, text } from '../fields.ts';
import { type KindName, kindNames, kinds } from '../kinds/kinds.ts';
import { conflictFields } from '../refusals/conflict-reasons.ts';
import { Outcome } from './outcome.ts';

/** The most operations in one batch. */
export const operationsMax = 500;

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** Whether a value can be the Idempotency-Key of a call or an operation. */
export function isKey(value: unknown): value is string {
  return typeof value === 'string' && keyPattern.test(value);
}

/** The fields of an operation besides those of its call. */
export const OperationHead = z.object({
  op: z.enum(kindNames, { error: `must be one of ${kindNames.join(', ')}.` }).describe('The call'),
  key: z
    .string({ error: 'must be a string.' })
    .regex(keyPattern, { error: 'must be 1 to 255 visible ASCII characters.' })
    .optional()
    .describe('The Idempotency-Key of this operation, the same as for a single call'),
  capturedAt: DateTimeText.optional().describe(
    'Evidence: when the work was done, by the clock of the device',
  ),
  deviceID: text(lengthMax.label)
    .min(1, { error: 'must not be empty.' })
    .optional()
    .describe('Evidence: the device'),
  deviceSeq: Count53.optional().describe('Evidence: the number that the device gave the work'),
});
export type OperationHead = z.infer<typeof OperationHead>;

const operationName = (kind: KindName) => `${kinds[kind].path}Operation`;

/** A union of what this makes of each kind, in the order of the table. */
const ofEach = <Each extends z.ZodObject>(of: (kind: KindName) => Each) =>
  kindNames.map(of) as [Each, Each, ...Each[]];

const Operation = z
  .discriminatedUnion(
    'op',
    ofEach((kind) =>
      z
        .object({ ...OperationHead.shape, ...kinds[kind].body.shape, op: z.literal(kind) })
        .meta({ id: operationName(kind) }),
    ),
  )
  .meta({
    id: 'Operation',
    discriminator: {
      propertyName: 'op',
      mapping: Object.fromEntries(
        kindNames.map((kind) => [kind, `#/components/schemas/${operationName(kind)}`]),
      ),
    },
  });

/** The fields of a batch besides its operations. */
export const BatchHead = z.object({
  mode: z
    .enum(['each', 'atomic'], { error: 'must be each or atomic.' })
    .describe('`each`: every operation is a transaction of its own. `atomic`: all or nothing'),
  sentAt: DateTimeText.optional().describe(
    'When the batch was sent, by the clock of the device; shows the error of that clock',
  ),
  dryRun: Flag.optional().describe(
    'Only with `atomic`; true: returns the answer but stores nothing, uses no key and draws no number',
  ),
});

/**
 * `POST /Inventory/Batch`, an extension. The service reads each operation by itself, so a malformed one does
 * not harm the others.
 */
export const BatchRequest = BatchHead.extend({
  operations: z.array(Operation).min(1).max(operationsMax).describe('In this order'),
}).meta({ id: 'BatchRequest' });
export type BatchRequest = z.infer<typeof BatchRequest>;

const OperationError = z.object({
  statusCode: z.int(),
  error: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.array(z.string())).optional(),
  ...conflictFields,
});

const place = {
  index: z.int().describe('Index in the list, from 0'),
  key: z.string().nullable().describe("The operation's own key"),
  statusCode: z.int().describe('The status of the single call'),
  replayed: z.boolean().describe('The stored answer of an earlier send'),
};

/** Replaces a large answer if the answers of other operations have filled the batch's answer. */
const AnswerLeftOut = z
  .object({
    transactionNo: z.int().describe('GET /Inventory/Transactions/{transactionNo} returns the rest'),
    leftOut: z.literal(true),
    dryRun: isReal,
  })
  .meta({ id: 'AnswerLeftOut' });

const NotApplied = z
  .object({
    ...place,
    status: z.enum(['refused', 'notApplied']).describe('`notApplied`: certainly not applied; send it again'),
    error: OperationError,
  })
  .meta({ id: 'OperationNotApplied' });

/** The result of each operation, in the order of the list. */
const OperationApplied = z
  .object({
    ...place,
    status: z.literal('applied'),
    body: z.union([...ofEach((kind) => kinds[kind].answer), AnswerLeftOut]),
  })
  .meta({ id: 'OperationApplied' });

const OperationResult = z.union([OperationApplied, NotApplied]).meta({ id: 'OperationResult' });

const OperationTried = z
  .object({
    ...place,
    status: z.literal('applied'),
    body: z.union(ofEach((kind) => kinds[kind].tried)),
  })
  .meta({ id: 'OperationTried' });

/** 200. */
export const BatchAnswer = z
  .object({
    mode: z.enum(['each', 'atomic']),
    results: z.array(OperationResult),
    summary: z.object({ applied: z.int(), refused: z.int(), notApplied: z.int() }),
    dryRun: isReal,
  })
  .meta({ id: 'BatchAnswer' });

/** 200 of a dry run, in which all operations would be applied; otherwise it is refused. */
export const BatchDryRun = BatchAnswer.extend({
  mode: z.literal('atomic'),
  results: z
    .array(z.union([OperationTried, OperationApplied]))
    .describe('An operation whose key was used has the stored answer'),
  dryRun: z.literal(true).describe('true: nothing was done'),
}).meta({ id: 'BatchDryRun' });

/** 409 or 503 of an atomic batch: the error object, with the result of each operation if it is known. */
export const BatchError = OperationError.extend({
  outcome: Outcome.optional(),
  results: z
    .array(OperationResult)
    .optional()
    .describe(
      'The refused operations, those applied earlier under their keys, and the others, which were not applied',
    ),
}).meta({ id: 'BatchError' });
