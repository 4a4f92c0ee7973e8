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
} from '../fields.ts';
import { Permission } from '../permission.ts';
import { type Quantity, quantityOf } from '../quantity.ts';
import { countDiffers, heldNotCounted, tooManyLotsToCount } from '../refusals/conflict.ts';
import { invalid, type Refusal } from '../refusals/refused.ts';
import { lotsMatching, lotsPerTransactionMax } from '../stock/allocate.ts';
import {
  addLot,
  type Batch,
  changeUnits,
  type Entry,
  type ItemFacts,
  type LotState,
  recNoOf,
  refuseLevel,
  refuseLot,
} from '../stock/batch.ts';
import { applied, type Decision, itemOf, undecided } from '../stock/decision.ts';
import type { LotFilter } from '../stock/lot-filter.ts';
import { ChangedLots, dryRunField, triedFields, triedLots } from './call-schemas.ts';
import type { Kind, KindWords } from './kind.ts';
import { dryRunWords, sharedRefusals } from './words.ts';

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

const CountCall = CountRequest.safeExtend({ dryRun: dryRunField }).meta({ id: 'CountCall' });
const CountDryRun = CountAnswer.extend({ ...triedFields, lots: triedLots(CountAnswer.shape.lots) }).meta({
  id: 'CountDryRun',
});

export type Count = { kind: 'count'; body: CountRequest };

/**
 * The lots that a count covers, including expired ones. A lot named by its recNo is covered whatever its
 * state.
 */
function lotsOf(partNo: number, request: CountRequest): LotFilter {
  return {
    partNo,
    wid: request.wid,
    recNo: request.recno,
    spot: request.spot,
    spotField: 'spot',
    serial: request.serial,
    expiredToo: true,
    heldToo: true,
  };
}

/**
 * Sets the stock at a place to the counted quantity. Missing units are taken in the order of allocation,
 * never from a lot on hold. Surplus units become a new lot, or are added to the named lot.
 */
function decide(batch: Batch, { body: request }: Count): Decision {
  const item = itemOf(batch, request.itemID);
  if ('code' in item) return { status: 'refused', refusal: item };
  const lots = lotsMatching(batch, lotsOf(item.partNo, request));
  if (lots === 'undecided') return undecided;
  if ('code' in lots) return { status: 'refused', refusal: lots };
  const before = lots.reduce((sum, lot) => sum + lot.units, 0n);
  const refusal = refuseCount(batch, request, item, lots, before);
  if (refusal !== null) return { status: 'refused', refusal };
  // From here on it must succeed.
  const counted = quantityOf(request.counted);
  const difference = counted - before;
  const changed =
    difference < 0n ? takeOut(batch, lots, -difference) : putIn(batch, request, item, lots, difference);
  return applied(changed, (transactionNo) => ({
    recNo: changed[0] === undefined ? null : recNoOf(changed[0].lot),
    status: 'counted',
    transactionNo,
    before,
    counted,
    difference,
    lots: changed.map(({ lot, delta, balance }) => ({
      recNo: recNoOf(lot),
      units: delta,
      remaining: balance,
    })),
  }));
}

function refuseCount(
  batch: Batch,
  request: CountRequest,
  item: ItemFacts,
  lots: readonly LotState[],
  before: Quantity,
): Refusal | null {
  if (lots.length > lotsPerTransactionMax) return tooManyLotsToCount(lotsPerTransactionMax);
  const { expected } = request;
  if (expected !== undefined && quantityOf(expected) !== before) {
    return countDiffers(quantityOf(expected), before);
  }
  const counted = quantityOf(request.counted);
  if (counted > before) {
    const more = counted - before;
    const lot = request.recno === undefined ? null : lots[0]!;
    return refuseLot(lot, more) ?? refuseLevel(batch, item.partNo, request.wid, more);
  }
  const held = lots.filter((lot) => lot.hold);
  const heldUnits = held.reduce((sum, lot) => sum + lot.units, 0n);
  if (counted === before || counted >= heldUnits) return null;
  return heldNotCounted(counted, heldUnits, held.map(recNoOf));
}

function takeOut(batch: Batch, lots: readonly LotState[], units: Quantity): Entry[] {
  const entries: Entry[] = [];
  let missing = units;
  for (const lot of lots) {
    if (missing === 0n) break;
    if (lot.hold) continue;
    const taken = lot.units < missing ? lot.units : missing;
    missing -= taken;
    entries.push(changeUnits(batch, lot, -taken));
  }
  return entries;
}

function putIn(
  batch: Batch,
  request: CountRequest,
  item: ItemFacts,
  lots: readonly LotState[],
  units: Quantity,
): Entry[] {
  if (units === 0n) return [];
  const { wid, serial, reasonCode, remark, reference } = request;
  const lot =
    request.recno !== undefined
      ? lots[0]!
      : addLot(batch, {
          partNo: item.partNo,
          wid,
          spot: request.spot ?? '',
          received: batch.now,
          expires: null,
          serial: serial ?? '',
          serial2: null,
          rfidTag: null,
          netWeight: null,
          grossWeight: null,
          hold: false,
          origin: {
            kind: 'received',
            request: { serial, reasonCode, remark, reference },
            owner: item.dfltOwner,
          },
        });
  return [changeUnits(batch, lot, units)];
}

const less: z.infer<typeof CountAnswer> = {
  recNo: 8,
  status: 'counted',
  transactionNo: 28,
  before: 24,
  counted: 23,
  difference: -1,
  lots: [{ recNo: 8, units: -1, remaining: 23 }],
  dryRun: false,
};

const words: KindWords<CountRequest, z.infer<typeof CountAnswer>> = {
  summary: 'Count stock: the recorded units become the counted units',
  notes: `
*Extension.* Sets the stock at a place to \`counted\`. With \`recno\` that is one lot, which is in stock again if it was shipped. Otherwise it is all lots
of the item in stock at \`spot\` and with \`serial\`, if given; a blank value means lots without one. Without all three it is the whole warehouse,
and \`everywhere: true\` must confirm that.
If \`expected\` differs from the current quantity: 409 with that quantity.

Missing units are taken in the order of allocation, also from expired lots (last), but never from lots on hold: 409 names them. Surplus units become a new lot. If nothing
changes, the count is recorded and \`lots\` is empty. One count covers at most 1,000 lots.${dryRunWords}`,
  bodies: {
    less: {
      summary: 'The stock at a spot',
      value: {
        ...{ itemID: 'LABEL-4X6', wid: 1, spot: 'D-01-1', counted: 23, expected: 24 },
        reasonCode: 5,
      },
    },
    same: {
      summary: 'A count that matches the records',
      value: { ...{ itemID: 'WIDGET-100', wid: 1, spot: 'A-01-1', counted: 120 }, reasonCode: 5 },
    },
  },
  answers: {
    less: { summary: 'One less than recorded', value: less },
    same: {
      summary: 'As recorded: nothing changes',
      value: { ...less, ...{ recNo: null, before: 120, counted: 120, difference: 0, lots: [] } },
    },
  },
  refusals: {
    fields: {
      summary: 'All invalid fields',
      refusal: invalid({ itemID: ['is required.'], counted: ['must not be negative.'] }),
    },
    ...{ item: sharedRefusals.item, lot: sharedRefusals.lot },
    expected: { summary: 'Another figure', refusal: countDiffers(15_000_000n, 12_500_000n) },
    hold: { summary: 'Lots on hold', refusal: heldNotCounted(1_000_000n, 2_500_000n, [7]) },
    room: sharedRefusals.room,
  },
};

export const count = {
  path: 'Count',
  isExtension: true,
  body: CountRequest,
  call: CountCall,
  answer: CountAnswer,
  dryRun: CountDryRun,
  tried: CountDryRun,
  since: 1,
  names: 'item',
  fields: {
    ...{ itemID: 1, wid: 1, counted: 1, reasonCode: 1, recno: 1, spot: 1, serial: 1, everywhere: 1 },
    ...{ expected: 1, remark: 1, reference: 1 },
  },
  status: 200,
  permission: [Permission.PositiveAdjustment, Permission.NegativeAdjustment],
  undo: { permission: [Permission.PositiveAdjustment, Permission.NegativeAdjustment], lines: 'each' },
  createsLot: false,
  sum: { of: 'result', field: 'difference', sign: 1, orNone: true },
  itemID: ({ body }) => body.itemID,
  warehouses: ({ body }) => [body.wid],
  pick: (partNo, { body }) => ({ lots: lotsOf(partNo, body), units: null }),
  decide,
  words,
} as const satisfies Kind<Count>;
