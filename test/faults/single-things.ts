import { pickOne } from './random.ts';
import type { Ask } from './requests.ts';

/** A single thing, named by its serial or tag. */
type Single = { itemID: string; wid: number; by: { serial: string } | { rfidTag: string } };

export const singleItems = ['SERIAL-0', 'SERIAL-1', 'TAG-0'];
export const spots = ['A', 'B', 'C'];
// More of them would not make issues by serial likelier to succeed.
const singlesMax = 2000;

/** Receives, moves and issues of single things by serial or RFID tag. Remembers where each thing is. */
export function createSingleThings(random: () => number) {
  const singles: Single[] = [];
  const asked = new Map<Ask, Single>();

  function next(reference: string): Ask {
    if (singles.length === 0 || (random() < 0.4 && singles.length < singlesMax)) {
      const itemID = pickOne(random, singleItems);
      const by = itemID.startsWith('TAG') ? { rfidTag: `T-${reference}` } : { serial: `S-${reference}` };
      const wid = random() < 0.5 ? 1 : 2;
      const body = { itemID, units: 1, wid, spot: pickOne(random, spots), reasonCode: 1, reference, ...by };
      return note(
        { kind: 'receive of one serial or tag', path: 'Receive', itemID, body },
        { itemID, wid, by },
      );
    }
    // Taken off the list: a thing with an unknown outcome is not used again.
    const [single] = singles.splice(Math.floor(random() * singles.length), 1) as [Single];
    const { itemID, wid, by } = single;
    const common = { itemID, units: 1, wid, reference, ...by };
    if (random() < 0.4) {
      const body = { ...common, shipToWid: 3 - wid, toSpot: pickOne(random, spots) };
      return note({ kind: 'move by serial or tag', path: 'Move', itemID, body }, { ...single, wid: 3 - wid });
    }
    return note(
      { kind: 'issue by serial or tag', path: 'Issue', itemID, body: { ...common, reasonCode: 1 } },
      single,
    );
  }

  function note(ask: Ask, single: Single): Ask {
    asked.set(ask, single);
    return ask;
  }

  /** Notes the answer to a request. Returns whether it was for a single thing. */
  function learn(ask: Ask, applied: boolean): boolean {
    const single = asked.get(ask);
    asked.delete(ask);
    if (single !== undefined && applied && ask.path !== 'Issue') singles.push(single);
    return single !== undefined;
  }

  return { next, learn };
}
