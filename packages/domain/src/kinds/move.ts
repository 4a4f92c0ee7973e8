import { z } from 'zod';
import { parseDateTime } from '../date-time.ts';
import {
  DateTimeText,
  Id,
  ItemName,
  isObject,
  isReal,
  lengthMax,
  NamedOtherwise,
  RecordNo,
  text,
  Units,
} from '../fields.ts';
import { Permission } from '../permission.ts';
import { type Quantity, quantityOf } from '../quantity.ts';
import { allocate, type Taking } from '../stock/allocate.ts';
import {
  addLot,
  adjust,
  type Batch,
  change,
  type Entry,
  type LotState,
  recNoOf,
  refuseLevel,
} from '../stock/batch.ts';
import { applied, type Decision, itemOf, undecided } from '../stock/decision.ts';
import type { LotFilter } from '../stock/lot-filter.ts';
import { less, shareOf } from '../stock/weights.ts';
import { dryRunField, skippedField, triedFields, triedLots } from './call-schemas.ts';
import type { Kind, KindWords } from './kind.ts';
import { allocationWords, dryRunWords, sharedRefusals, skippedWords } from './words.ts';

/** `POST /Inventory/Move`. */
export const MoveRequest = z
  .object({
    itemID: ItemName,
    units: Units.describe('Quantity to move'),
    wid: Id.describe('Source warehouse ID'),
    fromSpot: text(lengthMax.label).optional().describe('Source bin/location'),
    toSpot: text(lengthMax.label).optional().describe('Destination bin/location'),
    shipToWid: Id.optional().describe('Destination warehouse, for a move between warehouses'),
    transitSlip: text(lengthMax.label).optional().describe('Transit slip reference'),
    serial: text(lengthMax.label).optional().describe('Serial/lot to move'),
    serial2: text(lengthMax.label).optional().describe('Secondary serial'),
    rfidTag: text(lengthMax.label).optional().describe('RFID tag'),
    reference: text(lengthMax.label).optional().describe('External reference'),
    recno: RecordNo.optional().describe('Specific lot record to move'),
    received: DateTimeText.optional().describe(
      'Received on this UTC day (a date) or in this second (a datetime)',
    ),
  })
  .refine((body) => hasDestination(body), {
    path: ['toSpot'],
    error: 'or shipToWid must name a destination that differs from the source.',
    when: isObject,
  })
  .meta({ id: 'MoveRequest' });
export type MoveRequest = z.infer<typeof MoveRequest>;

/** 200. */
export const MoveAnswer = z
  .object({
    recNo: z.int().describe('Record number of the first destination lot'),
    status: z.literal('moved'),
    transactionNo: z.int().describe('Number of this transaction'),
    units: z.number().describe('Quantity moved'),
    lots: z.array(
      z.object({
        recNo: z.int().describe('Destination lot'),
        fromRecNo: z.int().describe('Source lot; the same lot if a whole lot moved inside its warehouse'),
        units: z.number().describe('Units moved'),
        remaining: z.number().describe('In the lot `fromRecNo` afterwards'),
        wID: z.int(),
        spot: z.string(),
      }),
    ),
    shortID: NamedOtherwise,
    dryRun: isReal,
  })
  .meta({ id: 'MoveAnswer' });

type Destination = { [F in 'wid' | 'fromSpot' | 'toSpot' | 'shipToWid']: MoveRequest[F] };

function hasDestination(body: Destination): boolean {
  if (body.shipToWid !== undefined && body.shipToWid !== body.wid) return true;
  return body.toSpot !== undefined && body.toSpot !== body.fromSpot;
}

const MoveCall = MoveRequest.safeExtend({ dryRun: dryRunField }).meta({ id: 'MoveCall' });
const MoveDryRun = MoveAnswer.extend({
  ...triedFields,
  lots: triedLots(MoveAnswer.shape.lots),
  skipped: skippedField,
}).meta({ id: 'MoveDryRun' });
// In a list, lots that an earlier operation would create have no number either.
const MoveTried = MoveDryRun.omit({ skipped: true })
  .extend({ lots: z.array(MoveDryRun.shape.lots.element.extend({ fromRecNo: z.int().nullable() })) })
  .meta({ id: 'MoveTried' });

export type Move = { kind: 'move'; body: MoveRequest };

function lotsOf(partNo: number, request: MoveRequest): LotFilter {
  return {
    partNo,
    wid: request.wid,
    recNo: request.recno,
    spot: request.fromSpot,
    spotField: 'fromSpot',
    serial: request.serial,
    serial2: request.serial2,
    rfidTag: request.rfidTag,
    received: request.received === undefined ? undefined : receivedRange(request.received),
    notAtSpot: destinationWid(request) === request.wid ? request.toSpot : undefined,
    expiredToo: true,
    heldToo: request.recno !== undefined,
  };
}

/** The destination warehouse of a move. */
function destinationWid(request: MoveRequest): number {
  return request.shipToWid ?? request.wid;
}

function receivedRange(text: string): [number, number] {
  const parsed = parseDateTime(text);
  if (parsed === null) throw new RangeError(`not a datetime: ${text}`);
  if (parsed.precision === 'day') return [parsed.at, parsed.at + 86_400_000];
  const second = Math.floor(parsed.at / 1000) * 1000;
  return [second, second + 1000];
}

/** Moves units in the order of allocation, all of them or none. */
function decide(batch: Batch, { body: request }: Move): Decision {
  const item = itemOf(batch, request.itemID);
  if ('code' in item) return { status: 'refused', refusal: item };
  const units = quantityOf(request.units);
  const parts = allocate(batch, lotsOf(item.partNo, request), units);
  if (parts === 'undecided') return undecided;
  if ('code' in parts) return { status: 'refused', refusal: parts };
  const wid = destinationWid(request);
  const refusal = wid === request.wid ? null : refuseLevel(batch, item.partNo, wid, units);
  if (refusal !== null) return { status: 'refused', refusal };
  // From here on it must succeed.
  const moved = parts.map((part) => movePart(batch, part, wid, request.toSpot ?? ''));
  return applied(
    moved.flatMap((part) => part.entries),
    (transactionNo) => ({
      recNo: recNoOf(moved[0]!.to),
      status: 'moved',
      transactionNo,
      units,
      lots: moved.map((part) => ({
        recNo: recNoOf(part.to),
        fromRecNo: recNoOf(part.from),
        units: part.units,
        remaining: part.remaining,
        wID: part.wid,
        spot: part.spot,
      })),
    }),
  );
}

type Moved = {
  from: LotState;
  to: LotState;
  units: Quantity;
  remaining: Quantity;
  wid: number;
  spot: string;
  entries: Entry[];
};

function movePart(batch: Batch, { lot: from, units }: Taking, wid: number, spot: string): Moved {
  const whole = units === from.units;
  const out: Entry = {
    ...{ lot: from, wid: from.wid, spot: from.spot },
    ...{ delta: -units, balance: from.units - units },
  };
  let to: LotState;
  if (whole && wid === from.wid) {
    to = from;
    from.spot = spot;
    change(batch, from);
  } else {
    const origin = from.origin.kind === 'split' ? from.origin.of : from;
    to = addLot(batch, {
      ...from,
      wid,
      spot,
      rfidTag: whole ? from.rfidTag : null,
      netWeight: shareOf(from.netWeight, units, from.units),
      grossWeight: shareOf(from.grossWeight, units, from.units),
      origin: { kind: 'split', of: origin, from },
    });
    // The tag goes with the whole lot. If the old lot is in stock again one day, it must not show the tag as
    // well.
    if (whole) from.rfidTag = null;
    from.netWeight = less(from.netWeight, to.netWeight);
    from.grossWeight = less(from.grossWeight, to.grossWeight);
    adjust(batch, from, -units);
    adjust(batch, to, units);
  }
  const entries = [out, { lot: to, wid, spot, delta: units, balance: to.units }];
  return { from, to, units, remaining: from.units, wid, spot, entries };
}

const words: KindWords<MoveRequest, z.infer<typeof MoveAnswer>> = {
  summary: 'Move stock between spots or warehouses',
  notes: `
The destination must differ from the source: \`toSpot\`, \`shipToWid\` or both. With \`shipToWid\`, both warehouses must be in
scope. A whole lot that moves inside its warehouse keeps its \`recNo\`. Moving a part of a lot, or moving to another warehouse, creates a new lot
with the same received date, serials, expiry, price, owner, job and hold. Weights are divided by units, exactly. Lots are
never merged. A lot that becomes empty by a move to another warehouse is \`shipped\`, as after an issue.
${allocationWords} A lot on hold moves only if it is named by \`recno\`, and stays on hold.${dryRunWords}${skippedWords}`,
  bodies: {
    warehouse: {
      summary: 'To another warehouse',
      value: { itemID: 'CABLE-3G15', units: 100, wid: 1, shipToWid: 2, toSpot: 'DOCK' },
    },
    spot: {
      summary: 'To another spot of the warehouse',
      value: { itemID: 'WIDGET-200', units: 40, wid: 1, fromSpot: 'A-01-2', toSpot: 'B-07-1' },
    },
  },
  answers: {
    warehouse: {
      summary: 'Part of a lot, to another warehouse: a new lot there',
      value: {
        ...{ recNo: 12, status: 'moved', transactionNo: 24, units: 100 },
        lots: [{ recNo: 12, fromRecNo: 5, units: 100, remaining: 312.75, wID: 2, spot: 'DOCK' }],
        dryRun: false,
      },
    },
    spot: {
      summary: 'A whole lot inside its warehouse: it keeps its recNo',
      value: {
        ...{ recNo: 3, status: 'moved', transactionNo: 25, units: 40 },
        lots: [{ recNo: 3, fromRecNo: 3, units: 40, remaining: 40, wID: 1, spot: 'B-07-1' }],
        dryRun: false,
      },
    },
  },
  refusals: sharedRefusals,
};

export const move = {
  path: 'Move',
  isExtension: false,
  body: MoveRequest,
  call: MoveCall,
  answer: MoveAnswer,
  dryRun: MoveDryRun,
  tried: MoveTried,
  since: 1,
  names: 'item',
  fields: {
    ...{ itemID: 1, units: 1, wid: 1, fromSpot: 1, toSpot: 1, shipToWid: 1, transitSlip: 1, serial: 1 },
    ...{ serial2: 1, rfidTag: 1, reference: 1, recno: 1, received: 1 },
  },
  status: 200,
  permission: Permission.LocateMoveUnits,
  undo: { permission: Permission.LocateMoveUnits, lines: 'pairs' },
  createsLot: true,
  sum: 0,
  itemID: ({ body }) => body.itemID,
  warehouses: ({ body }) => (body.shipToWid === undefined ? [body.wid] : [body.wid, body.shipToWid]),
  pick: (partNo, { body }) => ({ lots: lotsOf(partNo, body), units: quantityOf(body.units) }),
  decide,
  words,
} as const satisfies Kind<Move>;
