import type { ScanOperation } from '../contract/scan.ts';
import { oneUnit, type Quantity, unitsLimit } from '../quantity.ts';
import type { Gs1 } from './read-code.ts';

/** The lot of a match. */
export type ScannedLot = {
  recNo: number;
  shortID: string;
  wID: number;
  hold: boolean;
  active: boolean;
  hasExpired: boolean;
};

/**
 * The units that one scan of a code stands for: those of the alias in it, times its count. null: the code
 * tells no amount, 0, or more than an operation can have. `unitsOfAlias`: 1 says nothing, because every alias
 * has it by default.
 */
export function unitsOfScan(unitsOfAlias: Quantity, gs1: Gs1 | null): Quantity | null {
  const count = gs1?.units ?? null;
  if (count === null) return unitsOfAlias === oneUnit ? null : unitsOfAlias;
  // A count is a whole number, so nothing is rounded.
  const units = (unitsOfAlias * count) / oneUnit;
  return units > 0n && units < unitsLimit ? units : null;
}

/**
 * An item without a lot: units of it arrive. `units`: as of `unitsOfScan`. `wid`: the only warehouse that can
 * be meant, or null.
 */
export function receiveOf(
  shortID: string,
  gs1: Gs1 | null,
  { units, wid }: { units: Quantity | null; wid: number | null },
): ScanOperation {
  const { serial, serial2, expires, netWeight } = gs1 ?? {};
  return operation('receive', ['itemID', 'units', 'wid', 'reasonCode'], {
    itemID: shortID,
    ...given({ units, wid, serial, serial2, expires, netWeight }),
  });
}

/**
 * A lot: units of it go. One that is on hold or has expired is moved, because an issue by its recNo would
 * write it off. Null for one that is used up. `units`: as of `unitsOfScan`.
 */
export function operationOfLot(
  { recNo, shortID, wID, hold, active, hasExpired }: ScannedLot,
  units: Quantity | null,
): ScanOperation | null {
  if (!active) return null;
  const body = { itemID: shortID, ...given({ units }), wid: wID, recno: recNo };
  return hold || hasExpired
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
