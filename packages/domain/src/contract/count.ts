import { z } from 'zod';
import {
  AmountOfLots,
  Code,
  Flag,
  Id,
  ItemName,
  isObject,
  isReal,
  lengthMax,
  NamedOtherwise,
  RecordNo,
  text,
} from './fields.ts';

/** `POST /Inventory/Count`, an extension. */
export const CountRequest = z
  .object({
    itemID: ItemName,
    wid: Id.describe('Warehouse ID'),
    counted: AmountOfLots.describe('Counted quantity'),
    reasonCode: Code.describe('Reason code of the adjustment'),
    recno: RecordNo.optional().describe('Only this lot record was counted'),
    spot: text(lengthMax.label).optional().describe('Counted bin/location'),
    serial: text(lengthMax.label).optional().describe('Only lots with this serial/lot number were counted'),
    everywhere: Flag.optional().describe(
      'true: the whole warehouse was counted; needed where no `recno`, `spot` or `serial` says what',
    ),
    expected: AmountOfLots.optional().describe('Expected quantity; 409 if the current one differs'),
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
    units: z.number().describe('Units that this lot gained; negative: lost'),
    remaining: z.number().describe('Units in this lot now; at 0 it is shipped'),
  }),
);

/** 200. */
export const CountAnswer = z
  .object({
    recNo: z.int().nullable().describe('Record number of the first changed lot; null if none changed'),
    status: z.literal('counted'),
    transactionNo: z.int().describe('Number of this transaction'),
    before: z.number().describe('Recorded units before the count'),
    counted: z.number().describe('Units after the count'),
    difference: z.number().describe('counted - before'),
    lots: ChangedLots,
    shortID: NamedOtherwise,
    dryRun: isReal,
  })
  .meta({ id: 'CountAnswer' });
