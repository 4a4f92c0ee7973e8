import { z } from 'zod';
import { formatDateTime } from '../date-time.ts';
import { Code, Flag, Id, ItemName, isReal, Units } from '../fields.ts';
import { Lot, listedOf } from '../lot.ts';
import { type FieldRow, fieldRows, lastMomentOf, type SentField, type SentShape } from '../lot-fields.ts';
import { Permission } from '../permission.ts';
import { type Decimal, type Quantity, quantityOf } from '../quantity.ts';
import { addLot, type Batch, changeUnits, recNoOf, refuseLevel } from '../stock/batch.ts';
import { applied, type Decision, itemOf } from '../stock/decision.ts';
import { itemOfLots, lot } from '../story.ts';
import type { Kind, KindWords } from './kind.ts';
import { sharedRefusals } from './words.ts';

const ofSent = <Value>(read: (row: FieldRow) => Value) =>
  Object.fromEntries(fieldRows.flatMap((row) => (row.sent === undefined ? [] : [[row.name, read(row)]])));
// The document has had them in this order since 0.1.0. A new field comes with the others.
const { spot, serial, serial2, rfidTag, reference, remark, netWeight, grossWeight, price, jobid, ...others } =
  ofSent(({ sent }) => sent) as SentShape;

/** `POST /Inventory/Receive`. */
export const ReceiveRequest = z
  .object({
    itemID: ItemName,
    units: Units.describe('Quantity received'),
    wid: Id.describe('Destination warehouse ID'),
    reasonCode: Code.describe('Reason code of the adjustment'),
    ...{ spot, serial, serial2, rfidTag, reference, remark, netWeight, grossWeight, price },
    ...others,
    jobid,
  })
  .meta({ id: 'ReceiveRequest' });
export type ReceiveRequest = z.infer<typeof ReceiveRequest>;

/** 201. */
export const ReceiveAnswer = z
  .object({
    recNo: z.int().describe('Record number of the new lot'),
    status: z.literal('received'),
    transactionNo: z.int().describe('Number of this transaction'),
    lot: Lot,
    dryRun: isReal,
  })
  .meta({ id: 'ReceiveAnswer' });

/**
 * The body of a receipt as sent. A single receipt has no dry run, and a request for one must not create
 * stock.
 */
const ReceiveCall = ReceiveRequest.safeExtend({
  dryRun: Flag.optional()
    .refine((isTried) => isTried !== true, { error: 'must not be true: a receipt alone is not tried out.' })
    .describe('Extension: not for a single receipt; use a dry run of an atomic batch'),
}).meta({ id: 'ReceiveCall' });

const ReceiveTried = ReceiveAnswer.extend({
  recNo: z.null(),
  transactionNo: z.null(),
  lot: Lot.extend({ recNo: z.null() }),
  dryRun: z.literal(true),
}).meta({ id: 'ReceiveTried' });

export type Receive = { kind: 'receive'; body: ReceiveRequest };

/** Always creates a new lot. Refused only if the item does not exist or its level cannot hold this much. */
function decide(batch: Batch, { body: request }: Receive): Decision {
  const item = itemOf(batch, request.itemID);
  if ('code' in item) return { status: 'refused', refusal: item };
  const units = quantityOf(request.units);
  const refusal = refuseLevel(batch, item.partNo, request.wid, units);
  if (refusal !== null) return { status: 'refused', refusal };
  // From here on it must succeed.
  const lot = addLot(batch, {
    partNo: item.partNo,
    wid: request.wid,
    spot: request.spot ?? '',
    received: batch.now,
    expires: request.expires === undefined ? null : lastMomentOf(request.expires),
    serial: request.serial ?? '',
    serial2: request.serial2 ?? null,
    rfidTag: request.rfidTag ?? null,
    netWeight: weightOf(request.netWeight),
    grossWeight: weightOf(request.grossWeight),
    hold: false,
    origin: { kind: 'received', request, owner: item.dfltOwner },
  });
  return applied([changeUnits(batch, lot, units)], (transactionNo) => ({
    recNo: recNoOf(lot),
    status: 'received',
    transactionNo,
    lot: {
      recNo: recNoOf(lot),
      partNo: lot.partNo,
      shortID: item.shortId,
      description: item.description,
      associate: associateOf(item.dfltOwner),
      warehouse: batch.warehouses.get(request.wid) ?? '',
      wID: request.wid,
      spot: lot.spot,
      units,
      received: formatDateTime(batch.now),
      shipped: null,
      ...listedOf(request),
      jobName: null,
      active: true,
    },
  }));
}

function weightOf(weight: Decimal | undefined): Quantity | null {
  return weight === undefined ? null : quantityOf(weight);
}

/**
 * Blank means own stock. The contract has no source of customer names, so another owner is shown as its id.
 */
function associateOf(owner: number): string {
  return owner === 0 ? '' : String(owner);
}

const least: ReceiveRequest = { itemID: 'WIDGET-100', units: 40, wid: 1, reasonCode: 3 };
const receivedLot: Lot = {
  ...lot,
  ...{ recNo: 11, ...itemOfLots },
  ...{ warehouse: 'Main', wID: 1, spot: 'A-01-3', units: 40, serial: 'B2026-014' },
};

const words: KindWords<ReceiveRequest, z.infer<typeof ReceiveAnswer>> = {
  summary: 'Receive stock: a positive adjustment that creates a new lot',
  notes: `
Always creates a new lot; \`received\` is the server's time. Discontinued items can be received. \`reasonCode\` can be any integer
in range, unless the operator enforces a list: see \`GET /Reasons\`.`,
  bodies: {
    least: { summary: 'Only what is required', value: least },
    full: {
      summary: 'Against a purchase order, with a serial and an expiry',
      value: {
        ...least,
        ...{ spot: 'A-01-3', serial: 'B2026-014', reference: 'PO-77120', netWeight: 3.25, price: 1.149 },
        ...{ expires: '2028-12-31', supplier: 311, line: 2 },
      },
    },
  },
  answers: {
    full: {
      summary: 'Received',
      value: {
        recNo: receivedLot.recNo,
        status: 'received',
        transactionNo: 23,
        lot: receivedLot,
        dryRun: false,
      },
    },
  },
  refusals: { item: sharedRefusals.item, room: sharedRefusals.room },
};

export const receive = {
  path: 'Receive',
  isExtension: false,
  body: ReceiveRequest,
  call: ReceiveCall,
  answer: ReceiveAnswer,
  dryRun: null,
  tried: ReceiveTried,
  since: 1,
  names: 'item',
  fields: {
    ...{ itemID: 1, units: 1, wid: 1, reasonCode: 1 },
    ...(ofSent(({ since }) => since!) as Record<SentField, number>),
  },
  status: 201,
  permission: Permission.PositiveAdjustment,
  undo: { permission: Permission.NegativeAdjustment, lines: 'each' },
  createsLot: true,
  sum: { of: 'body', field: 'units', sign: 1 },
  itemID: ({ body }) => body.itemID,
  warehouses: ({ body }) => [body.wid],
  pick: () => null,
  decide,
  words,
} as const satisfies Kind<Receive>;
