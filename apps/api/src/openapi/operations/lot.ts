import type { LotWithHistory } from '@inventory/domain/contract/lot';
import { type Operation, one } from '../../operation.ts';
import { fullLot } from '../story.ts';

const lotWithHistory: LotWithHistory = {
  ...fullLot,
  units: 15,
  history: [
    {
      ...{ transactionNo: 50120, kind: 'issue', at: '2026-02-02T07:41:13.520Z', clientId: 'scanner-12' },
      ...{ reasonCode: 9, reference: 'SO-4471', remark: null, spot: 'A-01-3', delta: -10, balance: 15 },
    },
    {
      ...{ transactionNo: 50119, kind: 'move', at: '2026-02-01T10:02:55.007Z', clientId: 'scanner-12' },
      ...{ reasonCode: null, reference: null, remark: null, spot: 'A-01-3', delta: -15, balance: 25 },
    },
    {
      ...{ transactionNo: 50118, kind: 'receive', at: '2026-01-31T09:15:27.051Z', clientId: 'erp' },
      ...{ reasonCode: 3, reference: 'PO-77120', remark: null, spot: 'A-01-3', delta: 40, balance: 40 },
    },
  ],
};
export const oneLot: Operation = {
  notes: `
*Extension.* The lot with everything that was stored at its receipt and since, as \`view=full\` shows it in a list, and the last 50 lines of its
history, newest first. A lot that is not there and one out of scope: 404, alike.`,
  answer: one('A lot that was moved and issued from', lotWithHistory),
};
