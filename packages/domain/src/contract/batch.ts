import { z } from 'zod';
import { conflictFields } from './conflict-reasons.ts';
import { CountAnswer, CountRequest } from './count.ts';
import { CountDryRun, IssueDryRun, MoveDryRun, ReverseDryRun } from './dry-run.ts';
import { Count53, DateTimeText, Flag, isReal, lengthMax, text } from './fields.ts';
import { IssueAnswer, IssueRequest } from './issue.ts';
import { Lot } from './lot.ts';
import { MoveAnswer, MoveRequest } from './move.ts';
import { Outcome } from './outcome.ts';
import { ReceiveAnswer, ReceiveRequest } from './receive.ts';
import { ReverseAnswer, ReverseRequest } from './reverse.ts';

/** The most operations in one batch. */
export const operationsMax = 500;

/** The bodies of the calls that can be operations, by `op`. */
export const operationBodies = {
  receive: ReceiveRequest,
  move: MoveRequest,
  issue: IssueRequest,
  count: CountRequest,
  reverse: ReverseRequest,
} as const;
export type OperationKind = keyof typeof operationBodies;

const kinds = Object.keys(operationBodies) as [OperationKind, ...OperationKind[]];

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** Whether a value can be the Idempotency-Key of a call or an operation. */
export function isKey(value: unknown): value is string {
  return typeof value === 'string' && keyPattern.test(value);
}

/** The fields of an operation besides those of its call. */
export const OperationHead = z.object({
  op: z.enum(kinds, { error: `must be one of ${kinds.join(', ')}.` }).describe('The call'),
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

const operationName = (kind: OperationKind) => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Operation`;
const operationOf = <Kind extends OperationKind>(kind: Kind) =>
  z
    .object({ ...OperationHead.shape, ...operationBodies[kind].shape, op: z.literal(kind) })
    .meta({ id: operationName(kind) });

const Operation = z
  .discriminatedUnion('op', [
    operationOf('receive'),
    operationOf('move'),
    operationOf('issue'),
    operationOf('count'),
    operationOf('reverse'),
  ])
  .meta({
    id: 'Operation',
    discriminator: {
      propertyName: 'op',
      mapping: Object.fromEntries(kinds.map((kind) => [kind, `#/components/schemas/${operationName(kind)}`])),
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

// In a dry run, lots that an earlier operation would create have no number either.
const lotsTried = { lots: CountDryRun.shape.lots };
const ReceiveTried = ReceiveAnswer.extend({
  recNo: z.null(),
  transactionNo: z.null(),
  lot: Lot.extend({ recNo: z.null() }),
  dryRun: z.literal(true),
}).meta({ id: 'ReceiveTried' });
const MoveTried = MoveDryRun.omit({ skipped: true })
  .extend({
    lots: z.array(MoveDryRun.shape.lots.element.extend({ fromRecNo: z.int().nullable() })),
  })
  .meta({ id: 'MoveTried' });
const IssueTried = IssueDryRun.omit({ skipped: true }).extend(lotsTried).meta({ id: 'IssueTried' });

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
const OperationResult = z
  .union([
    z
      .object({
        ...place,
        status: z.literal('applied'),
        body: z.union([ReceiveAnswer, MoveAnswer, IssueAnswer, CountAnswer, ReverseAnswer, AnswerLeftOut]),
      })
      .meta({ id: 'OperationApplied' }),
    NotApplied,
  ])
  .meta({ id: 'OperationResult' });

const OperationTried = z
  .object({
    ...place,
    status: z.literal('applied'),
    body: z.union([ReceiveTried, MoveTried, IssueTried, CountDryRun, ReverseDryRun]),
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
  results: z.array(OperationTried),
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
