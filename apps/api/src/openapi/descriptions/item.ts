import { one, type RouteDescription } from '../../http/route-description.ts';
import { item as record } from '../story.ts';

export const item: RouteDescription = {
  id: 'getItem',
  notes: `
The path contains a part number, never a ShortID: \`/Item/7\` is the item with \`partNo\` 7, even if another item has the
ShortID 7; get that one with \`/Item?key=7&type=id\`. A part number that is not an integer: 404 with its own message.`,
  answer: one('The item', record),
};
