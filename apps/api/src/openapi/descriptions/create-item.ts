import type { Item, ItemRequest } from '@inventory/domain/contract/item';
import { invalid } from '@inventory/domain/contract/refused';
import { type RouteDescription, refusalExample } from '../../http/route-description.ts';
import { item } from '../story.ts';

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
\`shortID\` that another item or an alias already has: 400 \`validation_error\`. Either spelling of a field is accepted; if both are sent with different values: \`validation_error\`.`,
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
