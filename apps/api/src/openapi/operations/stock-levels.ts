import { type Operation, one } from '../../operation.ts';
import { level, page } from '../story.ts';

const notes = `
One record per item that ever had stock or an order quantity, by \`partNo\` unless sorted otherwise.
\`available = inStock − onHold − committed − packed\`, and may be negative. Expired units count in it: an Issue of all that is
available is refused when some of it has expired.`;

const answer = one('One item', page(level));

export const stockLevels: Operation = {
  notes: `${notes}\n\nSums over the warehouses in the client's scope.`,
  answer,
};

export const warehouseStockLevels: Operation = { notes, answer };
