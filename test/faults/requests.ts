import { pickOne } from './random.ts';

/** The kinds that the summary counts apart. */
export type Kind =
  | 'receive'
  | 'move'
  | 'issue'
  | 'receive of one serial or tag'
  | 'move by serial or tag'
  | 'issue by serial or tag'
  | 'large issue';

export type Ask = {
  kind: Kind;
  path: 'Receive' | 'Move' | 'Issue';
  body: { itemID: string } & Record<string, unknown>;
};

/** The next request, one after the other; told of the answers, it knows which serials and tags lie where. */
export type Requests = {
  /** `itemId`: of this item alone, and no single thing. */
  next(reference: string, itemId?: string): Ask;
  /** A request that was answered with yes, or with no. */
  learn(ask: Ask, applied: boolean): void;
};

/** A single thing, by the one name it has. */
type Single = { itemID: string; wid: number; by: { serial: string } | { rfidTag: string } };

const itemCount = 20;
const singleItems = ['SERIAL-0', 'SERIAL-1', 'TAG-0'];
// More of them make the issues by serial no likelier to be right.
const singlesMax = 2000;
const spots = ['A', 'B', 'C'];

/** The item that is asked for most. */
export const hotItem = 'ITEM-0';
/** Every item that the requests name. */
export const itemIds = [...Array.from({ length: itemCount }, (_, n) => `ITEM-${n}`), ...singleItems];

/**
 * Receives, moves and issues of a few hot items, at spots or anywhere, and of single things by serial or RFID
 * tag.
 */
export function createRequests(random: () => number): Requests {
  const singles: Single[] = [];
  const asked = new Map<Ask, Single>();
  const warehouse = () => (random() < 0.5 ? 1 : 2);

  function askPlain(reference: string, itemId: string | undefined): Ask {
    const path = pickOne(random, ['Receive', 'Receive', 'Move', 'Issue'] as const);
    // A few hot items, so that batches meet.
    const itemID = itemId ?? `ITEM-${Math.floor(random() ** 2 * itemCount)}`;
    const wid = warehouse();
    const common = { itemID, units: 1 + Math.floor(random() * 9), wid, reference };
    if (path === 'Move') {
      const to = random() < 0.5 ? { shipToWid: 3 - wid } : { toSpot: pickOne(random, spots) };
      return { kind: 'move', path, body: { ...common, ...to } };
    }
    const place = random() < 0.3 ? { spot: pickOne(random, spots) } : {};
    const kind = path === 'Receive' ? 'receive' : 'issue';
    return { kind, path, body: { ...common, ...place, reasonCode: 1 } };
  }

  function askSingle(reference: string): Ask {
    if (singles.length === 0 || (random() < 0.4 && singles.length < singlesMax)) {
      const itemID = pickOne(random, singleItems);
      const by = itemID.startsWith('TAG') ? { rfidTag: `T-${reference}` } : { serial: `S-${reference}` };
      const wid = warehouse();
      const body = { itemID, units: 1, wid, spot: pickOne(random, spots), reasonCode: 1, reference, ...by };
      return note({ kind: 'receive of one serial or tag', path: 'Receive', body }, { itemID, wid, by });
    }
    // Whose outcome is not known are left alone from then on.
    const [single] = singles.splice(Math.floor(random() * singles.length), 1) as [Single];
    const { itemID, wid, by } = single;
    const common = { itemID, units: 1, wid, reference, ...by };
    if (random() < 0.4) {
      const body = { ...common, shipToWid: 3 - wid, toSpot: pickOne(random, spots) };
      return note({ kind: 'move by serial or tag', path: 'Move', body }, { ...single, wid: 3 - wid });
    }
    return note(
      { kind: 'issue by serial or tag', path: 'Issue', body: { ...common, reasonCode: 1 } },
      single,
    );
  }

  function note(ask: Ask, single: Single): Ask {
    asked.set(ask, single);
    return ask;
  }

  return {
    next: (reference, itemId) =>
      itemId === undefined && random() < 0.25 ? askSingle(reference) : askPlain(reference, itemId),
    learn(ask, applied) {
      const single = asked.get(ask);
      asked.delete(ask);
      if (single !== undefined && applied && ask.path !== 'Issue') singles.push(single);
    },
  };
}
