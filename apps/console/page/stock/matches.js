import { state } from '../base/state.js';
import { isExpired } from './lots-in-order.js';

const kinds = {
  item: 'Item',
  alias: 'Alias of an item',
  lot: 'Lot',
  serial: 'Serial of a lot',
  serial2: 'Second serial of a lot',
  rfidTag: 'Tag of a lot',
  spot: 'Spot',
};

export const kindOf = ({ kind }) => kinds[kind];

/** The subject of a match. */
export const isItem = ({ kind }) => kind === 'item' || kind === 'alias';
export const isSpot = ({ kind }) => kind === 'spot';

/** The matches, each thing once: an alias beside an alias of the same item is that item. */
export function sameThings(matches) {
  const nameOf = (match) => {
    if (isSpot(match)) return `spot ${match.wID} ${match.spot}`;
    return isItem(match) ? `item ${match.shortID}` : `lot ${match.recNo}`;
  };
  return [...new Map([...matches].reverse().map((match) => [nameOf(match), match])).values()].reverse();
}

export function warehouseOf(wID) {
  const { warehouses } = state.session.me;
  return warehouses.find((warehouse) => warehouse.wID === wID)?.name ?? `Warehouse ${wID}`;
}

/** A match in words for people. */
export function wordsOf({ kind, description, recNo, units, spot, wID, serial, ...lot }) {
  if (kind === 'spot') return warehouseOf(wID);
  if (recNo === undefined) return description;
  return [
    `Lot ${recNo}`,
    `${units} units`,
    spot && `at ${spot}`,
    serial,
    lot.hold && 'on hold',
    isExpired(lot) && 'expired',
  ]
    .filter(Boolean)
    .join(' · ');
}

/** The same in a sentence. */
export function nameOf({ kind, shortID, recNo, spot, wID }) {
  if (kind === 'spot') return `spot ${spot} in ${warehouseOf(wID)}`;
  return recNo === undefined ? `item ${shortID}` : `lot ${recNo} of ${shortID}`;
}
