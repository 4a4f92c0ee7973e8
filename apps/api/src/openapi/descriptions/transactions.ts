import type { Transaction } from '@inventory/domain/contract/transaction';
import { one, type RouteDescription } from '../../route-description.ts';
import { page } from '../story.ts';

const transaction: Transaction = {
  transactionNo: 6,
  kind: 'receive',
  at: '2026-01-31T09:15:27.051Z',
  clientId: 'demo',
  itemID: 'PAINT-WHITE',
  reasonCode: 1,
  reference: 'PO-77120',
  remark: null,
  capturedAt: null,
  deviceID: null,
  deviceSeq: null,
  reverses: null,
  reversedBy: null,
  lines: [
    {
      ...{ recNo: 6, partNo: 5, shortID: 'PAINT-WHITE', wID: 2, spot: 'R-01-1' },
      ...{ delta: 60, balance: 60 },
    },
  ],
};

const notes = `
A receipt, move, issue, count or reversal that was applied and touched a warehouse in scope; its lines elsewhere are left out. \`balance\`: the
units of the lot after the line. In a list a transaction shows its first 100 lines; \`moreLines\` tells that there are more, which it has by itself. The notes of a device (\`capturedAt\`, by its own clock) are evidence; \`at\` is the time that counts.`;

export const transactions: RouteDescription = {
  id: 'listTransactions',
  notes: `
*Extension.* Newest first: by \`transactionNo\`, descending. ${notes} Filters narrow the list together. \`wid\` outside the scope: 403. With
\`modifiedSince\` a transaction that was undone counts as modified then, because \`reversedBy\` says so.`,
  answer: one('One transaction', page(transaction)),
};

export const oneTransaction: RouteDescription = {
  id: 'getTransaction',
  notes: `
*Extension.* ${notes} One that was never applied and one out of scope: 404, alike.`,
  answer: one('A receipt', transaction),
};
