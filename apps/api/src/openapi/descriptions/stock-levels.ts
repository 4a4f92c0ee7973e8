import type { Examples, RouteDescription } from '../../http/route-description.ts';
import { fullLevel, level, page } from '../story.ts';

const notes = `
One record for each item that ever had stock or an order quantity, by \`partNo\` unless sorted otherwise.
\`available = inStock − onHold − committed − packed\`; it may be negative. Expired units count in it: an Issue of everything
available is refused if some of it has expired.`;

const answer: Examples = {
  example: { summary: 'One item', value: page(level) },
  full: { summary: 'With `?view=full`', value: page(fullLevel) },
};

export const stockLevels: RouteDescription = {
  id: 'listStockLevels',
  notes: `${notes}\n\nSums over the warehouses in the client's scope.`,
  answer,
};

export const warehouseStockLevels: RouteDescription = { id: 'listWarehouseStockLevels', notes, answer };
