import { one, type RouteDescription } from '../../http/route-description.ts';

export const discontinueItem: RouteDescription = {
  id: 'discontinueItem',
  notes: 'Removes the item from the default list; it stays in `/Item/All`. A repeat returns the same answer.',
  answer: one('Discontinued', { shortID: 'CABLE-3G15', status: 'discontinued' }),
};
