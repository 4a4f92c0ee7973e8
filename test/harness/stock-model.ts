import type { StockRequest } from '@inventory/domain/stock/request';

/** What this model knows: the three transactions of the contract. */
export type ModelRequest = Extract<StockRequest, { kind: 'receive' | 'move' | 'issue' }>;

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

/** The answer that must come: of the body, or of the refusal. */
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
type Issue = Extract<ModelRequest, { kind: 'issue' }>['body'];
type Move = Extract<ModelRequest, { kind: 'move' }>['body'];

const lotsMax = 1000;

const isExpired = (lot: ModelLot, now: number) => lot.expires !== null && lot.expires <= now;

/** Earliest expiry first, then none, then what has expired; then received, then recNo. */
function inOrder(now: number) {
  return (a: ModelLot, b: ModelLot): number => {
    if (isExpired(a, now) !== isExpired(b, now)) return isExpired(a, now) ? 1 : -1;
    const [first, second] = [a.expires ?? Infinity, b.expires ?? Infinity];
    if (first !== second) return first < second ? -1 : 1;
    return a.received - b.received || a.recNo - b.recNo;
  };
}

/**
 * Stock as one would keep it on paper: one request after the other, each looks at all lots there are. Nothing
 * of this is shared with the service: no indexes, no limits of what is read, no batches.
 */
export class StockModel {
  readonly lots = new Map<number, ModelLot>();

  /** All lots that a move or an issue may take, in the order of allocation. */
  matching(request: ModelRequest, now: number): ModelLot[] {
    if (request.kind === 'receive') return [];
    const { kind, body } = request;
    return this.named(request)
      .filter((lot) => !lot.hold || (kind === 'move' && body.recno !== undefined))
      .filter((lot) => kind === 'move' || body.recno !== undefined || !isExpired(lot, now))
      .sort(inOrder(now));
  }

  /** All lots in stock that match what a move or an issue names. */
  private named(request: Exclude<ModelRequest, { kind: 'receive' }>): ModelLot[] {
    const { body, kind } = request;
    const spot = kind === 'issue' ? body.spot : body.fromSpot;
    const received = kind === 'move' && body.received !== undefined ? rangeOf(body.received) : null;
    const stays = kind === 'move' && (body.shipToWid ?? body.wid) === body.wid;
    return [...this.lots.values()].filter(
      (lot) =>
        lot.itemID === body.itemID &&
        lot.wid === body.wid &&
        lot.units > 0 &&
        (body.recno === undefined || lot.recNo === body.recno) &&
        (spot === undefined || lot.spot === spot) &&
        (body.serial === undefined || lot.serial === body.serial) &&
        (body.serial2 === undefined || lot.serial2 === body.serial2) &&
        (body.rfidTag === undefined || lot.rfidTag === body.rfidTag) &&
        (received === null || (lot.received >= received[0] && lot.received < received[1])) &&
        (!stays || lot.spot !== (body as Move).toSpot),
    );
  }

  /** The words of a refusal about the lots that match and are not taken. */
  private untaken(request: Exclude<ModelRequest, { kind: 'receive' }>, now: number): string {
    if (request.body.recno !== undefined) return '';
    const sum = (lots: ModelLot[]) => lots.reduce((total, lot) => total + lot.units, 0);
    const lots = this.named(request);
    const held = sum(lots.filter((lot) => lot.hold));
    const expired = sum(lots.filter((lot) => request.kind === 'issue' && !lot.hold && isExpired(lot, now)));
    const causes = [...(held > 0 ? [`${held} on hold`] : []), ...(expired > 0 ? [`${expired} expired`] : [])];
    return causes.length === 0 ? '' : ` Not taken: ${causes.join(', ')}.`;
  }

  /** The outcome that a request must have at this moment; nothing is changed. */
  expect(request: ModelRequest, now: number): Expected {
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
      return { status: 'refused', message: message + this.untaken(request, now) };
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
    if (kind === 'issue' && lot.hold) return 'The lot is on hold.';
    const { shipToWid, toSpot, wid } = body as Move;
    if (kind === 'move' && lot.units > 0 && (shipToWid ?? wid) === wid && lot.spot === toSpot) return failed;
    const spotField = kind === 'issue' ? 'spot' : 'fromSpot';
    const spot = kind === 'issue' ? (body as Issue).spot : (body as Move).fromSpot;
    const { received } = body as Move;
    const [from, to] = received === undefined ? [0, Infinity] : rangeOf(received);
    const differs = [
      ...(spot !== undefined && spot !== lot.spot ? [spotField] : []),
      ...(['serial', 'serial2', 'rfidTag'] as const).filter(
        (field) => body[field] !== undefined && body[field] !== lot[field],
      ),
      ...(lot.received >= from && lot.received < to ? [] : ['received']),
    ];
    return differs.length === 0 ? null : `The lot does not match ${differs.join(', ')}.`;
  }

  /** Does what was answered, which must be what was expected; new lots get the numbers of the answer. */
  apply(request: ModelRequest, expected: Expected, text: string): void {
    if (expected.status === 'refused') return;
    const answer = JSON.parse(text) as Answered;
    const { body } = request;
    if (request.kind === 'receive') {
      const { spot = '', serial = '', serial2 = null, rfidTag = null, expires } = request.body;
      this.add({
        ...{ recNo: answer.recNo, itemID: body.itemID, wid: body.wid, units: body.units, hold: false },
        ...{ spot, serial, serial2, rfidTag, received: Date.parse(answer.lot.received) },
        expires:
          expires === undefined ? null : Date.parse(expires) + (expires.length === 10 ? 86_400_000 : 0),
      });
      return;
    }
    expected.parts.forEach((part, index) => {
      const from = this.lots.get(part.fromRecNo)!;
      from.units -= part.units;
      const { hold } = from;
      if (from.units === 0) from.hold = false;
      if (request.kind === 'issue') return;
      const wid = request.body.shipToWid ?? body.wid;
      const spot = request.body.toSpot ?? '';
      if (part.whole && wid === from.wid) Object.assign(from, { units: part.units, spot, hold });
      else {
        const { recNo } = answer.lots[index]!;
        const rfidTag = part.whole ? from.rfidTag : null;
        this.add({ ...from, recNo, wid, spot, units: part.units, rfidTag, hold });
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

/** The lots that the answer must show, beside the numbers of new ones. */
export function answerOf(request: ModelRequest, { parts }: Extract<Expected, { status: 'applied' }>) {
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
