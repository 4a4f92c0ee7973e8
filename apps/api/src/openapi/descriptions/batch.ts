import type { BatchAnswer, BatchRequest } from '@inventory/domain/contract/batch';
import { operationRefused } from '@inventory/domain/contract/conflict';
import type { ReceiveAnswer } from '@inventory/domain/contract/receive';
import { invalid } from '@inventory/domain/contract/refused';
import type { z } from 'zod';
import { messages } from '../../errors.ts';
import { one, type RouteDescription, refusalExample } from '../../route-description.ts';
import { errorOf, tooLittleOf } from '../conflict-examples.ts';
import { item, lot } from '../story.ts';

const receiveAnswer: z.infer<typeof ReceiveAnswer> = {
  ...{ recNo: 13, status: 'received', transactionNo: 19 },
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
*Extension.* 1 to 500 operations, or as many as the client may send in a minute (\`operationsPerBatch\` of \`GET /Me\`): receive, move, issue, count and reverse, each with the fields of its call. Each is checked as its call would be,
permission and scope too, and has its own status; \`body\` is what its call answers, \`error\` the error object.

- \`each\`: every operation is a transaction of its own; one that is refused stops none of the others. Operations on one item are decided in the
  list's order. \`notApplied\`: surely not applied; send it again. Operations that follow it on the same item and warehouse are not applied either.
- \`atomic\`: all or nothing, over any items and warehouses, decided and committed as one. Any refusal: 409 with \`results\`: all malformed or
  forbidden operations, or the first one that the stock refuses, are \`refused\` with their errors, the others \`notApplied\`. An operation that
  was applied under its \`key\` before counts as done, and gives its first answer also where the batch is refused. 503 has \`results\`, too,
  where earlier sends had applied a part; the rest is surely not applied.
- \`key\` is the operation's \`Idempotency-Key\`, of the same kind as a single call's: sent again, alone or in any other batch, in either mode, it gives the first
  answer, with \`replayed: true\`. One key is one transaction. A key that stands twice in a list, or in a list and its header, is 400, and nothing is applied.
- The header \`Idempotency-Key\` is for \`atomic\` alone, where the list is one thing: a resend gives the first answer, a refusal too. With \`each\` it is 400. A refused
  atomic list uses up none of its operations' keys.
- \`capturedAt\`, \`deviceID\` and \`deviceSeq\` are evidence of work that was done offline; they are stored and are never the ledger's time. With
  \`sentAt\` the device's clock error is known, and the corrected time is stored too. More than 5 minutes in the future after that: 400, unless its key was applied or refused before: then it is answered as before.
- \`dryRun: true\` with \`atomic\`: the answer of the real call, and nothing stored. It knows no keys: each operation is judged as new. An operation
  of its own cannot be tried in a batch.
- **Large answers.** A move of 1,000 lots has an answer of 100 kB and more, and a batch has at most 500 of them. In mode \`each\`, once the new answers of
  more than 4 kB have 2 MiB, no further operation is begun: the rest is \`notApplied\` with a message that says so. Send it in another batch, or the
  whole list again with its keys. In both modes answers of earlier sends have 2 MiB of
  their own; what has no room is \`applied\` all the same, and its \`body\` is \`{transactionNo, leftOut: true, dryRun: false}\`. Its \`key\`, sent alone, gives the answer;
  \`GET /Inventory/Transactions/{transactionNo}\` shows what was done. While a client has 16 MiB of large answers untaken, mode \`each\` leaves large answers out, and an
  atomic list is 503 with a message that says that it was applied.`,
  body: one('Each on its own', batchRequest),
  answer: one('One applied, one refused', batchAnswer),
  invalid: {
    fields: refusalExample(
      'Every offending field',
      invalid({ mode: ['must be each or atomic.'], operations: ['must hold at least 1 operation.'] }),
    ),
  },
  conflict: { atomic: refusedBatch },
  failureSchema: 'BatchError',
};
