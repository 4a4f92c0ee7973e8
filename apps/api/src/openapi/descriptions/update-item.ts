import type { ItemRequest } from '@inventory/domain/contract/item';
import type { RouteDescription } from '../../route-description.ts';

export const updateItem: RouteDescription = {
  id: 'updateItem',
  notes: `
Fields that are not sent stay as they are; \`partNo\`, \`created\` and \`createdBy\` are preserved whatever is sent.
\`discontinued: false\` reactivates. When nothing changes, \`modified\` stays.`,
  body: {
    change: {
      summary: 'A new description; the rest stays',
      value: { shortID: 'WIDGET-200', description: 'Widget, dark red' } satisfies ItemRequest,
    },
    reactivate: {
      summary: 'Reactivate a discontinued item',
      value: { shortID: 'TAPE-50', discontinued: false } satisfies ItemRequest,
    },
  },
  answer: {
    change: { summary: 'Updated', value: { shortID: 'WIDGET-200', status: 'updated' } },
  },
};
