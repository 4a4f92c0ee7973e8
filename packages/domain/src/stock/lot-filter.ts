import { formatQuantity, type Quantity } from '../quantity.ts';

/** Selects the lots that a transaction may take. Every filter that is set must match. */
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
  /** From (inclusive) and to (exclusive), in milliseconds since 1970. */
  received?: readonly [number, number] | undefined;
  /** A move inside the warehouse takes nothing that is already at its destination. */
  notAtSpot?: string | undefined;
  /** A move takes expired lots after all others. An issue takes one only if it is named by its recNo. */
  expiredToo: boolean;
  /** A move takes a lot on hold if it is named by its recNo. */
  heldToo: boolean;
};

/** Two picks with the same key select the same lots. */
export function pickKey(pick: LotFilter): string {
  return JSON.stringify(pick);
}

/** Two transactions with the same key ask for the same quantity of the same lots. */
export function askKey(pick: LotFilter, units: Quantity): string {
  return `${formatQuantity(units)} of ${pickKey(pick)}`;
}
