import { formatQuantity, type Quantity } from '../quantity.ts';

/** Which lots a transaction may take: every filter given must match. */
export type LotFilter = {
  partNo: number;
  wid: number;
  recNo?: number | undefined;
  spot?: string | undefined;
  /** The request's name for the spot. */
  spotField: 'spot' | 'fromSpot';
  serial?: string | undefined;
  serial2?: string | undefined;
  rfidTag?: string | undefined;
  /** From (inclusive) and to (exclusive), milliseconds since 1970. */
  received?: readonly [number, number] | undefined;
  /** A move inside the warehouse takes nothing that already lies at its destination. */
  notAtSpot?: string | undefined;
  /** Move takes lots that have expired, after all others; Issue only one that is named by its recNo. */
  expiredToo: boolean;
  /** Move takes a lot on hold when it is named by its recNo. */
  heldToo: boolean;
};

/** Two picks with the same key ask for the same lots. */
export function pickKey(pick: LotFilter): string {
  return JSON.stringify(pick);
}

/** Two transactions with the same key ask for as many units of the same lots. */
export function askKey(pick: LotFilter, units: Quantity): string {
  return `${formatQuantity(units)} of ${pickKey(pick)}`;
}
