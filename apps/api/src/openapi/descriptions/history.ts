import { transaction } from '@inventory/db/lists/story';
import { transactionNotes } from '@inventory/db/lists/transaction-record';
import type { LotWithHistory } from '@inventory/domain/contract/transaction';
import { one } from '@inventory/domain/examples';
import { fullLot } from '@inventory/domain/story';
import type { RouteDescription } from '../../http/route-description.ts';

export const oneTransaction: RouteDescription = {
  id: 'getTransaction',
  notes: `
*Extension.* ${transactionNotes} A transaction that was never applied or is out of scope: 404.`,
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
