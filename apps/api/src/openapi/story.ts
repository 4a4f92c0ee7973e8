import type { Item } from '@inventory/domain/contract/item';
import type { FullLot, Lot } from '@inventory/domain/contract/lot';
import type { FullStockLevel, StockLevel } from '@inventory/domain/contract/stock-level';
import { type Paging, pagingOf } from '@inventory/paging/page';

// Matches the demo data of `pnpm start`, so that requests sent from the page get the documented answers: the
// first item, and the lot and level of white paint in warehouse 2.

export const item: Item = {
  partNo: 1,
  shortID: 'WIDGET-100',
  description: 'Widget, blue',
  category: 1,
  subCategory: 0,
  uOM: 'EA',
  putUp: '',
  units: 1,
  dfltOwner: 0,
  created: '2026-01-05T08:30:00.000Z',
  createdBy: 'demo',
  modified: '2026-01-05T08:30:00.000Z',
  discontinued: false,
};

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
  serial: 'P-77',
  serial2: null,
  rFIDTag: null,
  remark: '',
  hold: false,
  jobID: 0,
  jobName: null,
  active: true,
};

export const level: StockLevel = {
  partNo: 5,
  available: 56,
  inStock: 90,
  onOrder: 100,
  onHold: 30,
  committed: 4,
  packed: 0,
  aSN: 0,
};

/** The same lot with `view=full`. */
export const fullLot: FullLot = {
  ...lot,
  expires: '2031-06-30T00:00:00.000Z',
  price: 4.149,
  netWeight: 84,
  grossWeight: null,
  supplier: 311,
  line: 2,
  reference: 'PO-77120',
  reasonCode: 1,
  holdReason: null,
  modified: '2026-01-31T09:15:27.044Z',
  fromRecNo: null,
};

/** The same level with `view=full`. */
export const fullLevel: FullStockLevel = {
  ...level,
  shortID: 'PAINT-WHITE',
  description: 'Wall paint, white',
  modified: '2026-02-02T07:41:13.520Z',
};

/** A page with one record. */
export function page<R>(record: R): { value: R[] } & Paging {
  return { value: [record], ...pagingOf({ page: 1, pageSize: 25 }, 1) };
}
