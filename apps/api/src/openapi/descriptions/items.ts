import { one, type RouteDescription } from '../../http/route-description.ts';
import { item, page } from '../story.ts';

export const items: RouteDescription = {
  id: 'listItems',
  notes: `
Active items, by \`shortID\` unless sorted otherwise. Two look-ups share this path; both ignore the paging parameters:

- \`key\` with \`type=id\` or \`type=alias\`: one Item, discontinued or not; 404 if there is none.
- \`Category\`: a flat array of the category's active items by \`shortID\`; empty if no item has the category. A large one is sent as fast
  as it is read, and must be read within a minute; accept gzip.`,
  answer: {
    page: { summary: 'The list', value: page(item) },
    item: { summary: 'With `?key=WIDGET-100&type=id`', value: item },
    category: { summary: 'With `?Category=1`', value: [item] },
  },
};

export const allItems: RouteDescription = {
  id: 'listAllItems',
  notes: 'By `shortID` unless sorted otherwise.',
  answer: one('One item', page(item)),
};
