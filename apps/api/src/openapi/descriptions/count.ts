import { countDiffers, heldNotCounted } from '@inventory/domain/contract/conflict';
import type { CountAnswer, CountRequest } from '@inventory/domain/contract/count';
import { invalid } from '@inventory/domain/contract/refused';
import type { z } from 'zod';
import { type RouteDescription, refusalExample } from '../../http/route-description.ts';
import { noRoom, unknownItem, unknownLot } from '../refusal-examples.ts';
import { dryRun } from '../texts.ts';

const countRequest: CountRequest = {
  ...{ itemID: 'LABEL-4X6', wid: 1, spot: 'D-01-1', counted: 23, expected: 24 },
  reasonCode: 5,
};
const countAnswer: z.infer<typeof CountAnswer> = {
  recNo: 8,
  status: 'counted',
  transactionNo: 17,
  before: 24,
  counted: 23,
  difference: -1,
  lots: [{ recNo: 8, units: -1, remaining: 23 }],
  dryRun: false,
};

export const count: RouteDescription = {
  id: 'count',
  notes: `
*Extension.* Sets the stock at a place to \`counted\`. With \`recno\` that is one lot, which is in stock again if it was shipped. Otherwise it is all lots
of the item in stock at \`spot\` and with \`serial\`, if given; a blank value means lots without one. Without all three it is the whole warehouse,
and \`everywhere: true\` must confirm that.
If \`expected\` differs from the current quantity: 409 with that quantity.

Missing units are taken in the order of allocation, also from expired lots (last), but never from lots on hold: 409 names them. Surplus units become a new lot. If nothing
changes, the count is recorded and \`lots\` is empty. One count covers at most 1,000 lots.${dryRun}`,
  body: {
    less: { summary: 'The stock at a spot', value: countRequest },
    same: {
      summary: 'A count that matches the records',
      value: { ...{ itemID: 'WIDGET-100', wid: 1, spot: 'A-01-1', counted: 120 }, reasonCode: 5 },
    },
  },
  answer: {
    less: { summary: 'One less than recorded', value: countAnswer },
    same: {
      summary: 'As recorded: nothing changes',
      value: {
        ...countAnswer,
        ...{ recNo: null, before: 120, counted: 120, difference: 0, lots: [] },
      } satisfies z.infer<typeof CountAnswer>,
    },
  },
  invalid: {
    fields: refusalExample(
      'All invalid fields',
      invalid({ itemID: ['is required.'], counted: ['must not be negative.'] }),
    ),
    item: unknownItem,
    lot: unknownLot,
  },
  conflict: {
    expected: refusalExample('Another figure', countDiffers(15_000_000n, 12_500_000n)),
    hold: refusalExample('Lots on hold', heldNotCounted(1_000_000n, 2_500_000n, [7])),
    room: noRoom,
  },
};
