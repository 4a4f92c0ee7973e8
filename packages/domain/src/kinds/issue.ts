import { z } from 'zod';
import {
  Amount,
  Code,
  Id,
  ItemName,
  isReal,
  lengthMax,
  NamedOtherwise,
  RecordNo,
  text,
  UnitsOfLots,
} from '../fields.ts';
import { Permission } from '../permission.ts';
import { quantityOf } from '../quantity.ts';
import { namedLotOnHold } from '../refusals/conflict.ts';
import { allocate } from '../stock/allocate.ts';
import { type Batch, changeUnits, recNoOf } from '../stock/batch.ts';
import { applied, type Decision, itemOf, undecided } from '../stock/decision.ts';
import type { LotFilter } from '../stock/lot-filter.ts';
import { dryRunField, skippedField, triedFields, triedLots } from './call-schemas.ts';
import type { Kind, KindWords } from './kind.ts';
import { allocationWords, dryRunWords, sharedRefusals, skippedWords } from './words.ts';

/** `POST /Inventory/Issue`. */
export const IssueRequest = z
  .object({
    itemID: ItemName,
    units: UnitsOfLots.describe('Quantity to issue'),
    wid: Id.describe('Source warehouse ID'),
    reasonCode: Code.describe('Reason code of the adjustment'),
    spot: text(lengthMax.label).optional().describe('Bin/location to issue from'),
    serial: text(lengthMax.label).optional().describe('Serial/lot number'),
    serial2: text(lengthMax.label).optional().describe('Secondary serial'),
    rfidTag: text(lengthMax.label).optional().describe('RFID tag'),
    reference: text(lengthMax.label).optional().describe('External reference'),
    remark: text(lengthMax.remark).optional().describe('Notes'),
    netWeight: Amount.optional().describe('Net weight'),
    shipto: Code.optional().describe('Ship-to customer ID'),
    prodID: text(lengthMax.label).optional().describe('Production/assembly ID'),
    recno: RecordNo.optional().describe('Specific lot record to issue from'),
    line: Code.optional().describe('Order line number'),
  })
  .meta({ id: 'IssueRequest' });
export type IssueRequest = z.infer<typeof IssueRequest>;

/** 200. */
export const IssueAnswer = z
  .object({
    recNo: z.int().describe('Record number of the first lot that units were taken from'),
    status: z.literal('issued'),
    transactionNo: z.int().describe('Number of this transaction'),
    units: z.number().describe('Quantity issued'),
    lots: z.array(
      z.object({
        recNo: z.int(),
        units: z.number().describe('Units taken from this lot'),
        remaining: z.number().describe('Units left in this lot; at 0 it is shipped'),
      }),
    ),
    shortID: NamedOtherwise,
    dryRun: isReal,
  })
  .meta({ id: 'IssueAnswer' });

const IssueCall = IssueRequest.safeExtend({ dryRun: dryRunField }).meta({ id: 'IssueCall' });
const IssueDryRun = IssueAnswer.extend({ ...triedFields, skipped: skippedField }).meta({ id: 'IssueDryRun' });
// In a list, lots that an earlier operation would create have no number.
const IssueTried = IssueDryRun.omit({ skipped: true })
  .extend({ lots: triedLots(IssueAnswer.shape.lots) })
  .meta({ id: 'IssueTried' });

export type Issue = { kind: 'issue'; body: IssueRequest };

function lotsOf(partNo: number, request: IssueRequest): LotFilter {
  return {
    partNo,
    wid: request.wid,
    recNo: request.recno,
    spot: request.spot,
    spotField: 'spot',
    serial: request.serial,
    serial2: request.serial2,
    rfidTag: request.rfidTag,
    // An issue that names an expired lot writes it off.
    expiredToo: request.recno !== undefined,
    heldToo: false,
  };
}

/** Takes units from lots in the order of allocation, all of them or none. */
function decide(batch: Batch, { body: request }: Issue): Decision {
  const item = itemOf(batch, request.itemID);
  if ('code' in item) return { status: 'refused', refusal: item };
  const units = quantityOf(request.units);
  const parts = allocate(batch, lotsOf(item.partNo, request), units);
  if (parts === 'undecided') return undecided;
  if ('code' in parts) return { status: 'refused', refusal: parts };
  // From here on it must succeed.
  const entries = parts.map((part) => changeUnits(batch, part.lot, -part.units));
  return applied(entries, (transactionNo) => ({
    recNo: recNoOf(parts[0]!.lot),
    status: 'issued',
    transactionNo,
    units,
    lots: entries.map(({ lot, delta, balance }) => ({
      recNo: recNoOf(lot),
      units: -delta,
      remaining: balance,
    })),
  }));
}

const words: KindWords<IssueRequest, z.infer<typeof IssueAnswer>> = {
  summary: 'Issue stock: a negative adjustment',
  notes: `
A lot that becomes empty gets its \`shipped\` date and is no longer \`active\`, but stays in the list.
${allocationWords} Expired lots are not taken, except one named by \`recno\`, which is written off. A lot on hold is never taken, even if it is named by \`recno\`: 409.${dryRunWords}${skippedWords}`,
  bodies: {
    least: {
      summary: 'From the first lots in the order of allocation',
      value: { itemID: 'WIDGET-100', units: 85, wid: 2, reasonCode: 9 },
    },
    lot: {
      summary: 'From one lot',
      value: {
        ...{ itemID: 'BOLT-M8X40', units: 200.5, wid: 1, reasonCode: 9 },
        ...{ recno: 4, shipto: 5512, reference: 'SO-4471' },
      },
    },
  },
  answers: {
    least: {
      summary: 'From two lots; the first becomes empty and is shipped',
      value: {
        ...{ recNo: 2, status: 'issued', transactionNo: 26, units: 85 },
        lots: [
          { recNo: 2, units: 80, remaining: 0 },
          { recNo: 9, units: 5, remaining: 20 },
        ],
        dryRun: false,
      },
    },
    lot: {
      summary: 'From the named lot',
      value: {
        ...{ recNo: 4, status: 'issued', transactionNo: 27, units: 200.5 },
        lots: [{ recNo: 4, units: 200.5, remaining: 3799.5 }],
        dryRun: false,
      },
    },
  },
  refusals: {
    ...{ item: sharedRefusals.item, lot: sharedRefusals.lot, stock: sharedRefusals.stock },
    hold: { summary: 'The lot that is named', refusal: namedLotOnHold(7, 1_000_000n, 2_500_000n) },
  },
};

export const issue = {
  path: 'Issue',
  isExtension: false,
  body: IssueRequest,
  call: IssueCall,
  answer: IssueAnswer,
  dryRun: IssueDryRun,
  tried: IssueTried,
  since: 1,
  names: 'item',
  fields: {
    ...{ itemID: 1, units: 1, wid: 1, reasonCode: 1, spot: 1, serial: 1, serial2: 1, rfidTag: 1 },
    ...{ reference: 1, remark: 1, netWeight: 1, shipto: 1, prodID: 1, recno: 1, line: 1 },
  },
  status: 200,
  permission: Permission.NegativeAdjustment,
  undo: { permission: Permission.PositiveAdjustment, lines: 'each' },
  createsLot: false,
  sum: { of: 'body', field: 'units', sign: -1 },
  itemID: ({ body }) => body.itemID,
  warehouses: ({ body }) => [body.wid],
  pick: (partNo, { body }) => ({ lots: lotsOf(partNo, body), units: quantityOf(body.units) }),
  decide,
  words,
} as const satisfies Kind<Issue>;
