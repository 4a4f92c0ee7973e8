import { fullLot, lot } from '@inventory/domain/story';
import type { Examples, RouteDescription } from '../../http/route-description.ts';
import { fullLevel, level, page } from '../story.ts';

const lotNotes = `
Most recent first (\`received\`, then \`recNo\`, both descending) unless sorted otherwise. Contains all lots, including shipped ones, so that
a synchronization notices them; *extension*: \`inStock=true\` leaves them out. A lot emptied by a move to
another warehouse is shipped, too. \`jobName\` is null: names of jobs are not stored here.`;

const lotAnswer: Examples = {
  example: { summary: 'One lot', value: page(lot) },
  full: { summary: 'With `?view=full`', value: page(fullLot) },
};

export const lots: RouteDescription = {
  id: 'listLots',
  notes: `${lotNotes}\n\nOnly warehouses in the client's scope.`,
  answer: lotAnswer,
};

export const warehouseLots: RouteDescription = {
  id: 'listWarehouseLots',
  notes: lotNotes,
  answer: lotAnswer,
};

const levelNotes = `
One record for each item that ever had stock or an order quantity, by \`partNo\` unless sorted otherwise.
\`available = inStock − onHold − committed − packed\`; it may be negative. Expired units count in it: an Issue of everything
available is refused if some of it has expired.`;

const levelAnswer: Examples = {
  example: { summary: 'One item', value: page(level) },
  full: { summary: 'With `?view=full`', value: page(fullLevel) },
};

export const stockLevels: RouteDescription = {
  id: 'listStockLevels',
  notes: `${levelNotes}\n\nSums over the warehouses in the client's scope.`,
  answer: levelAnswer,
};

export const warehouseStockLevels: RouteDescription = {
  id: 'listWarehouseStockLevels',
  notes: levelNotes,
  answer: levelAnswer,
};
