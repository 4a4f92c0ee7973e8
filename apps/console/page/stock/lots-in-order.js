import { sum } from '../base/decimals.js';

const pageSize = 250;
// Of an item with more, those that were received first.
const pagesMax = 4;

export const isExpired = ({ expires }) => expires !== null && Date.parse(expires) < Date.now();

/** The order in which Issue takes lots. Expired ones are taken by nobody and stand at the end. */
export function byTaking(one, other) {
  const endOf = ({ expires }) => (expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires));
  const compare = (a, b) => (a === b ? 0 : a < b ? -1 : 1);
  return (
    Number(isExpired(one)) - Number(isExpired(other)) ||
    compare(endOf(one), endOf(other)) ||
    compare(Date.parse(one.received), Date.parse(other.received)) ||
    one.recNo - other.recNo
  );
}

/** The lots in stock of an item as they will be taken, and whether these are all. */
export async function readLotsInOrder(client, itemID) {
  const asked = { itemID, inStock: true, view: 'full', sort: 'received', direction: 'ASC', pageSize };
  const list = client.lots(asked);
  const lots = [];
  let hasMore = true;
  for (let page = 1; hasMore && page <= pagesMax; page++) {
    const read = await list.page(page);
    lots.push(...read.value);
    hasMore = read.hasMore;
  }
  return { lots: lots.sort(byTaking), isWhole: !hasMore };
}

/**
 * The units that the page showed, when the form was opened, of what is counted; undefined if it did not show
 * all.
 */
export function shownUnits({ values, lots = [], isWhole }) {
  const { recno, wid, spot = '', serial = '' } = values;
  if (recno) return lots.find((lot) => lot.recNo === Number(recno))?.units;
  if (!isWhole) return undefined;
  const isMeant = (lot) =>
    lot.wID === Number(wid) &&
    (spot.trim() === '' || lot.spot === spot.trim()) &&
    (serial.trim() === '' || lot.serial === serial.trim());
  return sum(lots.filter(isMeant).map(({ units }) => units));
}
