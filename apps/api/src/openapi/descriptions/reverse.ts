import { alreadyReversed, isReversal, unitsGone } from '@inventory/domain/contract/conflict';
import { invalid } from '@inventory/domain/contract/refused';
import type { ReverseAnswer, ReverseRequest } from '@inventory/domain/contract/reverse';
import type { z } from 'zod';
import { one, type RouteDescription, refusalExample } from '../../http/route-description.ts';
import { dryRun } from '../texts.ts';

const reverseRequest: ReverseRequest = { transactionNo: 6, remark: 'wrong order' };
const reverseAnswer: z.infer<typeof ReverseAnswer> = {
  recNo: 6,
  status: 'reversed',
  transactionNo: 18,
  reverses: 6,
  lots: [{ recNo: 6, units: -60, remaining: 0 }],
  dryRun: false,
};

export const reverse: RouteDescription = {
  id: 'reverse',
  notes: `
*Extension.* Reverses a receipt, a move, an issue or a count, completely or not at all, and only once. It needs the permission for the opposite (receive: 88,
issue: 95, move: 15, count: both) and all of its warehouses in scope. A transaction that does not exist or is out of scope: 404.

Each unit goes back into or out of its lot. A lot that a move split off is closed, and its source gets the units
back. A shipped lot is in stock again under its old \`recNo\`. If the units have moved on since, a lot is at another spot now, or
a hold is in the way: 409 with the figures. A reversal cannot be reversed.${dryRun}`,
  body: one('A receipt', reverseRequest),
  answer: one('The units are gone from the lot that the receipt made', reverseAnswer),
  invalid: {
    fields: refusalExample('All invalid fields', invalid({ transactionNo: ['is required.'] })),
  },
  conflict: {
    twice: refusalExample('Done before', alreadyReversed(6)),
    moved: refusalExample('The units are not there any more', unitsGone(6, 60_000_000n, 2_500_000n)),
    reversal: refusalExample('A reversal', isReversal(18)),
  },
};
