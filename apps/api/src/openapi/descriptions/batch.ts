import { item } from '@inventory/db/lists/story';
import type { BatchAnswer, BatchRequest } from '@inventory/domain/contract/batch';
import { one } from '@inventory/domain/examples';
import { kindNames } from '@inventory/domain/kinds/kinds';
import type { ReceiveAnswer } from '@inventory/domain/kinds/receive';
import { type Conflict, notEnough, operationRefused } from '@inventory/domain/refusals/conflict';
import { invalid } from '@inventory/domain/refusals/refused';
import { lot } from '@inventory/domain/story';
import type { z } from 'zod';
import { errorText, messages } from '../../http/errors.ts';
import { type RouteDescription, refusalExample } from '../../http/route-description.ts';
import type { ErrorAnswer } from '../error-schemas.ts';

/** The error object of a refusal with 409. */
const errorOf = (refusal: Conflict) => JSON.parse(errorText(409, refusal)) as ErrorAnswer;
const untaken = { held: 0n, expired: 0n, more: false, atDestination: 0n, moreAtDestination: false };
const tooLittle = errorOf(notEnough(200_000_000n, 40_000_000n, untaken));

const receiveAnswer: z.infer<typeof ReceiveAnswer> = {
  ...{ recNo: 13, status: 'received', transactionNo: 30 },
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
      error: tooLittle,
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
        error: tooLittle,
      },
    ],
  },
};

export const batch: RouteDescription = {
  id: 'batch',
  notes: `
*Extension.* 1 to 500 operations, or as many as the client may send in a minute (\`operationsPerBatch\` of \`GET /Me\`), each with the fields of its call. \`op\`: ${kindNames.map((name) => `\`${name}\``).join(', ')}. Each is checked like a single call,
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
- \`dryRun: true\` with \`atomic\`: the answer of the real call; nothing is stored and no key is used. An operation under a key that was used gets the stored
  answer, with \`replayed: true\`. A single operation of a batch cannot have a dry run.
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
