import type { Item } from '@inventory/domain/contract/item';
import type { FullStockLevel, Minimum, StockLevel } from '@inventory/domain/contract/stock-level';
import { itemOfLots } from '@inventory/domain/story';
import { type Paging, pagingOf } from '@inventory/paging/page';

// Matches the demo data of `pnpm start`, as the lots beside it do: the first item, and the level of white
// paint in warehouse 2.

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

/** A page with one record. */
export function page<R>(record: R): { value: R[] } & Paging {
  return { value: [record], ...pagingOf({ page: 1, pageSize: 25 }, 1) };
}
