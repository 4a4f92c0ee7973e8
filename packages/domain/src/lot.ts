import { z } from 'zod';

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
    spot: z.string().describe('Bin/location within the warehouse; blank if none was given'),
    units: z.number().describe('Quantity in this lot'),
    received: z.iso.datetime().describe('Date received'),
    shipped: z.iso
      .datetime()
      .nullable()
      .describe(
        'Date shipped: when the lot was used up, or emptied by a move to another warehouse; null while still in stock',
      ),
    serial: z.string().describe('Serial/lot number'),
    serial2: z.string().nullable().describe('Secondary serial number'),
    rFIDTag: z.string().nullable().describe('RFID tag value'),
    remark: z.string().describe('Notes'),
    hold: z.boolean().describe('Lot is on hold'),
    jobID: z.int().describe('Associated job/project ID (0 when none)'),
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
  expires: z.iso
    .datetime()
    .nullable()
    .describe('Expiration; for a date, the last millisecond of the day; null: none'),
  price: z.number().nullable().describe('Unit cost'),
  netWeight: z.number().nullable().describe('Net weight: as received, minus shares that moves split off'),
  grossWeight: z.number().nullable().describe('Gross weight: as received, minus shares that moves split off'),
  supplier: z.int().nullable().describe('Vendor/supplier ID'),
  line: z.int().nullable().describe('PO line number'),
  reference: z.string().nullable().describe('External reference of the receipt'),
  reasonCode: z.int().nullable().describe('Reason code of the receipt'),
  holdReason: z.string().nullable().describe('Why the lot is on hold'),
  modified: z.iso.datetime().describe('Last modification timestamp'),
  fromRecNo: z
    .int()
    .nullable()
    .describe('The lot from which a move split this one; null if it is out of scope'),
}).meta({ id: 'FullLot' });
export type FullLot = z.infer<typeof FullLot>;
