import type { ItemRequest } from '@inventory/domain/contract/item';
import type { RouteDescription } from '../../http/route-description.ts';

export const updateItem: RouteDescription = {
  id: 'updateItem',
  notes: `
Fields that are not sent do not change. \`partNo\`, \`created\` and \`createdBy\` never change, whatever is sent.
\`discontinued: false\` reactivates the item. If nothing changes, \`modified\` stays.`,
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
