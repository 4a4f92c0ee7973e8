import type { BatchAnswer, BatchRequest } from '@inventory/domain/contract/batch';
import {
  alreadyReversed,
  countDiffers,
  heldNotCounted,
  isReversal,
  operationRefused,
  unitsGone,
} from '@inventory/domain/contract/conflict';
import type { CountAnswer, CountRequest } from '@inventory/domain/contract/count';
import type { ReceiveAnswer } from '@inventory/domain/contract/receive';
import { invalid } from '@inventory/domain/contract/refused';
import type { ReverseAnswer, ReverseRequest } from '@inventory/domain/contract/reverse';
import type { z } from 'zod';
import { messages } from '../../http/errors.ts';
import { one, type RouteDescription, refusalExample } from '../../http/route-description.ts';
import { errorOf, noRoom, tooLittleOf, unknownItem, unknownLot } from '../refusal-examples.ts';
import { item, lot } from '../story.ts';
import { dryRun } from '../texts.ts';

const countRequest: CountRequest = {
  ...{ itemID: 'LABEL-4X6', wid: 1, spot: 'D-01-1', counted: 23, expected: 24 },
  reasonCode: 5,
};
const countAnswer: z.infer<typeof CountAnswer> = {
  recNo: 8,
  status: 'counted',
  transactionNo: 26,
  before: 24,
  counted: 23,
  difference: -1,
  lots: [{ recNo: 8, units: -1, remaining: 23 }],
  dryRun: false,
};

export const count: RouteDescription = {
  id: 'count',
  notes: `
*Extension.* Sets the stock at a place to \`counted\`. With \`recno\` that is one lot, which is in stock again if it was shipped. Otherwise it is all lots
of the item in stock at \`spot\` and with \`serial\`, if given; a blank value means lots without one. Without all three it is the whole warehouse,
and \`everywhere: true\` must confirm that.
If \`expected\` differs from the current quantity: 409 with that quantity.

Missing units are taken in the order of allocation, also from expired lots (last), but never from lots on hold: 409 names them. Surplus units become a new lot. If nothing
changes, the count is recorded and \`lots\` is empty. One count covers at most 1,000 lots.${dryRun}`,
  body: {
    less: { summary: 'The stock at a spot', value: countRequest },
    same: {
      summary: 'A count that matches the records',
      value: { ...{ itemID: 'WIDGET-100', wid: 1, spot: 'A-01-1', counted: 120 }, reasonCode: 5 },
    },
  },
  answer: {
    less: { summary: 'One less than recorded', value: countAnswer },
    same: {
      summary: 'As recorded: nothing changes',
      value: {
        ...countAnswer,
        ...{ recNo: null, before: 120, counted: 120, difference: 0, lots: [] },
      } satisfies z.infer<typeof CountAnswer>,
    },
  },
  invalid: {
    fields: refusalExample(
      'All invalid fields',
      invalid({ itemID: ['is required.'], counted: ['must not be negative.'] }),
    ),
    item: unknownItem,
    lot: unknownLot,
  },
  conflict: {
    expected: refusalExample('Another figure', countDiffers(15_000_000n, 12_500_000n)),
    hold: refusalExample('Lots on hold', heldNotCounted(1_000_000n, 2_500_000n, [7])),
    room: noRoom,
  },
};

const reverseRequest: ReverseRequest = { transactionNo: 15, remark: 'wrong order' };
const reverseAnswer: z.infer<typeof ReverseAnswer> = {
  recNo: 6,
  status: 'reversed',
  transactionNo: 27,
  reverses: 15,
  lots: [{ recNo: 6, units: -60, remaining: 0 }],
  dryRun: false,
};

export const reverse: RouteDescription = {
  id: 'reverse',
  notes: `
*Extension.* Reverses a receipt, a move, an issue or a count, completely or not at all, and only once. It needs the permission for the opposite (receive: 88,
issue: 95, move: 15, count: both) and all of its warehouses in scope. A transaction that does not exist or is out of scope: 404.

Each unit goes back into or out of its lot. A lot that a move split off is closed, and its source gets the units
back. A shipped lot is in stock again under its old \`recNo\`. If the units have moved on since, a lot is at another spot now, or
a hold is in the way: 409 with the figures. A reversal cannot be reversed.${dryRun}`,
  body: one('A receipt', reverseRequest),
  answer: one('The units are gone from the lot that the receipt made', reverseAnswer),
  invalid: {
    fields: refusalExample('All invalid fields', invalid({ transactionNo: ['is required.'] })),
  },
  conflict: {
    twice: refusalExample('Done before', alreadyReversed(6)),
    moved: refusalExample('The units are not there any more', unitsGone(6, 60_000_000n, 2_500_000n)),
    reversal: refusalExample('A reversal', isReversal(18)),
  },
};

const receiveAnswer: z.infer<typeof ReceiveAnswer> = {
  ...{ recNo: 13, status: 'received', transactionNo: 28 },
  lot: {
    ...lot,
    ...{ recNo: 13, partNo: item.partNo, shortID: item.shortID, description: item.description },
    ...{ warehouse: 'Main', wID: 1, spot: '', units: 5, serial: '' },
  },
  dryRun: false,
};
const batchRequest: BatchRequest = {
  mode: 'each',
  sentAt: '2026-11-21T08:00:00Z',
  operations: [
    {
      ...{ op: 'receive', key: '01JD6Q', itemID: 'WIDGET-100', units: 5, wid: 1, reasonCode: 1 },
      ...{ capturedAt: '2026-11-21T07:40:55Z', deviceID: 's-12', deviceSeq: 838 },
    },
    {
      ...{ op: 'issue', key: '01JD6R', itemID: 'WIDGET-200', units: 200, wid: 1, reasonCode: 2 },
      ...{ capturedAt: '2026-11-21T07:41:12Z', deviceID: 's-12', deviceSeq: 841 },
    },
  ],
};
const batchAnswer: z.infer<typeof BatchAnswer> = {
  mode: 'each',
  results: [
    {
      ...{ index: 0, key: '01JD6Q', status: 'applied', statusCode: 201 },
      body: receiveAnswer,
      replayed: false,
    },
    {
      ...{ index: 1, key: '01JD6R', status: 'refused', statusCode: 409 },
      error: tooLittleOf(200_000_000n, 40_000_000n),
      replayed: false,
    },
  ],
  summary: { applied: 1, refused: 1, notApplied: 0 },
  dryRun: false,
};

const refusedBatch = {
  summary: 'An atomic batch with an operation that the stock refuses',
  value: {
    ...errorOf(operationRefused(1, 1)),
    results: [
      {
        ...{ index: 0, key: '01JD6Q', status: 'notApplied', statusCode: 503, replayed: false },
        error: { statusCode: 503, error: 'internal_error', message: messages.besideRefused },
      },
      {
        ...{ index: 1, key: '01JD6R', status: 'refused', statusCode: 409, replayed: false },
        error: tooLittleOf(200_000_000n, 40_000_000n),
      },
    ],
  },
};

export const batch: RouteDescription = {
  id: 'batch',
  notes: `
*Extension.* 1 to 500 operations, or as many as the client may send in a minute (\`operationsPerBatch\` of \`GET /Me\`): receive, move, issue, count and reverse, each with the fields of its call. Each is checked like a single call,
including permission and scope, and has its own status. \`body\` is the answer of its call, \`error\` the error object.

- \`each\`: every operation is a transaction of its own, and a refused one does not stop the others. Operations on one item are decided in the
  order of the list. \`notApplied\`: certainly not applied; send it again. Later operations on the same item and warehouse are not applied either.
- \`atomic\`: all or nothing, over any items and warehouses, decided and committed together. Any refusal: 409 with \`results\`. All malformed or
  forbidden operations, or the first one that the stock refuses, are \`refused\` with their errors; the others are \`notApplied\`. An operation that
  was applied earlier under its \`key\` counts as done and returns its first answer, even if the batch is refused. 503 also has \`results\`
  if earlier sends had applied a part; the rest was certainly not applied.
- \`key\` is the operation's \`Idempotency-Key\`, the same as for a single call: sent again, alone or in any other batch, in either mode, it returns the first
  answer with \`replayed: true\`. One key is one transaction. The same key twice in a list, or in a list and its header: 400, and nothing is applied.
- The header \`Idempotency-Key\` is only for \`atomic\`, where the list counts as one request: a resend returns the first answer, even a refusal. With \`each\` it is 400. A refused
  atomic list does not use up the keys of its operations.
- \`capturedAt\`, \`deviceID\` and \`deviceSeq\` are evidence of offline work. They are stored, but never used as the ledger's time. With
  \`sentAt\`, the error of the device's clock is known, and the corrected time is stored, too. If that is more than 5 minutes in the future: 400, unless the key was already applied or refused; then the stored answer is returned.
- \`dryRun: true\` with \`atomic\`: the answer of the real call; nothing is stored. Keys are ignored: each operation is treated as new. A single operation
  of a batch cannot have a dry run.
- **Large answers.** A move of 1,000 lots has an answer of more than 100 kB, and a batch may have 500 of them. In mode \`each\`, once new answers of
  more than 4 kB have reached 2 MiB, no further operation begins: the rest is \`notApplied\` with a message that says so. Send it in another batch, or send the
  whole list again with its keys. In both modes, answers of earlier sends have another 2 MiB.
  Beyond that, an operation is still \`applied\`, but its \`body\` is \`{transactionNo, leftOut: true, dryRun: false}\`. Send its \`key\` alone to get the answer;
  \`GET /Inventory/Transactions/{transactionNo}\` shows what was done. While a client has not read 16 MiB of large answers, mode \`each\` leaves large answers out, and an
  atomic list gets 503 with a message that says that it was applied.`,
  body: one('Independent operations', batchRequest),
  answer: one('One applied, one refused', batchAnswer),
  invalid: {
    fields: refusalExample(
      'All invalid fields',
      invalid({ mode: ['must be each or atomic.'], operations: ['must hold at least 1 operation.'] }),
    ),
  },
  conflict: { atomic: refusedBatch },
  failureSchema: 'BatchError',
};
