import type { LotWithHistory } from '@inventory/domain/contract/lot';
import { one, type RouteDescription } from '../../http/route-description.ts';
import { fullLot } from '../story.ts';

const lotWithHistory: LotWithHistory = {
  ...fullLot,
  history: [
    {
      ...{ transactionNo: 6, kind: 'receive', at: '2026-01-31T09:15:27.051Z', clientId: 'demo' },
      ...{ reasonCode: 1, reference: 'PO-77120', remark: null, spot: 'R-01-1', delta: 60, balance: 60 },
    },
  ],
};

export const oneLot: RouteDescription = {
  id: 'getLot',
  notes: `
*Extension.* The lot with all values stored since its receipt, as in lists with \`view=full\`, and the last 50 lines of its
history, newest first. A lot that does not exist or is out of scope: 404.`,
  answer: one('A lot as it was received', lotWithHistory),
};
