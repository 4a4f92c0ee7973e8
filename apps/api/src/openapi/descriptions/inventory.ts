import { namedLotOnHold } from '@inventory/domain/contract/conflict';
import type { IssueAnswer, IssueRequest } from '@inventory/domain/contract/issue';
import type { MoveAnswer, MoveRequest } from '@inventory/domain/contract/move';
import type { ReceiveAnswer, ReceiveRequest } from '@inventory/domain/contract/receive';
import type { z } from 'zod';
import { type Examples, type RouteDescription, refusalExample } from '../../http/route-description.ts';
import { noRoom, tooLittle, unknownItem, unknownLot } from '../refusal-examples.ts';
import { fullLevel, fullLot, item, level, lot, page } from '../story.ts';
import { allocation, dryRun, skipped } from '../texts.ts';

const lotNotes = `
Most recent first (\`received\`, then \`recNo\`, both descending) unless sorted otherwise. Contains all lots, including shipped ones, so that
a synchronization notices them; *extension*: \`inStock=true\` leaves them out. A lot emptied by a move to
another warehouse is shipped, too. \`jobName\` is null: names of jobs are not stored here.`;

const lotAnswer: Examples = {
  example: { summary: 'One lot', value: page(lot) },
  full: { summary: 'With `?view=full`', value: page(fullLot) },
};

export const lots: RouteDescription = {
  id: 'listLots',
  notes: `${lotNotes}\n\nOnly warehouses in the client's scope.`,
  answer: lotAnswer,
};

export const warehouseLots: RouteDescription = {
  id: 'listWarehouseLots',
  notes: lotNotes,
  answer: lotAnswer,
};

const levelNotes = `
One record for each item that ever had stock or an order quantity, by \`partNo\` unless sorted otherwise.
\`available = inStock − onHold − committed − packed\`; it may be negative. Expired units count in it: an Issue of everything
available is refused if some of it has expired.`;

const levelAnswer: Examples = {
  example: { summary: 'One item', value: page(level) },
  full: { summary: 'With `?view=full`', value: page(fullLevel) },
};

export const stockLevels: RouteDescription = {
  id: 'listStockLevels',
  notes: `${levelNotes}\n\nSums over the warehouses in the client's scope.`,
  answer: levelAnswer,
};

export const warehouseStockLevels: RouteDescription = {
  id: 'listWarehouseStockLevels',
  notes: levelNotes,
  answer: levelAnswer,
};

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
  transactionNo: 21,
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

const moveRequest: MoveRequest = {
  ...{ itemID: 'CABLE-3G15', units: 100, wid: 1 },
  ...{ shipToWid: 2, toSpot: 'DOCK' },
};
const spotMoveRequest: MoveRequest = {
  itemID: 'WIDGET-200',
  units: 40,
  wid: 1,
  fromSpot: 'A-01-2',
  toSpot: 'B-07-1',
};
const moveAnswer: z.infer<typeof MoveAnswer> = {
  recNo: 12,
  status: 'moved',
  transactionNo: 22,
  units: 100,
  lots: [{ recNo: 12, fromRecNo: 5, units: 100, remaining: 312.75, wID: 2, spot: 'DOCK' }],
  dryRun: false,
};
const spotMoveAnswer: z.infer<typeof MoveAnswer> = {
  recNo: 3,
  status: 'moved',
  transactionNo: 23,
  units: 40,
  lots: [{ recNo: 3, fromRecNo: 3, units: 40, remaining: 40, wID: 1, spot: 'B-07-1' }],
  dryRun: false,
};

export const move: RouteDescription = {
  id: 'move',
  notes: `
The destination must differ from the source: \`toSpot\`, \`shipToWid\` or both. With \`shipToWid\`, both warehouses must be in
scope. A whole lot that moves inside its warehouse keeps its \`recNo\`. Moving a part of a lot, or moving to another warehouse, creates a new lot
with the same received date, serials, expiry, price, owner, job and hold. Weights are divided by units, exactly. Lots are
never merged. A lot that becomes empty by a move to another warehouse is \`shipped\`, as after an issue.
${allocation} A lot on hold moves only if it is named by \`recno\`, and stays on hold.${dryRun}${skipped}`,
  body: {
    warehouse: { summary: 'To another warehouse', value: moveRequest },
    spot: { summary: 'To another spot of the warehouse', value: spotMoveRequest },
  },
  answer: {
    warehouse: { summary: 'Part of a lot, to another warehouse: a new lot there', value: moveAnswer },
    spot: { summary: 'A whole lot inside its warehouse: it keeps its recNo', value: spotMoveAnswer },
  },
  invalid: {
    item: unknownItem,
    lot: unknownLot,
  },
  conflict: {
    stock: tooLittle,
    room: noRoom,
  },
};

const issueRequest: IssueRequest = { itemID: 'WIDGET-100', units: 85, wid: 2, reasonCode: 9 };
const lotIssueRequest: IssueRequest = {
  ...{ itemID: 'BOLT-M8X40', units: 200.5, wid: 1, reasonCode: 9 },
  ...{ recno: 4, shipto: 5512, reference: 'SO-4471' },
};
const issueAnswer: z.infer<typeof IssueAnswer> = {
  recNo: 2,
  status: 'issued',
  transactionNo: 24,
  units: 85,
  lots: [
    { recNo: 2, units: 80, remaining: 0 },
    { recNo: 9, units: 5, remaining: 20 },
  ],
  dryRun: false,
};
const lotIssueAnswer: z.infer<typeof IssueAnswer> = {
  recNo: 4,
  status: 'issued',
  transactionNo: 25,
  units: 200.5,
  lots: [{ recNo: 4, units: 200.5, remaining: 3799.5 }],
  dryRun: false,
};

export const issue: RouteDescription = {
  id: 'issue',
  notes: `
A lot that becomes empty gets its \`shipped\` date and is no longer \`active\`, but stays in the list.
${allocation} Expired lots are not taken, except one named by \`recno\`, which is written off. A lot on hold is never taken, even if it is named by \`recno\`: 409.${dryRun}${skipped}`,
  body: {
    least: { summary: 'From the first lots in the order of allocation', value: issueRequest },
    lot: { summary: 'From one lot', value: lotIssueRequest },
  },
  answer: {
    least: { summary: 'From two lots; the first becomes empty and is shipped', value: issueAnswer },
    lot: { summary: 'From the named lot', value: lotIssueAnswer },
  },
  invalid: {
    item: unknownItem,
    lot: unknownLot,
  },
  conflict: {
    stock: tooLittle,
    hold: refusalExample('The lot that is named', namedLotOnHold(7, 1_000_000n, 2_500_000n)),
  },
};
