import { one, type RouteDescription } from '../../route-description.ts';
import { item as record } from '../story.ts';

export const item: RouteDescription = {
  id: 'getItem',
  notes: `
The path names a part number, never a ShortID: \`/Item/7\` is the item with \`partNo\` 7, also when another one has the
ShortID 7, which \`/Item?key=7&type=id\` gets. A part number that is not an integer: 404, which says so.`,
  answer: one('The item', record),
};
