import { z } from 'zod';
import { AmountOfLots } from '../fields.ts';

/** The stock of one item over the requested warehouses. Quantities are exact decimals. */
export const StockLevel = z
  .object({
    partNo: z.int().describe('Item part number'),
    available: z
      .number()
      .describe(
        'Available for use: inStock - onHold - committed - packed; may be negative. Expired units count, although Issue takes them only from a lot that `recno` names',
      ),
    inStock: z.number().describe('Total physically in the warehouse'),
    onOrder: z.number().describe('On open purchase orders'),
    onHold: z.number().describe('In stock but held (quality, inspection, etc.)'),
    committed: z.number().describe('Allocated to shipping orders'),
    packed: z.number().describe('Packed and awaiting shipment'),
    aSN: z.number().describe('In transit (advance ship notice)'),
  })
  .meta({ id: 'StockLevel' });
export type StockLevel = z.infer<typeof StockLevel>;

/** A stock level with the names of its item. */
export const FullStockLevel = StockLevel.extend({
  shortID: z.string().describe('Item SKU'),
  description: z.string().describe('Item description'),
  minimum: z
    .number()
    .nullable()
    .describe('The sum of the minimums of the item in these warehouses; null: none is set'),
  modified: z.iso.datetime().describe('When any of it was last modified'),
}).meta({ id: 'FullStockLevel' });
export type FullStockLevel = z.infer<typeof FullStockLevel>;

/** The stock of an item at the end of a moment, over the requested warehouses. */
export const StockAt = z
  .object({
    partNo: StockLevel.shape.partNo,
    shortID: FullStockLevel.shape.shortID,
    description: FullStockLevel.shape.description,
    inStock: z.number().describe('The units in stock at the end of that moment'),
  })
  .meta({ id: 'StockAt' });
export type StockAt = z.infer<typeof StockAt>;

/** What happened to the stock of an item on a day of UTC, over the requested warehouses. */
export const StockDay = z
  .object({
    day: z.iso.date().describe('A day of UTC'),
    received: z.number().describe('Units that were received, less receipts that were undone'),
    issued: z.number().describe('Units that were issued, less issues that were undone'),
    movedIn: z.number().describe('Units that came from other warehouses'),
    movedOut: z.number().describe('Units that went to other warehouses'),
    counted: z.number().describe('By how much counts changed the stock; negative: units were missing'),
    inStock: z.number().describe('The units in stock at the end of the day'),
  })
  .meta({ id: 'StockDay' });
export type StockDay = z.infer<typeof StockDay>;

/** The answer of `GET /Inventory/StockDays`. */
export const StockDayList = z
  .object({ value: z.array(StockDay).describe('A record for each day, in order') })
  .meta({ id: 'StockDayList' });

/** The minimum of an item in a warehouse, beside what is available of it there. */
export const Minimum = z
  .object({
    partNo: StockLevel.shape.partNo,
    shortID: FullStockLevel.shape.shortID,
    wID: z.int().describe('Warehouse ID'),
    minimum: z.number().nullable().describe('The units that should be available; null: none is set'),
    available: z.number().describe('inStock - onHold - committed - packed'),
    low: z.boolean().describe('Whether fewer units than the minimum are available'),
  })
  .meta({ id: 'Minimum' });
export type Minimum = z.infer<typeof Minimum>;

/** The body of a call that sets a minimum. */
export const MinimumToSet = z
  .object({
    minimum: AmountOfLots.nullable().describe('The units that should be available; null: no minimum'),
  })
  .meta({ id: 'MinimumToSet' });
