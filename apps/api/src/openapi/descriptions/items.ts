import type { Item, ItemRequest } from '@inventory/domain/contract/item';
import { invalid } from '@inventory/domain/refusals/refused';
import { one, type RouteDescription, refusalExample } from '../../http/route-description.ts';
import { item, page } from '../story.ts';

export const items: RouteDescription = {
  id: 'listItems',
  notes: `
Active items, by \`shortID\` unless sorted otherwise. Two look-ups share this path; both ignore the paging parameters:

- \`key\` with \`type=id\` or \`type=alias\`: one Item, discontinued or not; 404 if there is none.
- \`Category\`: a flat array of the category's active items by \`shortID\`; empty if no item has the category. A large one is sent as fast
  as it is read, and must be read within a minute; accept gzip.

*Extension:* \`search\` leaves the items whose ShortID, description or an alias contains the text. Letters count as equal in any case, in every language
(\`straße\` is \`STRASSE\`), and so do composed and decomposed ones; accents count. The list is paged as ever, with its exact total.`,
  answer: {
    page: { summary: 'The list', value: page(item) },
    item: { summary: 'With `?key=WIDGET-100&type=id`', value: item },
    category: { summary: 'With `?Category=1`', value: [item] },
  },
};

export const allItems: RouteDescription = {
  id: 'listAllItems',
  notes: 'By `shortID` unless sorted otherwise. `search` as in `GET /Item`.',
  answer: one('One item', page(item)),
};

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
