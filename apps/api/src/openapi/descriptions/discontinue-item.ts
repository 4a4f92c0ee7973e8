import { one, type RouteDescription } from '../../route-description.ts';

export const discontinueItem: RouteDescription = {
  id: 'discontinueItem',
  notes: 'The item leaves the default list and stays in `/Item/All`. Again: the same answer.',
  answer: one('Discontinued', { shortID: 'CABLE-3G15', status: 'discontinued' }),
};
