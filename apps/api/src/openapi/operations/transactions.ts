import type { Transaction } from '@inventory/domain/contract/transaction';
import { type Operation, one } from '../../operation.ts';
import { page } from '../story.ts';

const transaction: Transaction = {
  transactionNo: 50120,
  kind: 'issue',
  at: '2026-02-02T07:41:13.520Z',
  clientId: 'scanner-12',
  itemID: 'CBL-2M',
  reasonCode: 9,
  reference: 'SO-4471',
  remark: null,
  capturedAt: '2026-02-02T07:41:12.000Z',
  deviceID: 's-12',
  deviceSeq: 841,
  reverses: null,
  reversedBy: null,
  lines: [
    {
      ...{ recNo: 90187, partNo: 1042, shortID: 'CBL-2M', wID: 1, spot: 'A-01-2' },
      ...{ delta: -2.5, balance: 0 },
    },
    { recNo: 90211, partNo: 1042, shortID: 'CBL-2M', wID: 1, spot: 'A-01-3', delta: -10, balance: 15 },
  ],
};

const notes = `
A receipt, move, issue, count or reversal that was applied and touched a warehouse in scope; its lines elsewhere are left out. \`balance\`: the
units of the lot after the line. What a device noted (\`capturedAt\`, by its own clock) is evidence; \`at\` is the time that counts.`;

export const transactions: Operation = {
  notes: `
*Extension.* Newest first: by \`transactionNo\`, descending. ${notes} Filters narrow the list together. \`wid\` outside the scope: 403. With
\`modifiedSince\` a transaction that was undone counts as modified then, because \`reversedBy\` says so.`,
  answer: one('One transaction', page(transaction)),
};

export const oneTransaction: Operation = {
  notes: `
*Extension.* ${notes} One that was never applied and one out of scope: 404, alike.`,
  answer: one('From two lots; the first is used up', transaction),
};
