import type { IssueAnswer, IssueRequest } from '@inventory/domain/contract/issue';
import { conflict, invalid } from '@inventory/domain/contract/refused';
import type { z } from 'zod';
import { type Operation, one, refusalExample } from '../../operation.ts';
import { allocation, dryRun, skipped } from '../texts.ts';

const issueRequest: IssueRequest = { itemID: 'CBL-2M', units: 12.5, wid: 1, reasonCode: 9 };
const lotIssueRequest: IssueRequest = { ...issueRequest, recno: 90211, shipto: 5512, reference: 'SO-4471' };
const issueAnswer: z.infer<typeof IssueAnswer> = {
  recNo: 90187,
  status: 'issued',
  transactionNo: 50120,
  units: 12.5,
  lots: [
    { recNo: 90187, units: 2.5, remaining: 0 },
    { recNo: 90211, units: 10, remaining: 15 },
  ],
};

export const issue: Operation = {
  notes: `
A lot that is used up gets its \`shipped\` date, is no longer \`active\` and stays listed.
${allocation} Expired lots are not taken, unless one is named by \`recno\`: then it is written off. A lot on hold is not taken, even when named by \`recno\`: 409.${dryRun}${skipped}`,
  body: {
    least: { summary: 'From whichever lots come first', value: issueRequest },
    lot: { summary: 'From one lot', value: lotIssueRequest },
  },
  answer: one('From two lots; the first is used up and shipped', issueAnswer),
  invalid: {
    item: refusalExample('Unknown item', invalid({ itemID: ['is not a known item.'] })),
    lot: refusalExample(
      'A `recno` that is unknown, or of another item or warehouse',
      invalid({ recno: ['is not a lot of this item in this warehouse.'] }),
    ),
  },
  conflict: {
    stock: refusalExample('Too little', conflict('Not enough stock: 40 asked, 12.5 available.')),
    hold: refusalExample('The lot that is named', conflict('The lot is on hold.')),
  },
};
