import { emptyOf, type FullLot, type Lot } from './lot.ts';

// Matches the demo data of `pnpm start`, so that requests sent from the page get the documented answers: the
// first item, and the lot of white paint in warehouse 2.

/** The first item, as lots show it. */
export const itemOfLots = { partNo: 1, shortID: 'WIDGET-100', description: 'Widget, blue' };

const { spot: _, ...listed } = emptyOf('list');

export const lot: Lot = {
  recNo: 6,
  partNo: 5,
  shortID: 'PAINT-WHITE',
  description: 'Wall paint, white',
  associate: '',
  warehouse: 'Overflow',
  wID: 2,
  spot: 'R-01-1',
  units: 60,
  received: '2026-01-31T09:15:27.044Z',
  shipped: null,
  ...listed,
  serial: 'P-77',
  jobName: null,
  active: true,
};

/** The same lot with `view=full`. */
export const fullLot: FullLot = {
  ...lot,
  ...emptyOf('full'),
  ...{ expires: '2031-06-30T00:00:00.000Z', price: 4.149, netWeight: 84, supplier: 311, line: 2 },
  ...{ reference: 'PO-77120', reasonCode: 1 },
  modified: '2026-01-31T09:15:27.044Z',
  fromRecNo: null,
};
