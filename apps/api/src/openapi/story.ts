import type { Item } from '@inventory/domain/contract/item';
import type { FullLot, Lot } from '@inventory/domain/contract/lot';
import type { FullStockLevel, StockLevel } from '@inventory/domain/contract/stock-level';
import { type Paging, pagingOf } from '@inventory/paging/page-envelope';

// One story: 40 cables come in, 15 move to another warehouse, 12.5 go out.

export const item: Item = {
  partNo: 1042,
  shortID: 'CBL-2M',
  description: 'Cable, 2 m',
  category: 7,
  subCategory: 0,
  uOM: 'EA',
  putUp: 'Bag of 5',
  units: 5,
  dfltOwner: 0,
  created: '2026-01-05T08:30:00.000Z',
  createdBy: 'erp',
  modified: '2026-01-20T14:02:11.318Z',
  discontinued: false,
};

export const lot: Lot = {
  recNo: 90211,
  partNo: 1042,
  shortID: 'CBL-2M',
  description: 'Cable, 2 m',
  associate: '',
  warehouse: 'Main',
  wID: 1,
  spot: 'A-01-3',
  units: 40,
  received: '2026-01-31T09:15:27.044Z',
  shipped: null,
  serial: 'B2026-014',
  serial2: null,
  rFIDTag: null,
  remark: '',
  hold: false,
  jobID: 0,
  jobName: null,
  active: true,
};

export const level: StockLevel = {
  partNo: 1042,
  available: 33.5,
  inStock: 40,
  onOrder: 100,
  onHold: 2.5,
  committed: 4,
  packed: 0,
  aSN: 0,
};

/** The same lot with `view=full`. */
export const fullLot: FullLot = {
  ...lot,
  expires: '2029-01-01T00:00:00.000Z',
  price: 1.149,
  netWeight: 3.25,
  grossWeight: null,
  supplier: 311,
  line: 2,
  reference: 'PO-77120',
  reasonCode: 3,
  holdReason: null,
  modified: '2026-02-02T07:41:13.520Z',
  fromRecNo: null,
};

/** The same level with `view=full`. */
export const fullLevel: FullStockLevel = {
  ...level,
  shortID: 'CBL-2M',
  description: 'Cable, 2 m',
  modified: '2026-02-02T07:41:13.520Z',
};

/** A page that holds one record. */
export function page<R>(record: R): { value: R[] } & Paging {
  return { value: [record], ...pagingOf({ page: 1, pageSize: 25 }, 1) };
}
