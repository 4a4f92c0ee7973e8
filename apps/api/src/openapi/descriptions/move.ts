import type { MoveAnswer, MoveRequest } from '@inventory/domain/contract/move';
import type { z } from 'zod';
import type { RouteDescription } from '../../http/route-description.ts';
import { noRoom, tooLittle, unknownItem, unknownLot } from '../refusal-examples.ts';
import { allocation, dryRun, skipped } from '../texts.ts';

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
  transactionNo: 13,
  units: 100,
  lots: [{ recNo: 12, fromRecNo: 5, units: 100, remaining: 312.75, wID: 2, spot: 'DOCK' }],
  dryRun: false,
};
const spotMoveAnswer: z.infer<typeof MoveAnswer> = {
  recNo: 3,
  status: 'moved',
  transactionNo: 14,
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
