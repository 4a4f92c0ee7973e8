import type { Item } from '@inventory/domain/contract/item';
import type { FullStockLevel, Minimum, StockLevel } from '@inventory/domain/contract/stock-level';
import type { Transaction } from '@inventory/domain/contract/transaction';
import { itemOfLots } from '@inventory/domain/story';

// Matches the demo data of `pnpm start`, as the story of lots in `domain` does: the first item, and the
// level of white paint in warehouse 2 with a receipt.

export const item: Item = {
  ...itemOfLots,
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

/** The same level with `view=full`. */
export const fullLevel: FullStockLevel = {
  ...level,
  shortID: 'PAINT-WHITE',
  description: 'Wall paint, white',
  minimum: 60,
  modified: '2026-02-02T07:41:13.520Z',
};

/** Its minimum. */
export const minimum: Minimum = {
  partNo: level.partNo,
  shortID: fullLevel.shortID,
  wID: 2,
  minimum: 60,
  available: level.available,
  low: true,
};

/** The receipt of a lot of it. */
export const transaction: Transaction = {
  transactionNo: 17,
  kind: 'receive',
  at: '2026-01-31T09:15:27.051Z',
  clientId: 'demo',
  itemID: 'PAINT-WHITE',
  reasonCode: 1,
  reference: 'PO-77120',
  remark: null,
  capturedAt: null,
  deviceID: null,
  deviceSeq: null,
  reverses: null,
  reversedBy: null,
  hold: null,
  lines: [
    {
      ...{ recNo: 6, partNo: 5, shortID: 'PAINT-WHITE', wID: 2, spot: 'R-01-1' },
      ...{ delta: 60, balance: 60 },
    },
  ],
};
