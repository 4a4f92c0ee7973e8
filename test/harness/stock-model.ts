import type { StockRequest } from '@inventory/domain/stock/request';

/** What this model knows: the three transactions of the contract, and counts without `expected`. */
export type ModelRequest = Extract<StockRequest, { kind: 'receive' | 'move' | 'issue' | 'count' }>;
type Of<Kind extends ModelRequest['kind']> = Extract<ModelRequest, { kind: Kind }>;

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

type Part = { fromRecNo: number; units: number; remaining: number; whole: boolean };

type Applied = { status: 'applied'; parts: Part[]; before?: number };

/** The answer that must come: of the body, or of the refusal. `before`: what a count found. */
export type Expected = Applied | { status: 'refused'; message: string };

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
type Issue = Of<'issue'>['body'];
type Move = Of<'move'>['body'];
type Count = Of<'count'>['body'];

const lotsMax = 1000;

const isExpired = (lot: ModelLot, now: number) => lot.expires !== null && lot.expires < now;

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

  /** All lots that a move or an issue may take, or that a count is about, in the order of allocation. */
  matching(request: ModelRequest, now: number): ModelLot[] {
    if (request.kind === 'receive') return [];
    if (request.kind === 'count') return this.counted(request.body).sort(inOrder(now));
    const { kind, body } = request;
    return this.named(request)
      .filter((lot) => !lot.hold || (kind === 'move' && body.recno !== undefined))
      .filter((lot) => kind === 'move' || body.recno !== undefined || !isExpired(lot, now))
      .sort(inOrder(now));
  }

  /** All lots in stock that match what a move or an issue names. */
  private named(request: Of<'issue' | 'move'>): ModelLot[] {
    return this.anywhere(request).filter((lot) => !isAtDestination(lot, request));
  }

  /** The same, with those that lie where a move would bring them. */
  private anywhere(request: Of<'issue' | 'move'>): ModelLot[] {
    const { body, kind } = request;
    const spot = kind === 'issue' ? body.spot : body.fromSpot;
    const received = kind === 'move' && body.received !== undefined ? rangeOf(body.received) : null;
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
        (received === null || (lot.received >= received[0] && lot.received < received[1])),
    );
  }

  /** The words of a refusal about the lots that match and are not taken. */
  private untaken(request: Of<'issue' | 'move'>, now: number): string {
    if (request.body.recno !== undefined) return '';
    const lots = this.named(request);
    const held = sumOf(lots.filter((lot) => lot.hold));
    const expired = sumOf(lots.filter((lot) => request.kind === 'issue' && !lot.hold && isExpired(lot, now)));
    const causes = [...(held > 0 ? [`${held} on hold`] : []), ...(expired > 0 ? [`${expired} expired`] : [])];
    return causes.length === 0 ? '' : ` Not taken: ${causes.join(', ')}.`;
  }

  private counted({ itemID, wid, spot, serial }: Count): ModelLot[] {
    return [...this.lots.values()].filter(
      (lot) =>
        lot.itemID === itemID &&
        lot.wid === wid &&
        lot.units > 0 &&
        (spot === undefined || lot.spot === spot) &&
        (serial === undefined || lot.serial === serial),
    );
  }

  private expectCount({ body }: Of<'count'>, now: number): Expected {
    const lots = this.counted(body).sort(inOrder(now));
    if (lots.length > lotsMax) {
      const message =
        `Too many lots: more than ${lotsMax} lie there, and one transaction counts at most so many. ` +
        'Count them by serial, or one by its recno.';
      return { status: 'refused', message };
    }
    const before = sumOf(lots);
    const held = lots.filter((lot) => lot.hold);
    const counted = Number(body.counted);
    if (counted < before && counted < sumOf(held)) {
      const names = held
        .slice(0, 10)
        .map(({ recNo }) => recNo)
        .join(', ');
      const all = `${held.length === 1 ? 'lot' : 'lots'} ${names}${held.length > 10 ? ', …' : ''}`;
      const message = `Lots on hold are not counted down: ${body.counted} counted, ${sumOf(held)} on hold in ${all}.`;
      return { status: 'refused', message };
    }
    const free = lots.filter((lot) => !lot.hold);
    return { status: 'applied', before, parts: partsOf(free, Math.max(0, before - counted)).parts };
  }

  /** How many lots on hold or expired there are in the gate of a request. */
  untakenLots({ body }: ModelRequest, now: number): number {
    const lots = [...this.lots.values()].filter(
      ({ itemID, wid }) => itemID === body.itemID && wid === body.wid,
    );
    return lots.filter((lot) => lot.units > 0 && (lot.hold || isExpired(lot, now))).length;
  }

  /** The outcome that a request must have at this moment; nothing is changed. */
  expect(request: ModelRequest, now: number): Expected {
    if (request.kind === 'receive') return { status: 'applied', parts: [] };
    if (request.kind === 'count') return this.expectCount(request, now);
    const refused = this.namedRefusal(request.kind, request.body);
    if (refused !== null) return { status: 'refused', message: refused };
    const units = Number(request.body.units);
    const { parts, missing } = partsOf(this.matching(request, now), units);
    const there = this.anywhere(request).filter((lot) => !lot.hold && isAtDestination(lot, request));
    const held = this.named(request).some((lot) => lot.hold);
    if (missing === units && there.length > 0 && !held && request.body.recno === undefined) {
      const most = `${sumOf(there)} lie at the destination already`;
      return { status: 'refused', message: `Nothing to move: ${most}, and no other stock matches.` };
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

  /**
   * Does what was answered, which must be what was expected; new lots get the numbers of the answer. `now`:
   * when a count was applied, which its answer does not say.
   */
  apply(request: ModelRequest, expected: Expected, text: string, now: number): void {
    if (expected.status === 'refused') return;
    const answer = JSON.parse(text) as Answered;
    if (request.kind === 'count') this.addCounted(request, expected, answer.recNo, now);
    if (request.kind === 'receive') {
      const { body } = request;
      const { spot = '', serial = '', serial2 = null, rfidTag = null, expires } = body;
      this.add({
        ...{ recNo: answer.recNo, itemID: body.itemID, wid: body.wid, hold: false },
        units: Number(body.units),
        ...{ spot, serial, serial2, rfidTag, received: Date.parse(answer.lot.received) },
        expires:
          expires === undefined ? null : Date.parse(expires) + (expires.length === 10 ? 86_400_000 - 1 : 0),
      });
      return;
    }
    expected.parts.forEach((part, index) => {
      const from = this.lots.get(part.fromRecNo)!;
      from.units -= part.units;
      const { hold } = from;
      if (from.units === 0) from.hold = false;
      if (request.kind !== 'move') return;
      const wid = request.body.shipToWid ?? request.body.wid;
      const spot = request.body.toSpot ?? '';
      if (part.whole && wid === from.wid) Object.assign(from, { units: part.units, spot, hold });
      else {
        const { recNo } = answer.lots[index]!;
        const rfidTag = part.whole ? from.rfidTag : null;
        if (part.whole) from.rfidTag = null;
        this.add({ ...from, recNo, wid, spot, units: part.units, rfidTag, hold });
      }
    });
  }

  private addCounted({ body }: Of<'count'>, { before }: Applied, recNo: number, now: number): void {
    const { itemID, wid, spot = '', serial = '' } = body;
    const counted = Number(body.counted);
    if (counted <= before!) return;
    this.add({
      ...{ recNo, itemID, wid, units: counted - before!, spot, serial, received: now },
      ...{ expires: null, serial2: null, rfidTag: null, hold: false },
    });
  }

  add(lot: ModelLot): void {
    if (this.lots.has(lot.recNo)) throw new Error(`lot ${lot.recNo} was there before`);
    this.lots.set(lot.recNo, lot);
  }
}

function isAtDestination(lot: ModelLot, { kind, body }: Of<'issue' | 'move'>): boolean {
  return kind === 'move' && (body.shipToWid ?? body.wid) === body.wid && lot.spot === body.toSpot;
}

const sumOf = (lots: readonly ModelLot[]) => lots.reduce((total, lot) => total + lot.units, 0);

/** So many units of these lots, as far as they go. */
function partsOf(lots: readonly ModelLot[], units: number): { parts: Part[]; missing: number } {
  const parts: Part[] = [];
  let missing = units;
  for (const lot of lots) {
    if (missing === 0) break;
    const taken = Math.min(lot.units, missing);
    parts.push({
      ...{ fromRecNo: lot.recNo, units: taken },
      ...{ remaining: lot.units - taken, whole: taken === lot.units },
    });
    missing -= taken;
  }
  return { parts, missing };
}

/** A whole UTC day or second. */
function rangeOf(text: string): [number, number] {
  const from = Date.parse(text);
  return [from, from + (text.length === 10 ? 86_400_000 : 1000)];
}

/** The lots that the answer must show, beside the numbers of new ones. */
export function answerOf(request: ModelRequest, { parts, before }: Applied) {
  if (request.kind === 'receive') return { status: 'received', lot: { units: request.body.units } };
  if (request.kind === 'count') {
    const counted = Number(request.body.counted);
    const difference = counted - before!;
    const taken = parts.map(({ fromRecNo, units, remaining }) => ({
      recNo: fromRecNo,
      units: -units,
      remaining,
    }));
    const lots = difference > 0 ? [{ units: difference, remaining: difference }] : taken;
    return { status: 'counted', before, counted, difference, lots };
  }
  const { body } = request;
  if (request.kind === 'issue') {
    const lots = parts.map(({ fromRecNo, units, remaining }) => ({ recNo: fromRecNo, units, remaining }));
    return { status: 'issued', units: body.units, recNo: parts[0]!.fromRecNo, lots };
  }
  const wID = request.body.shipToWid ?? body.wid;
  const lots = parts.map(({ fromRecNo, units, remaining, whole }) => ({
    ...{ fromRecNo, units, wID, spot: request.body.toSpot ?? '' },
    remaining: whole && wID === body.wid ? units : remaining,
    ...(whole && wID === body.wid ? { recNo: fromRecNo } : {}),
  }));
  return { status: 'moved', units: body.units, lots };
}
