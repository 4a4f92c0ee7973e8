import type { LotWithHistory, Transaction } from '@inventory/domain/contract/transaction';
import { fullLot } from '@inventory/domain/story';
import { one, type RouteDescription } from '../../http/route-description.ts';
import { page } from '../story.ts';

export const transaction: Transaction = {
  transactionNo: 17,
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
  hold: null,
  lines: [
    {
      ...{ recNo: 6, partNo: 5, shortID: 'PAINT-WHITE', wID: 2, spot: 'R-01-1' },
      ...{ delta: 60, balance: 60 },
    },
  ],
};

const notes = `
An applied receipt, move, issue, count, reversal or hold that touched a warehouse in scope; lines in other warehouses are left out. \`balance\`: the
units of the lot after the line. In a list, a transaction shows its first 100 lines, or fewer in a page whose lines would take more than 2 MiB; if \`moreLines\` is true, get the transaction by number to see all. A device's notes (\`capturedAt\`, by its own clock) are evidence; \`at\` is the time that counts.`;

export const transactions: RouteDescription = {
  id: 'listTransactions',
  notes: `
*Extension.* Newest first: by \`transactionNo\`, descending. ${notes} All filters must match. \`wid\` out of scope: 403. With
\`modifiedSince\`, a transaction counts as modified when it is reversed, because \`reversedBy\` changes.`,
  answer: one('One transaction', page(transaction)),
};

export const oneTransaction: RouteDescription = {
  id: 'getTransaction',
  notes: `
*Extension.* ${notes} A transaction that was never applied or is out of scope: 404.`,
  answer: one('A receipt', transaction),
};

const lotWithHistory: LotWithHistory = {
  ...fullLot,
  history: [
    {
      ...{ transactionNo: 17, kind: 'receive', at: '2026-01-31T09:15:27.051Z', clientId: 'demo' },
      ...{ reasonCode: 1, reference: 'PO-77120', remark: null, spot: 'R-01-1', delta: 60, balance: 60 },
      hold: null,
    },
  ],
};

export const oneLot: RouteDescription = {
  id: 'getLot',
  notes: `
*Extension.* The lot with all values stored since its receipt, as in lists with \`view=full\`, and the last 50 lines of its
history, newest first. A hold or release over HTTP is a line with \`delta\` 0 and \`hold\`. A lot that does not exist or is out of scope: 404.`,
  answer: one('A lot as it was received', lotWithHistory),
};

export const activity: RouteDescription = {
  id: 'listActivity',
  notes: `*Extension.* One record for each hour or day of UTC, kind and client that has any applied transaction in scope, in this order. By the
time in the ledger, at most 31 days by hour or 366 by day. It reads all of these transactions, so it takes a turn as a costly list.`,
  answer: one(
    'A day of receipts',
    page({ start: '2026-01-31T00:00:00.000Z', kind: 'receive', clientId: 'demo', transactions: 9 }),
  ),
};
