import type { Lot } from '@inventory/domain/lot';
import type { Page } from '@inventory/paging/envelope';
import type { PageQuery } from '@inventory/paging/page-query';
import type { Sql } from './client.ts';
import { type Columns, dateTimeText, recordText } from './json-columns.ts';
import { placesOf } from './places.ts';
import { countLots, readLotPage } from './read-lot-page.ts';
import { type List, readPage } from './read-page.ts';

// Blank means own stock; another owner shows as its id.
const associate = `case when lot.owner = 0 then '' else lot.owner::text end`;

const columns: Columns<keyof Lot> = {
  recNo: 'lot.rec_no',
  partNo: 'lot.part_no',
  shortID: 'item.short_id',
  description: 'item.description',
  associate,
  warehouse: 'warehouse.name',
  wID: 'lot.wid',
  spot: 'lot.spot',
  units: 'trim_scale(lot.units)',
  received: dateTimeText('lot.received'),
  shipped: dateTimeText('lot.shipped'),
  serial: 'lot.serial',
  serial2: 'lot.serial2',
  rFIDTag: 'lot.rfid_tag',
  remark: 'lot.remark',
  hold: 'lot.hold',
  jobID: 'lot.job_id',
  jobName: 'null::text',
  active: 'lot.active',
};

const sortColumns: Columns<keyof Lot> = {
  ...columns,
  units: 'lot.units',
  received: 'lot.received',
  shipped: 'lot.shipped',
};

/** Every scalar column of a lot. */
export const lotSortColumns = Object.keys(sortColumns);

/** The extension's filters; each narrows the list. */
export type LotFilters = {
  inStock?: boolean | undefined;
  itemID?: string | undefined;
  spot?: string | undefined;
  serial?: string | undefined;
  hold?: boolean | undefined;
};

/** How a page of lots is read that no counts lead to. */
export const lotList: Omit<List, 'where'> = {
  table: 'lot',
  joins: 'join item using (part_no) join warehouse using (wid)',
  record: recordText(columns),
  modified: 'lot.modified',
  sortColumns,
  defaultOrder: 'lot.received desc, lot.rec_no desc',
  tieBreaker: 'lot.rec_no',
};

/** A page of the lots of these warehouses, shipped ones too; most recent first unless sorted otherwise. */
export async function listLots(
  sql: Sql,
  query: PageQuery,
  wids: readonly number[],
  filters: LotFilters,
): Promise<Page> {
  const places = placesOf(query, 'received', 'desc');
  const { inStock } = filters;
  const isCounted = hasCountedOnly(filters);
  if (places !== null && isCounted) return readLotPage(sql, wids, inStock, places, lotList.record);
  const where = [
    sql`lot.wid = any(${wids as number[]}::integer[])`,
    inStock === undefined ? sql`` : sql`and lot.active = ${inStock}`,
    filters.itemID === undefined
      ? sql``
      : sql`and lot.part_no = (select part_no from item where short_id = ${filters.itemID})`,
    filters.spot === undefined ? sql`` : sql`and lot.spot = ${filters.spot}`,
    filters.serial === undefined ? sql`` : sql`and lot.serial = ${filters.serial}`,
    filters.hold === undefined ? sql`` : sql`and lot.hold = ${filters.hold}`,
  ];
  const total =
    query.modifiedSince === undefined && isCounted ? { total: countLots(sql, wids, inStock) } : {};
  return readPage(sql, query, { ...lotList, ...total, where: sql`${where}` });
}

/** Whether the counts tell the lots that these filters leave. */
function hasCountedOnly({ itemID, spot, serial, hold }: LotFilters): boolean {
  return [itemID, spot, serial, hold].every((filter) => filter === undefined);
}
