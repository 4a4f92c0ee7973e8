import type { Examples, RouteDescription } from '../../http/route-description.ts';
import { fullLot, lot, page } from '../story.ts';

const notes = `
Most recent first (\`received\`, then \`recNo\`, both descending) unless sorted otherwise. Contains all lots, including shipped ones, so that
a synchronization notices them; *extension*: \`inStock=true\` leaves them out. A lot emptied by a move to
another warehouse is shipped, too. \`jobName\` is null: names of jobs are not stored here.`;

const answer: Examples = {
  example: { summary: 'One lot', value: page(lot) },
  full: { summary: 'With `?view=full`', value: page(fullLot) },
};

export const lots: RouteDescription = {
  id: 'listLots',
  notes: `${notes}\n\nOnly warehouses in the client's scope.`,
  answer,
};

export const warehouseLots: RouteDescription = { id: 'listWarehouseLots', notes, answer };
