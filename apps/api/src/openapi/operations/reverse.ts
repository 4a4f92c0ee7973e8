import { conflict, invalid } from '@inventory/domain/contract/refused';
import type { ReverseAnswer, ReverseRequest } from '@inventory/domain/contract/reverse';
import type { z } from 'zod';
import { type Operation, one, refusalExample } from '../../operation.ts';
import { dryRun } from '../texts.ts';

const reverseRequest: ReverseRequest = { transactionNo: 50120, remark: 'wrong order' };
const reverseAnswer: z.infer<typeof ReverseAnswer> = {
  recNo: 90187,
  status: 'reversed',
  transactionNo: 50122,
  reverses: 50120,
  lots: [
    { recNo: 90187, units: 2.5, remaining: 2.5 },
    { recNo: 90211, units: 10, remaining: 24 },
  ],
};

const moved = 'The units have moved on: lot 90211 has 2.5, and 40 would go back.';

export const reverse: Operation = {
  notes: `
*Extension.* Undoes a receipt, a move, an issue or a count, all of it or nothing, once only. It needs the permission of the opposite (receive: 88,
issue: 95, move: 15, count: both) and every warehouse in scope; a transaction that is not there, or not in scope: 404.

Each unit goes back into or out of the lot that it came from or went to. A lot that a move split off is closed and its source gets the units
back; a shipped lot is in stock again under its old \`recNo\`. When the units have moved on since, when a lot lies at another spot now, or when
a hold is in the way: 409 with the figures. A reversal cannot be reversed.${dryRun}`,
  body: one('The issue', reverseRequest),
  answer: one('The units are back, and the shipped lot is in stock again', reverseAnswer),
  invalid: {
    fields: refusalExample('Every offending field', invalid({ transactionNo: ['is required.'] })),
  },
  conflict: {
    twice: refusalExample('Done before', conflict('Transaction 50118 is reversed already.')),
    moved: refusalExample('The units are not there any more', conflict(moved)),
    reversal: refusalExample('A reversal', conflict('A reversal cannot be reversed.')),
  },
};
