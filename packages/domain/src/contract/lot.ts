import { z } from 'zod';

/** A lot as every answer shows it; field names and their case are the contract's. Datetimes: UTC, milliseconds, `Z`. */
export const Lot = z
  .object({
    recNo: z.int().describe('Unique lot record number'),
    partNo: z.int().describe('Item part number'),
    shortID: z.string().describe('Item SKU'),
    description: z.string().describe('Item description'),
    associate: z
      .string()
      .describe('Owner: blank means own stock, else the customer id of the item’s default owner at receipt'),
    warehouse: z.string().describe('Warehouse name'),
    wID: z.int().describe('Warehouse ID'),
    spot: z.string().describe('Bin/location within the warehouse; blank when none was given'),
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
    jobName: z.string().nullable().describe('Job/project name; always null, because jobs are not kept here'),
    active: z.boolean().describe('Lot is active'),
  })
  .meta({ id: 'Lot' });
export type Lot = z.infer<typeof Lot>;
