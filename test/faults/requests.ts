import { pickOne } from './random.ts';
import { createSingleThings, singleItems, spots } from './single-things.ts';

/** The kinds that the summary counts separately. */
export type Kind =
  | 'receive'
  | 'move'
  | 'issue'
  | 'receive of one serial or tag'
  | 'move by serial or tag'
  | 'issue by serial or tag'
  | 'large issue'
  | 'count'
  | 'reverse'
  | 'hold';

export type Ask = {
  kind: Kind;
  path: 'Receive' | 'Move' | 'Issue' | 'Count' | 'Reverse' | 'Hold';
  itemID: string;
  body: Record<string, unknown>;
};

/**
 * Makes requests one after the other. Learns from the answers where serials and tags are, and which
 * transactions can be reversed and which lots held.
 */
export type Requests = {
  /** `itemId`: only this item, and no single thing. */
  next(reference: string, itemId?: string): Ask;
  /** A receipt, which is never refused. */
  nextReceipt(reference: string): Ask;
  /** Notes the answer to a request. `transactionNo`: null unless it was applied. `recNo`: of its lot. */
  learn(ask: Ask, transactionNo: number | null, recNo?: number): void;
};

const itemCount = 20;
// Transactions to reverse; the oldest are forgotten.
const undoableMax = 300;
// Lots to hold, and those on hold at a time, so that most stock can be taken.
const holdableMax = 100;
const heldMax = 10;

/** The most requested item. */
export const hotItem = 'ITEM-0';
/** Every item that the requests name. */
export const itemIds = [...Array.from({ length: itemCount }, (_, n) => `ITEM-${n}`), ...singleItems];

/**
 * Receives, moves and issues of a few hot items, at spots or anywhere, and of single things by serial or RFID
 * tag; counts of those items, reversals, holds and releases.
 */
export function createRequests(random: () => number): Requests {
  const undoable: { itemID: string; transactionNo: number }[] = [];
  const holds = createHolds(random);
  const warehouse = () => (random() < 0.5 ? 1 : 2);
  const singles = createSingleThings(random);

  function askPlain(
    reference: string,
    itemId?: string,
    paths: readonly ['Receive', ...Ask['path'][]] = ['Receive', 'Receive', 'Move', 'Issue'],
  ): Ask {
    const path = pickOne(random, paths);
    // Skewed to a few hot items, so that batches meet on them.
    const itemID = itemId ?? `ITEM-${Math.floor(random() ** 2 * itemCount)}`;
    const wid = warehouse();
    const common = { itemID, units: 1 + Math.floor(random() * 9), wid, reference };
    if (path === 'Move') {
      const to = random() < 0.5 ? { shipToWid: 3 - wid } : { toSpot: pickOne(random, spots) };
      return { kind: 'move', path, itemID, body: { ...common, ...to } };
    }
    const place = random() < 0.3 ? { spot: pickOne(random, spots) } : {};
    const kind = path === 'Receive' ? 'receive' : 'issue';
    return { kind, path, itemID, body: { ...common, ...place, reasonCode: 1 } };
  }

  /** All items alike: the hottest have more lots than one transaction may count. */
  function askCount(reference: string, itemId: string | undefined): Ask {
    const itemID = itemId ?? `ITEM-${Math.floor(random() * itemCount)}`;
    const counted = Math.floor(random() * 40);
    const body = {
      itemID,
      wid: warehouse(),
      spot: pickOne(random, spots),
      counted,
      reasonCode: 1,
      reference,
    };
    return { kind: 'count', path: 'Count', itemID, body };
  }

  /** Requests some reversals twice; the second one is refused. */
  function askReversal(reference: string): Ask {
    const place = Math.floor(random() * undoable.length);
    const { itemID, transactionNo } = undoable[place]!;
    if (random() < 0.7) undoable.splice(place, 1);
    return { kind: 'reverse', path: 'Reverse', itemID, body: { transactionNo, reference } };
  }

  return {
    next(reference, itemId) {
      const kind = random();
      if (kind < 0.04) return askCount(reference, itemId);
      if (kind < 0.1 && itemId === undefined && undoable.length > 0) return askReversal(reference);
      const asked = kind < 0.14 && itemId === undefined ? holds.next(reference) : null;
      if (asked !== null) return asked;
      return itemId === undefined && random() < 0.25 ? singles.next(reference) : askPlain(reference, itemId);
    },
    nextReceipt: (reference) => askPlain(reference, undefined, ['Receive']),
    learn(ask, transactionNo, recNo) {
      const { path, itemID } = ask;
      const isSingle = singles.learn(ask, transactionNo !== null);
      // Single things must stay where they are known to be, and reversing a large issue takes long.
      if (transactionNo === null || isSingle || ask.kind === 'large issue') return;
      if (path === 'Reverse' || path === 'Hold') return;
      if (path === 'Receive' && recNo !== undefined) holds.learn(itemID, recNo);
      undoable.push({ itemID, transactionNo });
      if (undoable.length > undoableMax) undoable.shift();
    },
  };
}

/** Holds and releases of received lots, of which few are on hold at a time. */
function createHolds(random: () => number) {
  const holdable: { itemID: string; recNo: number }[] = [];
  const held: typeof holdable = [];
  return {
    /** Requests some twice; the second one changes nothing. Null: no lot is known. */
    next(reference: string): Ask | null {
      if (holdable.length === 0) return null;
      const isFull = held.length >= heldMax;
      const { itemID, recNo } = isFull ? held[0]! : pickOne(random, holdable);
      if (random() < 0.7) {
        if (isFull) held.shift();
        else held.push({ itemID, recNo });
      }
      return { kind: 'hold', path: 'Hold', itemID, body: { recno: recNo, hold: !isFull, reference } };
    },
    learn(itemID: string, recNo: number) {
      holdable.push({ itemID, recNo });
      if (holdable.length > holdableMax) holdable.shift();
    },
  };
}
