import type { ReceiveAnswer, ReceiveRequest } from '@inventory/domain/contract/receive';
import type { z } from 'zod';
import type { RouteDescription } from '../../http/route-description.ts';
import { noRoom, unknownItem } from '../refusal-examples.ts';
import { item, lot } from '../story.ts';

const receiveRequest: ReceiveRequest = { itemID: 'WIDGET-100', units: 40, wid: 1, reasonCode: 3 };
const fullReceiveRequest: ReceiveRequest = {
  ...receiveRequest,
  spot: 'A-01-3',
  serial: 'B2026-014',
  reference: 'PO-77120',
  netWeight: 3.25,
  price: 1.149,
  expires: '2028-12-31',
  supplier: 311,
  line: 2,
};
const receivedLot: typeof lot = {
  ...lot,
  ...{ recNo: 11, partNo: item.partNo, shortID: item.shortID, description: item.description },
  ...{ warehouse: 'Main', wID: 1, spot: 'A-01-3', units: 40, serial: 'B2026-014' },
};
const receiveAnswer: z.infer<typeof ReceiveAnswer> = {
  recNo: receivedLot.recNo,
  status: 'received',
  transactionNo: 12,
  lot: receivedLot,
  dryRun: false,
};

export const receive: RouteDescription = {
  id: 'receive',
  notes: `
Always creates a new lot; \`received\` is the server's time. Discontinued items can be received. \`reasonCode\` can be any integer
in range.`,
  body: {
    least: { summary: 'Only what is required', value: receiveRequest },
    full: { summary: 'Against a purchase order, with a serial and an expiry', value: fullReceiveRequest },
  },
  answer: { full: { summary: 'Received', value: receiveAnswer } },
  invalid: {
    item: unknownItem,
  },
  conflict: { room: noRoom },
};
