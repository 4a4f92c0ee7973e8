import type { ScanOperation } from '../contract/scan.ts';
import type { Gs1 } from './read-code.ts';

/** The lot of a match. */
export type ScannedLot = { recNo: number; shortID: string; wID: number; hold: boolean; active: boolean };

/** An item without a lot: units of it arrive. `wid`: the only warehouse that can be meant, or null. */
export function receiveOf(shortID: string, gs1: Gs1 | null, wid: number | null): ScanOperation {
  const { units, serial, serial2, expires, netWeight } = gs1 ?? {};
  return operation('receive', ['itemID', 'units', 'wid', 'reasonCode'], {
    itemID: shortID,
    // A count of 0 cannot be received.
    ...given({ units: units === 0n ? null : units, wid, serial, serial2, expires, netWeight }),
  });
}

/** A lot: units of it go. One on hold can only be moved; null for one that is used up. */
export function operationOfLot({ recNo, shortID, wID, hold, active }: ScannedLot): ScanOperation | null {
  if (!active) return null;
  const body = { itemID: shortID, wid: wID, recno: recNo };
  return hold
    ? operation('move', ['itemID', 'units', 'wid', 'toSpot'], body)
    : operation('issue', ['itemID', 'units', 'wid', 'reasonCode'], body);
}

/** A spot: something is put there. */
export function moveToSpot(spot: string, wid: number): ScanOperation {
  return operation('move', ['itemID', 'units', 'wid', 'toSpot'], { wid, toSpot: spot });
}

function operation(
  op: ScanOperation['op'],
  required: readonly string[],
  body: ScanOperation['body'],
): ScanOperation {
  return { op, body, missing: required.filter((name) => !(name in body)) };
}

function given(
  fields: Record<string, string | number | bigint | null | undefined>,
): Record<string, string | number | bigint> {
  const set = Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(set);
}
