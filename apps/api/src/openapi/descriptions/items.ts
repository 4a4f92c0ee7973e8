import { item } from '@inventory/db/lists/story';
import type { Item, ItemRequest } from '@inventory/domain/contract/item';
import { one } from '@inventory/domain/examples';
import { invalid } from '@inventory/domain/refusals/refused';
import { type RouteDescription, refusalExample } from '../../http/route-description.ts';

export const oneItem: RouteDescription = {
  id: 'getItem',
  notes: `
The path contains a part number, never a ShortID: \`/Item/7\` is the item with \`partNo\` 7, even if another item has the
ShortID 7; get that one with \`/Item?key=7&type=id\`. A part number that is not an integer: 404 with its own message.`,
  answer: one('The item', item),
};

const createRequest: ItemRequest = {
  shortID: 'CBL-2M',
  description: 'Cable, 2 m',
  uOM: 'EA',
  category: 7,
  putUp: 'Bag of 5',
};
const createAnswer: Item & { status: 'created' } = {
  ...item,
  ...{ partNo: 8, shortID: 'CBL-2M', description: 'Cable, 2 m', category: 7, putUp: 'Bag of 5' },
  status: 'created',
};

export const createItem: RouteDescription = {
  id: 'createItem',
  notes: `
Only \`shortID\` is required, or \`itemID\`, another spelling of it. Defaults: empty texts, \`uOM\` EA, \`units\` 1, all other numbers 0. A
\`shortID\` that another item or an alias already has: 400 \`validation_error\`. Either spelling of a field is accepted; if both are sent with different values: \`validation_error\`.
The other fields of an Item may be sent, too, and are not read.`,
  body: {
    usual: { summary: 'The fields that are commonly sent', value: createRequest },
    least: { summary: 'Only what is required', value: { shortID: 'CBL-3M' } satisfies ItemRequest },
  },
  answer: { usual: { summary: 'Created', value: createAnswer } },
  invalid: {
    taken: refusalExample(
      'Duplicate ShortID',
      invalid({ shortID: ['is taken: an item with this ShortID already exists.'] }),
    ),
  },
};

export const updateItem: RouteDescription = {
  id: 'updateItem',
  notes: `
Fields that are not sent do not change. \`partNo\`, \`created\` and \`createdBy\` never change, whatever is sent.
An Item may be sent as it was read: what cannot be changed is not read. \`discontinued: false\` reactivates the item. If nothing changes, \`modified\` stays.`,
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

export const discontinueItem: RouteDescription = {
  id: 'discontinueItem',
  notes: 'Removes the item from the default list; it stays in `/Item/All`. A repeat returns the same answer.',
  answer: one('Discontinued', { shortID: 'CABLE-3G15', status: 'discontinued' }),
};
