import { z } from 'zod';
import type { JsonAnswer } from './json-text.ts';
import { type FieldRow, fieldRows, type LotField, receivedValue, type ShownShape } from './lot-fields.ts';

type View = LotField['view'];
const byName = <Value>(view: View, read: (row: FieldRow) => Value) =>
  Object.fromEntries(fieldRows.flatMap((row) => (row.view === view ? [[row.shownAs, read(row)]] : [])));
const shapeOf = <V extends View>(view: V) => byName(view, ({ shown }) => shown) as ShownShape<V>;

const { spot, ...listed } = shapeOf('list');

/**
 * A lot as every answer shows it. Names and their case are the contract's. Datetimes: UTC, milliseconds, `Z`.
 */
export const Lot = z
  .object({
    recNo: z.int().describe('Unique lot record number'),
    partNo: z.int().describe('Item part number'),
    shortID: z.string().describe('Item SKU'),
    description: z.string().describe('Item description'),
    associate: z
      .string()
      .describe(
        'Owner: blank means own stock, otherwise the customer id of the item’s default owner at receipt',
      ),
    warehouse: z.string().describe('Warehouse name'),
    wID: z.int().describe('Warehouse ID'),
    spot,
    units: z.number().describe('Quantity in this lot'),
    received: z.iso.datetime().describe('Date received'),
    shipped: z.iso
      .datetime()
      .nullable()
      .describe(
        'Date shipped: when the lot was used up, or emptied by a move to another warehouse; null while still in stock',
      ),
    ...listed,
    jobName: z
      .string()
      .nullable()
      .describe('Job/project name; always null, because jobs are not stored here'),
    active: z.boolean().describe('Lot is active'),
  })
  .meta({ id: 'Lot' });
export type Lot = z.infer<typeof Lot>;

/** A lot with all values stored since its receipt. */
export const FullLot = Lot.extend({
  ...shapeOf('full'),
  modified: z.iso.datetime().describe('Last modification timestamp'),
  fromRecNo: z
    .int()
    .nullable()
    .describe('The lot from which a move split this one; null if it is out of scope'),
}).meta({ id: 'FullLot' });
export type FullLot = z.infer<typeof FullLot>;

/** A view's fields with their empty values, as of a lot about which nothing was said. */
export const emptyOf = <V extends View>(view: V) =>
  byName(view, ({ empty }) => empty) as z.infer<z.ZodObject<ShownShape<V>>>;

const listedRows = fieldRows.filter(({ view }) => view === 'list');

/** The record of a new lot with this receipt, as lists show it. */
export function listedOf(receipt: Readonly<Record<string, unknown>>): Record<string, JsonAnswer> {
  const shown: Record<string, JsonAnswer> = {};
  for (const row of listedRows) shown[row.shownAs] = receivedValue(row, receipt[row.name]);
  return shown;
}
