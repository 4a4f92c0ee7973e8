import type { StockRequest } from '@inventory/domain/stock/transaction';

/** A lot as the model knows it. Units are multiples of a half, so that plain numbers are exact. */
export type ModelLot = {
  recNo: number;
  itemID: string;
  wid: number;
  spot: string;
  units: number;
  /** Milliseconds since 1970. */
  received: number;
  expires: number | null;
  serial: string;
  serial2: string | null;
  rfidTag: string | null;
  hold: boolean;
};

/** What must be answered: of the answer's body, or of the refusal. */
export type Expected =
  | { status: 'applied'; parts: { fromRecNo: number; units: number; remaining: number; whole: boolean }[] }
  | { status: 'refused'; message: string };

type Answered = {
  recNo: number;
  lots: {
    recNo: number;
    fromRecNo?: number;
    units: number;
    remaining: number;
    wID?: number;
    spot?: string;
  }[];
  lot: { received: string };
};
type Issue = Extract<StockRequest, { kind: 'issue' }>['body'];
type Move = Extract<StockRequest, { kind: 'move' }>['body'];

const lotsMax = 1000;

/** Earliest expiry first, none last, then received, then recNo. */
function inOrder(a: ModelLot, b: ModelLot): number {
  const [first, second] = [a.expires ?? Infinity, b.expires ?? Infinity];
  if (first !== second) return first < second ? -1 : 1;
  return a.received - b.received || a.recNo - b.recNo;
}

/**
 * Stock as one would keep it on paper: one request after the other, each looks at all lots there are. Nothing of this is shared with
 * the service: no indexes, no limits of what is read, no batches.
 */
export class StockModel {
  readonly lots = new Map<number, ModelLot>();

  /** All lots that a move or an issue may take, in the order of allocation. */
  matching(request: StockRequest, now: number): ModelLot[] {
    if (request.kind === 'receive') return [];
    const { body, kind } = request;
    const spot = kind === 'issue' ? body.spot : body.fromSpot;
    const received = kind === 'move' && body.received !== undefined ? rangeOf(body.received) : null;
    const stays = kind === 'move' && (body.shipToWid ?? body.wid) === body.wid;
    return [...this.lots.values()]
      .filter(
        (lot) =>
          lot.itemID === body.itemID &&
          lot.wid === body.wid &&
          lot.units > 0 &&
          (!lot.hold || (kind === 'move' && body.recno !== undefined)) &&
          (kind === 'move' || lot.expires === null || lot.expires > now) &&
          (body.recno === undefined || lot.recNo === body.recno) &&
          (spot === undefined || lot.spot === spot) &&
          (body.serial === undefined || lot.serial === body.serial) &&
          (body.serial2 === undefined || lot.serial2 === body.serial2) &&
          (body.rfidTag === undefined || lot.rfidTag === body.rfidTag) &&
          (received === null || (lot.received >= received[0] && lot.received < received[1])) &&
          (!stays || lot.spot !== (body as Move).toSpot),
      )
      .sort(inOrder);
  }

  /** What must become of a request at this moment; nothing is changed. */
  expect(request: StockRequest, now: number): Expected {
    if (request.kind === 'receive') return { status: 'applied', parts: [] };
    const refused = this.namedRefusal(request.kind, request.body);
    if (refused !== null) return { status: 'refused', message: refused };
    const { units } = request.body;
    const parts = [];
    let missing = units;
    for (const lot of this.matching(request, now)) {
      const taken = Math.min(lot.units, missing);
      parts.push({
        ...{ fromRecNo: lot.recNo, units: taken },
        ...{ remaining: lot.units - taken, whole: taken === lot.units },
      });
      missing -= taken;
      if (missing === 0) break;
    }
    if (missing > 0) {
      const message = `Not enough stock: ${units} asked, ${units - missing} available.`;
      return { status: 'refused', message };
    }
    if (parts.length <= lotsMax) return { status: 'applied', parts };
    const first = parts.slice(0, lotsMax).reduce((sum, part) => sum + part.units, 0);
    return {
      status: 'refused',
      message:
        `Too many lots: ${units} units would take ${parts.length} lots, and one transaction takes at most ${lotsMax}. ` +
        `Ask for at most ${first} units at a time.`,
    };
  }

  private namedRefusal(kind: 'issue' | 'move', body: Issue | Move): string | null {
    if (body.recno === undefined) return null;
    const lot = this.lots.get(body.recno);
    const failed = 'One or more fields failed validation.';
    if (lot === undefined || lot.itemID !== body.itemID || lot.wid !== body.wid) return failed;
    if (kind === 'issue') return lot.hold ? 'The lot is on hold.' : null;
    const { shipToWid, toSpot, wid } = body as Move;
    return lot.units > 0 && (shipToWid ?? wid) === wid && lot.spot === toSpot ? failed : null;
  }

  /** Does what was answered, which must be what was expected; new lots get the numbers of the answer. */
  apply(request: StockRequest, expected: Expected, text: string): void {
    if (expected.status === 'refused') return;
    const answer = JSON.parse(text) as Answered;
    const { body } = request;
    if (request.kind === 'receive') {
      const { spot = '', serial = '', serial2 = null, rfidTag = null, expires } = request.body;
      this.add({
        ...{ recNo: answer.recNo, itemID: body.itemID, wid: body.wid, units: body.units, hold: false },
        ...{ spot, serial, serial2, rfidTag, received: Date.parse(answer.lot.received) },
        expires: expires === undefined ? null : Date.parse(expires),
      });
      return;
    }
    expected.parts.forEach((part, index) => {
      const from = this.lots.get(part.fromRecNo)!;
      from.units -= part.units;
      if (request.kind === 'issue') return;
      const wid = request.body.shipToWid ?? body.wid;
      const spot = request.body.toSpot ?? '';
      if (part.whole && wid === from.wid) Object.assign(from, { units: part.units, spot });
      else {
        const { recNo } = answer.lots[index]!;
        this.add({ ...from, recNo, wid, spot, units: part.units, rfidTag: part.whole ? from.rfidTag : null });
      }
    });
  }

  add(lot: ModelLot): void {
    if (this.lots.has(lot.recNo)) throw new Error(`lot ${lot.recNo} was there before`);
    this.lots.set(lot.recNo, lot);
  }
}

/** A whole UTC day or second. */
function rangeOf(text: string): [number, number] {
  const from = Date.parse(text);
  return [from, from + (text.length === 10 ? 86_400_000 : 1000)];
}

/** What the answer must say of its lots, beside the numbers of new ones. */
export function answerOf(request: StockRequest, { parts }: Extract<Expected, { status: 'applied' }>) {
  if (request.kind === 'receive') return { status: 'received', lot: { units: request.body.units } };
  const { body } = request;
  if (request.kind === 'issue') {
    const lots = parts.map(({ fromRecNo, units, remaining }) => ({ recNo: fromRecNo, units, remaining }));
    return { status: 'issued', units: body.units, recNo: parts[0]!.fromRecNo, lots };
  }
  const wID = request.body.shipToWid ?? body.wid;
  const lots = parts.map(({ fromRecNo, units, remaining, whole }) => ({
    ...{ fromRecNo, units, remaining, wID, spot: request.body.toSpot ?? '' },
    ...(whole && wID === body.wid ? { recNo: fromRecNo } : {}),
  }));
  return { status: 'moved', units: body.units, lots };
}
