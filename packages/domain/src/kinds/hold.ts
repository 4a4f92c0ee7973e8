import { z } from 'zod';
import { Flag, isReal, lengthMax, RecordNo, text } from '../fields.ts';
import { Permission } from '../permission.ts';
import { lotNotInStock } from '../refusals/conflict.ts';
import { invalid } from '../refusals/refused.ts';
import { lotsMatching } from '../stock/allocate.ts';
import { type Batch, changeHold } from '../stock/batch.ts';
import { applied, type Decision, itemOf, undecided } from '../stock/decision.ts';
import type { LotFilter } from '../stock/lot-filter.ts';
import { dryRunField, triedFields } from './call-schemas.ts';
import type { Kind, KindWords, Subject } from './kind.ts';
import { dryRunWords, sharedRefusals } from './words.ts';

/** `POST /Inventory/Hold`, an extension. */
export const HoldRequest = z
  .object({
    recno: RecordNo.describe('The lot'),
    hold: Flag.describe('true: put it on hold; false: release it'),
    reason: text(lengthMax.description)
      .optional()
      .describe('Why: `holdReason` of a lot on hold. That of a release is in the history alone'),
    remark: text(lengthMax.remark).optional().describe('Notes'),
    reference: text(lengthMax.label).optional().describe('External reference'),
  })
  .meta({ id: 'HoldRequest' });
export type HoldRequest = z.infer<typeof HoldRequest>;

/** 200. */
export const HoldAnswer = z
  .object({
    recNo: z.int().describe('Record number of the lot'),
    status: z.enum(['held', 'released']),
    transactionNo: z.int().describe('Number of this transaction'),
    changed: z.boolean().describe('false: the lot was so already, and keeps the reason of its hold'),
    units: z.number().describe('Units in the lot'),
    dryRun: isReal,
  })
  .meta({ id: 'HoldAnswer' });

const HoldCall = HoldRequest.safeExtend({ dryRun: dryRunField }).meta({ id: 'HoldCall' });
const HoldDryRun = HoldAnswer.extend({
  transactionNo: triedFields.transactionNo,
  dryRun: triedFields.dryRun,
}).meta({ id: 'HoldDryRun' });

export type Hold = { kind: 'hold'; body: HoldRequest; of: Subject };

/** The lot, whatever its state. */
function lotOf(partNo: number, { body, of }: Hold): LotFilter {
  return { partNo, wid: of.wids[0]!, recNo: body.recno, spotField: 'spot', expiredToo: true, heldToo: true };
}

/** Puts a lot in stock on hold, or releases it. It stays as it is if it is so already. */
function decide(batch: Batch, request: Hold): Decision {
  const { body, of } = request;
  const item = itemOf(batch, of.itemID);
  if ('code' in item) return { status: 'refused', refusal: item };
  const lots = lotsMatching(batch, lotOf(item.partNo, request));
  if (lots === 'undecided') return undecided;
  if ('code' in lots) return { status: 'refused', refusal: lots };
  const lot = lots[0]!;
  const { recNo, units } = lot;
  if (units === 0n) return { status: 'refused', refusal: lotNotInStock(recNo) };
  const changed = lot.hold !== body.hold;
  // From here on it must succeed.
  if (changed) changeHold(batch, lot, body.hold ? (body.reason ?? '') : null);
  const status = body.hold ? 'held' : 'released';
  const decision = applied([], (transactionNo) => ({ recNo, status, transactionNo, changed, units }));
  return { ...decision, held: lot };
}

const held: z.infer<typeof HoldAnswer> = {
  ...{ recNo: 3, status: 'held', transactionNo: 32, changed: true, units: 40 },
  dryRun: false,
};

const words: KindWords<HoldRequest, z.infer<typeof HoldAnswer>> = {
  summary: 'Put a lot on hold, or release it',
  notes: `
*Extension.* A lot on hold stays in stock and counts in \`inStock\` and \`onHold\`. Nothing is issued from it, and it moves only where \`recno\` names it. It needs the permissions 95 and 88,
and the warehouse of the lot in scope; another lot: 404. A lot that is used up: 409.

In the list of transactions it has \`hold\` instead of lines; in the history of its lot it is a line that moves nothing. Holds by the command line are in neither.

If the lot is already on hold, or already released, nothing changes, and a hold keeps its reason: \`changed: false\`. The call is recorded, and appears in \`GET /Changes\` as \`hold\`. The
opposite call undoes the change; there is no reversal. A lot that becomes empty loses its hold.${dryRunWords}`,
  bodies: {
    hold: { summary: 'On hold', value: { recno: 3, hold: true, reason: 'label is wet' } },
    release: { summary: 'Released', value: { recno: 3, hold: false } },
  },
  answers: {
    hold: { summary: 'The lot is on hold', value: held },
    release: {
      summary: 'The lot is released',
      value: { ...held, status: 'released', transactionNo: 33 },
    },
  },
  refusals: {
    fields: { summary: 'All invalid fields', refusal: invalid({ hold: ['is required.'] }) },
    ...{ item: sharedRefusals.item },
    gone: { summary: 'The lot is used up', refusal: lotNotInStock(1) },
  },
};

export const hold = {
  path: 'Hold',
  isExtension: true,
  body: HoldRequest,
  call: HoldCall,
  answer: HoldAnswer,
  dryRun: HoldDryRun,
  tried: HoldDryRun,
  since: 2,
  fields: { recno: 2, hold: 2, reason: 2, remark: 2, reference: 2 },
  status: 200,
  names: 'lot',
  permission: [Permission.PositiveAdjustment, Permission.NegativeAdjustment],
  undo: null,
  createsLot: false,
  sum: 'none',
  itemID: ({ of }) => of.itemID,
  warehouses: ({ of }) => of.wids,
  pick: (partNo, request) => ({ lots: lotOf(partNo, request), units: null }),
  decide,
  words,
} as const satisfies Kind<Hold>;
