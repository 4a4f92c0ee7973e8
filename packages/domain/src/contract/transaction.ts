import { z } from 'zod';
import { kindNames } from '../kinds/kinds.ts';
import { FullLot } from '../lot.ts';

const shared = {
  transactionNo: z.int().describe('Unique transaction number'),
  kind: z.enum(kindNames).describe('The kind of transaction'),
  at: z.iso.datetime().describe('When it was applied, by the clock of the service'),
  clientId: z.string().describe('The client that requested it'),
};
const reason = {
  reasonCode: z.int().nullable().describe('Reason code; null if the call has none'),
  reference: z.string().nullable().describe('External reference'),
  remark: z.string().nullable().describe('Notes'),
};

const hold = z
  .object({
    recNo: z.int().describe('The lot'),
    hold: z.boolean().describe('true: it was put on hold; false: released'),
    reason: z.string().nullable().describe('Why'),
    changed: z.boolean().describe('false: the lot was so already'),
  })
  .nullable()
  .describe('Of a hold or a release; null for other kinds');

/** One line of the ledger: the effect of a transaction on one lot. */
const TransactionLine = z
  .object({
    recNo: z.int().describe('The lot'),
    partNo: z.int().describe('Item part number'),
    shortID: z.string().describe('Item SKU'),
    wID: z.int().describe('Warehouse ID'),
    spot: z.string().describe('Bin/location within the warehouse; blank if none was given'),
    delta: z.number().describe('Units that the lot gained there; negative: lost'),
    balance: z.number().describe('Units of the lot there afterwards'),
  })
  .meta({ id: 'TransactionLine' });

/** An applied stock transaction, with its lines for warehouses in the caller's scope. */
export const Transaction = z
  .object({
    ...shared,
    itemID: z.string().describe('Item ShortID'),
    ...reason,
    capturedAt: z.iso.datetime().nullable().describe('When the work was done, by the clock of the device'),
    deviceID: z.string().nullable().describe('The device'),
    deviceSeq: z.int().nullable().describe('The number that the device gave the work'),
    reverses: z.int().nullable().describe('The transaction that this one reversed'),
    reversedBy: z.int().nullable().describe('The transaction that reversed this one'),
    hold,
    lines: z
      .array(TransactionLine)
      .describe(
        'In order; empty for a hold, and for a count that changed nothing. In a list: the first 100, or fewer in a page whose lines would take more than 2 MiB',
      ),
    moreLines: z
      .literal(true)
      .optional()
      .describe('In a list: whether there are more lines; get the transaction by number to see them'),
  })
  .meta({ id: 'Transaction' });
export type Transaction = z.infer<typeof Transaction>;

/** A line of the ledger in the history of its lot, or a hold, which moves nothing. */
export const LotHistoryLine = z
  .object({
    ...shared,
    ...reason,
    spot: z.string().describe('Bin/location within the warehouse'),
    delta: z.number().describe('Units that the lot gained there; negative: lost'),
    balance: z.number().describe('Units of the lot there afterwards'),
    hold,
  })
  .meta({ id: 'LotHistoryLine' });
export type LotHistoryLine = z.infer<typeof LotHistoryLine>;

/** A lot and its history. */
export const LotWithHistory = FullLot.extend({
  history: z
    .array(LotHistoryLine)
    .describe('The last 50 lines of the ledger and holds together, newest first'),
}).meta({ id: 'LotWithHistory' });
export type LotWithHistory = z.infer<typeof LotWithHistory>;

/** How many transactions of a kind a client made in an hour or a day. */
export const Activity = z
  .object({
    start: z.iso.datetime().describe('When the hour or the day of UTC begins'),
    kind: Transaction.shape.kind,
    clientId: Transaction.shape.clientId,
    transactions: z.int().describe('How many there were'),
  })
  .meta({ id: 'Activity' });
export type Activity = z.infer<typeof Activity>;
