import type { LoadRequest } from './load.ts';
import { itemCount } from './site.ts';

/** Any of the items, or always the same one. */
export const spread = () => `I${Math.floor(Math.random() * itemCount)}`;
export const one = () => 'I1';

export const receive = (item: () => string) => (): LoadRequest => ({
  path: '/Inventory/Receive',
  body: { itemID: item(), units: 10, wid: 1, reasonCode: 1, spot: 'A' },
});

let turn = 0;

/** As many receives as moves and issues; stock grows slowly, so that few are refused. */
export const mixed = (item: () => string) => (): LoadRequest => {
  turn += 1;
  if (turn % 3 === 0) return receive(item)();
  const body = { itemID: item(), units: 3, wid: 1 };
  if (turn % 3 === 1) return { path: '/Inventory/Move', body: { ...body, fromSpot: 'A', toSpot: 'B' } };
  return { path: '/Inventory/Issue', body: { ...body, reasonCode: 2 } };
};
