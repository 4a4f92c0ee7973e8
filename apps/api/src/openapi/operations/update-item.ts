import type { ItemRequest } from '@inventory/domain/contract/item';
import { type Operation, one } from '../../operation.ts';

export const updateItem: Operation = {
  notes: `
Fields that are not sent stay as they are; \`partNo\`, \`created\` and \`createdBy\` are preserved whatever is sent.
\`discontinued: false\` reactivates. When nothing changes, \`modified\` stays.`,
  body: {
    change: {
      summary: 'A new description; the rest stays',
      value: { shortID: 'CBL-2M', description: 'Cable, 2 m, black' } satisfies ItemRequest,
    },
    reactivate: {
      summary: 'Reactivate a discontinued item',
      value: { shortID: 'CBL-2M', discontinued: false } satisfies ItemRequest,
    },
  },
  answer: one('Updated', { shortID: 'CBL-2M', status: 'updated' }),
};
