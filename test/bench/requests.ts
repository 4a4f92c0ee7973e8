import { randomUUID } from 'node:crypto';
import type { LoadRequest } from './load.ts';
import { itemCount } from './site.ts';
import { markOf, spotCount, spotOf, type TrackedItem } from './tracked-stock.ts';

/** Any of the items, or always the same one. */
export const spread = () => `I${Math.floor(Math.random() * itemCount)}`;
export const one = () => 'I1';

export const receive = (item: () => string) => (): LoadRequest => ({
  path: '/Inventory/Receive',
  body: { itemID: item(), units: 10, wid: 1, reasonCode: 1, spot: 'A' },
});

/** The newest lots in stock, a page at a time. */
export const pages = (size: number) => (): LoadRequest => ({
  path: `/Inventory?inStock=true&pageSize=${size}`,
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

/** The same requests, each with its own key. */
export const keyed = (next: () => LoadRequest) => (): LoadRequest => ({
  ...next(),
  headers: { 'idempotency-key': randomUUID() },
});

/** This many of these requests as the operations of one call, each decided by itself. */
export const batched = (count: number, next: () => LoadRequest) => (): LoadRequest => ({
  path: '/Inventory/Batch',
  body: {
    mode: 'each',
    operations: Array.from({ length: count }, () => {
      const { path, body } = next();
      return { op: path.slice('/Inventory/'.length).toLowerCase(), ...body };
    }),
  },
  operations: count,
});

const anySpot = () => spotOf(Math.floor(Math.random() * spotCount));

/**
 * One third each: a receipt with a new mark, a move, and an issue of the lot with some mark. Marks form a
 * queue: the oldest is issued first and new ones join at the end, so each names a lot in stock.
 */
export function byMark({ itemID, lots, units, by }: TrackedItem): () => LoadRequest {
  let issued = 0;
  let received = lots;
  let count = 0;
  const body = { itemID, units, wid: 1 };
  return () => {
    count += 1;
    if (count % 3 === 0) {
      const mark = markOf(received++);
      const path = '/Inventory/Receive';
      return { path, body: { ...body, reasonCode: 1, spot: anySpot(), [by]: mark } };
    }
    if (count % 3 === 2) {
      return { path: '/Inventory/Issue', body: { ...body, reasonCode: 2, [by]: markOf(issued++) } };
    }
    // Avoids marks that are about to be issued, and marks whose receipt may still be under way.
    const mark = markOf(issued + Math.floor(lots / 4 + (Math.random() * lots) / 2));
    return { path: '/Inventory/Move', body: { ...body, toSpot: anySpot(), [by]: mark } };
  };
}

/** One third each: a receipt, a move and an issue, each at one of many spots with a few lots each. */
export const bySpot =
  ({ itemID }: TrackedItem) =>
  (): LoadRequest => {
    turn += 1;
    const body = { itemID, units: 1, wid: 1 };
    if (turn % 3 === 0)
      return { path: '/Inventory/Receive', body: { ...body, reasonCode: 1, spot: anySpot() } };
    if (turn % 3 === 1) {
      return { path: '/Inventory/Move', body: { ...body, fromSpot: anySpot(), toSpot: anySpot() } };
    }
    return { path: '/Inventory/Issue', body: { ...body, reasonCode: 2, spot: anySpot() } };
  };

/** A receipt and two issues of the first lots in the order of allocation. */
export const inOrder =
  ({ itemID }: TrackedItem) =>
  (): LoadRequest => {
    turn += 1;
    if (turn % 3 === 0) {
      const body = { itemID, units: 10, wid: 1, reasonCode: 1, spot: anySpot() };
      return { path: '/Inventory/Receive', body };
    }
    return { path: '/Inventory/Issue', body: { itemID, units: 3, wid: 1, reasonCode: 2 } };
  };
