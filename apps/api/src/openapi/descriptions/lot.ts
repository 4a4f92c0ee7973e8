import type { LotWithHistory } from '@inventory/domain/contract/lot';
import { one, type RouteDescription } from '../../route-description.ts';
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
*Extension.* The lot with everything that was stored at its receipt and since, as \`view=full\` shows it in a list, and the last 50 lines of its
history, newest first. A lot that is not there and one out of scope: 404, alike.`,
  answer: one('A lot as it was received', lotWithHistory),
};
