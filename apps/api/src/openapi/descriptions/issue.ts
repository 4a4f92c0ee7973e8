import { namedLotOnHold } from '@inventory/domain/contract/conflict';
import type { IssueAnswer, IssueRequest } from '@inventory/domain/contract/issue';
import type { z } from 'zod';
import { type RouteDescription, refusalExample } from '../../http/route-description.ts';
import { tooLittle, unknownItem, unknownLot } from '../refusal-examples.ts';
import { allocation, dryRun, skipped } from '../texts.ts';

const issueRequest: IssueRequest = { itemID: 'WIDGET-100', units: 85, wid: 2, reasonCode: 9 };
const lotIssueRequest: IssueRequest = {
  ...{ itemID: 'BOLT-M8X40', units: 200.5, wid: 1, reasonCode: 9 },
  ...{ recno: 4, shipto: 5512, reference: 'SO-4471' },
};
const issueAnswer: z.infer<typeof IssueAnswer> = {
  recNo: 2,
  status: 'issued',
  transactionNo: 15,
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
  transactionNo: 16,
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
