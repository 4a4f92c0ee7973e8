import { z } from 'zod';
import { AmountOfLots, Code, Flag, Id, isObject, isReal, lengthMax, name, RecordNo, text } from './fields.ts';

/** `POST /Inventory/Count`, an extension. */
export const CountRequest = z
  .object({
    itemID: name(lengthMax.shortId).describe('Item ShortID'),
    wid: Id.describe('Warehouse ID'),
    counted: AmountOfLots.describe('Quantity that was found there'),
    reasonCode: Code.describe('Reason code of the adjustment'),
    recno: RecordNo.optional().describe('Only this lot record was counted'),
    spot: text(lengthMax.label).optional().describe('Bin/location that was counted'),
    serial: text(lengthMax.label).optional().describe('Only lots with this serial/lot number were counted'),
    everywhere: Flag.optional().describe(
      'true: the whole warehouse was counted; needed where no `recno`, `spot` or `serial` says what',
    ),
    expected: AmountOfLots.optional().describe('Quantity that should be there; 409 when it is another one'),
    remark: text(lengthMax.remark).optional().describe('Notes'),
    reference: text(lengthMax.label).optional().describe('External reference'),
  })
  // A scanner that forgets the spot must not write off all other spots.
  .refine((body) => isPlaced(body) || body.everywhere === true, {
    path: ['spot'],
    error: 'or recno or serial is required, or everywhere: true for the whole warehouse.',
    when: isObject,
  })
  .refine((body) => !isPlaced(body) || body.everywhere !== true, {
    path: ['everywhere'],
    error: 'must not be true beside recno, spot or serial.',
    when: isObject,
  })
  .meta({ id: 'CountRequest' });
export type CountRequest = z.infer<typeof CountRequest>;

type Places = { recno?: unknown; spot?: unknown; serial?: unknown };

function isPlaced({ recno, spot, serial }: Places): boolean {
  return recno !== undefined || spot !== undefined || serial !== undefined;
}

/** The lots that a count or a reversal changed. */
export const ChangedLots = z.array(
  z.object({
    recNo: z.int(),
    units: z.number().describe('Units that this lot gained; below 0: that it lost'),
    remaining: z.number().describe('In this lot now; at 0 it is shipped'),
  }),
);

/** 200. */
export const CountAnswer = z
  .object({
    recNo: z.int().nullable().describe('Record number of the first lot changed; null when none was'),
    status: z.literal('counted'),
    transactionNo: z.int().describe('Number of this transaction'),
    before: z.number().describe('Units there by the books'),
    counted: z.number().describe('Units there now'),
    difference: z.number().describe('counted - before'),
    lots: ChangedLots,
    dryRun: isReal,
  })
  .meta({ id: 'CountAnswer' });
