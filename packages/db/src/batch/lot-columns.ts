import { formatDateTime } from '@inventory/domain/date-time';
import {
  type FieldRow,
  fieldRows,
  lotFields,
  type OwnField,
  receivedValue,
} from '@inventory/domain/lot-fields';
import { formatQuantity, type Quantity } from '@inventory/domain/quantity';
import type { LotState, Receipt } from '@inventory/domain/stock/batch';
import { type Piece, piece, raw } from '@inventory/postgres/piece';
import { plainArray } from './array-text.ts';

type LotColumn<From> = { column: string; type: string; of: (from: From) => string | number | null };

/** The facts about a lot when its receipt is written. `owner`: the item's owner at that time. */
type ReceivedLot = { lot: LotState; request: Receipt; owner: number };

/** The columns that a lot keeps from its receipt, and that all lots split from it share. */
export const keptColumns: readonly LotColumn<ReceivedLot>[] = [
  ...fieldRows.filter(({ isKept }) => isKept).map((row) => ({ ...row, of: keptValue(row) })),
  { column: 'owner', type: 'integer', of: ({ owner }) => owner },
];

function keptValue(row: FieldRow): LotColumn<ReceivedLot>['of'] {
  // Read before: reading it again would take longer than all others.
  if (row.name === 'expires') return ({ lot }) => (lot.expires === null ? null : formatDateTime(lot.expires));
  const name = row.name as keyof Receipt;
  if (row.type === 'timestamptz') return ({ request }) => receivedValue(row, request[name]) as string | null;
  const empty = row.empty as string | number | null;
  return ({ request }) => request[name] ?? empty;
}

const weight = (of: Quantity | null) => (of === null ? null : formatQuantity(of));
const own: Record<OwnField, LotColumn<LotState>['of']> = {
  spot: ({ spot }) => spot,
  rfidTag: ({ rfidTag }) => rfidTag,
  netWeight: ({ netWeight }) => weight(netWeight),
  grossWeight: ({ grossWeight }) => weight(grossWeight),
};

/** The columns that each lot has for itself, and that transactions change. */
export const ownColumns: readonly LotColumn<LotState>[] = Object.entries(own).map(([name, of]) => ({
  ...lotFields[name as OwnField],
  of,
}));

/** The names of columns, separated by commas. */
export function namesOf(columns: readonly { column: string }[], from = ''): Piece {
  return raw(columns.map(({ column }) => `${from}${column}`).join(', '));
}

/** Their values as arrays, separated by commas. */
export function arraysOf<From>(columns: readonly LotColumn<From>[], rows: readonly From[]): Piece {
  const arrays = columns.map(({ type, of }) => {
    const values = rows.map(of);
    if (type === 'text') return piece`${values}::text[]`;
    // The driver would format a time in its own way.
    const cast = raw(type === 'timestamptz' ? 'text[]::timestamptz[]' : `${type}[]`);
    return piece`${plainArray(values)}::${cast}`;
  });
  return arrays.reduce((all, each) => piece`${all}, ${each}`);
}
