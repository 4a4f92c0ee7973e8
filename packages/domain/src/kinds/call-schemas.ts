import { z } from 'zod';
import { Flag } from '../fields.ts';

/** The field of a call alone that asks for a dry run. */
export const dryRunField = Flag.optional().describe(
  'Extension; true: returns the answer but stores nothing, uses no key and draws no number',
);

/** The fields of an answer that a dry run answers otherwise. */
export const triedFields = {
  recNo: z.int().nullable().describe('null for a new lot'),
  transactionNo: z.null().describe('Nothing was done'),
  dryRun: z.literal(true).describe('true: nothing was done'),
};

/** Lots that a dry run does not take. */
export const skippedField = z
  .array(z.object({ recNo: z.int(), reason: z.enum(['onHold', 'expired', 'filter']) }))
  .describe('At most 50 lots of the item in stock in the warehouse that would not be taken, and why');

/** The lots of a dry run: new ones have no number. */
export const triedLots = <Shape extends z.ZodRawShape>(lots: z.ZodArray<z.ZodObject<Shape>>) =>
  z.array(lots.element.extend({ recNo: z.int().nullable() }));

/** The lots that a count or a reversal changed. */
export const ChangedLots = z.array(
  z.object({
    recNo: z.int(),
    units: z.number().describe('Units that this lot gained; negative: lost'),
    remaining: z.number().describe('Units in this lot now; at 0 it is shipped'),
  }),
);
