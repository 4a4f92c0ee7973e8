import type { MoveRequest } from '../contract/move.ts';
import { parseDateTime } from '../date-time.ts';
import { type Quantity, quantityOf } from '../quantity.ts';
import { allocate, type Taking } from './allocate.ts';
import {
  addLot,
  adjust,
  type Batch,
  change,
  type Entry,
  type LotState,
  recNoOf,
  refuseLevel,
} from './batch.ts';
import { applied, type Decision, itemOf, undecided } from './decision.ts';
import type { LotFilter } from './lot-filter.ts';
import { less, shareOf } from './weights.ts';

export function movePick(partNo: number, request: MoveRequest): LotFilter {
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
export function move(batch: Batch, request: MoveRequest): Decision {
  const item = itemOf(batch, request.itemID);
  if ('code' in item) return { status: 'refused', refusal: item };
  const units = quantityOf(request.units);
  const parts = allocate(batch, movePick(item.partNo, request), units);
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
