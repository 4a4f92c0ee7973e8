import {
  changeUnits,
  conflict,
  decimal,
  isExpired,
  type ModelLine,
  type ModelLot,
  type ModelTransaction,
  type Refused,
  sum,
} from './stock-model-lots.ts';
import { undo } from './stock-model-reversal.ts';

// The rules of the contract, written without a look at the service's own code: plain loops over a plain list.

type Part = {
  /** null: a new lot of a dry run. */
  lot: number | null;
  units: bigint;
  remaining?: bigint;
  from?: number | null;
  wid?: number;
  spot?: string;
};
type Applied = { status: number; lots: Part[]; before?: bigint; difference?: bigint };
export type ModelAnswer = Refused | Applied;

export type Receive = {
  units: number;
  wid: number;
  spot: string;
  serial: string;
  expires: string | undefined;
};
/** The fields that pick lots, besides their warehouse. */
type Filters = {
  spot: string | undefined;
  serial: string | undefined;
  serial2?: string | undefined;
  rfidTag?: string | undefined;
  /** A day, or a second. */
  received?: string | undefined;
};
type Taking = { units: number; wid: number; lot: number | undefined };
export type Issue = Omit<Filters, 'received'> & Taking;
export type Move = Omit<Filters, 'spot'> &
  Taking & { fromSpot: string | undefined; toSpot: string | undefined; shipToWid: number | undefined };

type Count = {
  counted: number;
  wid: number;
  spot: string | undefined;
  serial: string | undefined;
  lot: number | undefined;
  everywhere: boolean | undefined;
  expected: number | undefined;
};
/** By its place among all applied ones; a place beyond them is none. */
type Reverse = { transaction: number };
export type Operation =
  | ({ kind: 'receive' } & Receive)
  | ({ kind: 'move' } & Move)
  | ({ kind: 'issue' } & Issue)
  | ({ kind: 'count' } & Count)
  | ({ kind: 'reverse' } & Reverse);

/** The placeholder for an operation of a refused batch that is not at fault. */
export const notApplied = { status: 503, message: 'not applied' };

const lotsMax = 1000;
const held = conflict('The lot is on hold.');
const notOfItem = { status: 400, message: 'recno' };
const badDestination = { status: 400, message: 'toSpot' };
const noTransaction = { status: 404, message: 'There is no such transaction.' };

/** The stock of one item in two warehouses. Quantities are millionths. */
export class StockModel {
  private lots: ModelLot[] = [];
  private transactions: ModelTransaction[] = [];
  private moment = 0;
  /** The first lot that an atomic batch made, during that batch. */
  private firstUnstored = Number.POSITIVE_INFINITY;

  /** Everything from now on is later than before; receipts of one batch share a moment. */
  goOn(to = this.moment + 1): void {
    this.moment = to;
  }

  /** A lot that was there before all this. */
  add(lot: Omit<ModelLot, 'lot'>): void {
    this.lots.push({ ...lot, lot: this.lots.length });
  }

  /** Does one operation, and notes its transaction. */
  run(operation: Operation): ModelAnswer {
    const refused = this.malformed(operation);
    if (refused !== undefined) return refused;
    switch (operation.kind) {
      case 'receive':
        return this.receive(operation);
      case 'move':
        return this.move(operation);
      case 'issue':
        return this.issue(operation);
      case 'count':
        return this.count(operation);
      case 'reverse':
        return this.reverse(operation);
    }
  }

  /** Does all of them or none; each is judged against what the one before left. */
  runTogether(operations: readonly Operation[]): { isApplied: boolean; answers: ModelAnswer[] } {
    const malformed = operations.map((operation) => this.malformed(operation));
    if (malformed.some((each) => each !== undefined)) {
      return { isApplied: false, answers: malformed.map((each) => each ?? notApplied) };
    }
    const { lots, transactions } = structuredClone({ lots: this.lots, transactions: this.transactions });
    const answers: ModelAnswer[] = [];
    this.firstUnstored = lots.length;
    for (const operation of operations) {
      answers.push(this.run(operation));
      if ('message' in answers.at(-1)!) break;
    }
    this.firstUnstored = Number.POSITIVE_INFINITY;
    if (!('message' in answers.at(-1)!)) return { isApplied: true, answers };
    Object.assign(this, { lots, transactions });
    return {
      isApplied: false,
      answers: operations.map((_, index) => (index === answers.length - 1 ? answers[index]! : notApplied)),
    };
  }

  /** Returns the result of `work` and restores the state; lots that it creates have no number. */
  tryOut<T>(work: () => T): T {
    const before = structuredClone({ lots: this.lots, transactions: this.transactions });
    const known = this.lots.length;
    const result = work();
    Object.assign(this, before);
    const unless = (lot: number | null) => (lot !== null && lot >= known ? null : lot);
    return JSON.parse(JSON.stringify(result, bigintAsText), (key, value) => {
      if (key === 'lot' || key === 'from') return unless(value);
      return typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value;
    });
  }

  /** The reason why an operation is invalid, if it is. */
  private malformed(operation: Operation): Refused | undefined {
    if (operation.kind === 'reverse' && this.transactions[operation.transaction] === undefined) {
      return noTransaction;
    }
    if (operation.kind === 'count') {
      const { lot, spot, serial, everywhere = false } = operation;
      const isPlaced = lot !== undefined || spot !== undefined || serial !== undefined;
      if (isPlaced !== everywhere) return undefined;
      return { status: 400, message: isPlaced ? 'everywhere' : 'spot' };
    }
    if (operation.kind !== 'move') return undefined;
    const { wid, shipToWid = wid, toSpot, fromSpot } = operation;
    const isNowhere = shipToWid === wid && (toSpot === undefined || toSpot === fromSpot);
    return isNowhere ? badDestination : undefined;
  }

  private note(kind: ModelTransaction['kind'], lines: ModelLine[]): number {
    return this.transactions.push({ kind, lines, reversedBy: null }) - 1;
  }

  private receive({ units, wid, spot, serial, expires }: Receive): ModelAnswer {
    const made = this.newLot(wid, spot, serial);
    made.expires = lastMomentOf(expires);
    this.note('receive', [changeUnits(made, BigInt(units))]);
    return { status: 201, lots: [{ lot: made.lot, units: BigInt(units) }] };
  }

  private issue({ units, wid, lot, ...filters }: Issue): ModelAnswer {
    const named = this.named(lot, wid);
    if (named === null) return notOfItem;
    if (named?.hold) return held;
    const differs = mismatch(named, filters);
    if (differs !== undefined) return differs;
    const matching = this.ordered(named, wid, filters);
    const untaken = named === undefined ? matching : [];
    const taken = take(issuable(matching, named), BigInt(units), untaken, true);
    if (!Array.isArray(taken)) return taken;
    const lines = taken.map(([each, part]) => changeUnits(each, -part));
    this.note('issue', lines);
    return {
      status: 200,
      lots: lines.map((line) => ({ lot: line.lot, units: -line.delta, remaining: line.balance })),
    };
  }

  private move(operation: Move): ModelAnswer {
    const { units, wid, fromSpot, toSpot, shipToWid: toWid = wid, lot, ...marks } = operation;
    const filters = { spot: fromSpot, ...marks };
    const named = this.named(lot, wid);
    if (named === null) return notOfItem;
    if (named !== undefined && named.units > 0n && isThere(operation, named)) return badDestination;
    const differs = mismatch(named, filters, 'fromSpot');
    if (differs !== undefined) return differs;
    const asked = this.ordered(named, wid, filters);
    const matching = asked.filter((each) => !isThere(operation, each));
    const there = sum(asked.filter((each) => isThere(operation, each) && !each.hold));
    if (named === undefined && there > 0n && matching.length === 0)
      return conflict(
        `Nothing to move: ${decimal(there)} lie at the destination already, and no other stock matches.`,
      );
    const usable = movable(asked, named, operation);
    const taken = take(usable, BigInt(units), named === undefined ? matching : [], false);
    if (!Array.isArray(taken)) return taken;
    const spot = toSpot ?? '';
    const lines: ModelLine[] = [];
    const lots = taken.map(([source, part]) => {
      if (part === source.units && toWid === wid) {
        const place = { lot: source.lot, wid };
        lines.push({ ...place, spot: source.spot, delta: -part, balance: 0n });
        lines.push({ ...place, spot, delta: part, balance: part });
        source.spot = spot;
        return { lot: source.lot, units: part, remaining: part, from: source.lot, wid, spot };
      }
      // The tag goes with a whole lot, or stays.
      const rfidTag = part === source.units ? source.rfidTag : null;
      const arrived = { ...source, lot: this.lots.length, wid: toWid, spot, units: 0n, rfidTag };
      if (part === source.units) source.rfidTag = null;
      this.lots.push(arrived);
      lines.push(changeUnits(source, -part), changeUnits(arrived, part));
      return { lot: arrived.lot, units: part, remaining: source.units, from: source.lot, wid: toWid, spot };
    });
    this.note('move', lines);
    return { status: 200, lots };
  }

  private count({ counted, wid, spot, serial, lot, expected }: Count): ModelAnswer {
    const named = this.named(lot, wid);
    if (named === null) return notOfItem;
    const differs = mismatch(named, { spot, serial });
    if (differs !== undefined) return differs;
    const there = named === undefined ? this.ordered(undefined, wid, { spot, serial }) : [named];
    if (there.length > lotsMax)
      return conflict(
        `Too many lots: there are more than ${lotsMax}, the most that one transaction can count. ` +
          'Count them by serial, or one by its recno.',
      );
    const before = sum(there);
    const after = BigInt(counted);
    if (expected !== undefined && BigInt(expected) !== before)
      return conflict(`Not as expected: ${decimal(BigInt(expected))} expected, ${decimal(before)} there.`);
    const held = there.filter((each) => each.hold);
    if (after < before && after < sum(held)) {
      const units = `${decimal(after)} counted, ${decimal(sum(held))} on hold`;
      return conflict(`Lots on hold are not counted down: ${units} in ${this.textOf(held)}.`);
    }
    const lines: ModelLine[] = [];
    if (after > before) lines.push(changeUnits(named ?? this.newLot(wid, spot, serial), after - before));
    let missing = before - after;
    for (const each of there) {
      const part = each.hold ? 0n : each.units < missing ? each.units : missing;
      if (missing <= 0n || part === 0n) continue;
      lines.push(changeUnits(each, -part));
      missing -= part;
    }
    this.note('count', lines);
    const lots = lines.map(({ lot, delta, balance }) => ({ lot, units: delta, remaining: balance }));
    return { status: 200, before, difference: after - before, lots };
  }

  /** The balance that a count would find at this moment, in millionths. */
  unitsAt(count: Count): number {
    const { lot, wid, spot, serial } = count;
    if (lot !== undefined) return Number(this.lots[lot]?.units ?? 0n);
    return Number(sum(this.ordered(undefined, wid, { spot, serial })));
  }

  /** Lots by their numbers, which those of an atomic batch do not have yet. */
  private textOf(lots: readonly ModelLot[]): string {
    const stored = lots.filter(({ lot }) => lot < this.firstUnstored).map(({ lot }) => lot);
    const unstored = lots.length - stored.length;
    const text = `${stored.slice(0, 10).join(', ')}${stored.length > 10 ? ', …' : ''}`;
    return [
      ...(stored.length === 0 ? [] : [`${stored.length === 1 ? 'lot' : 'lots'} ${text}`]),
      ...(unstored === 0 ? [] : [unstored === 1 ? 'a lot made just now' : `${unstored} lots made just now`]),
    ].join(' and ');
  }

  private newLot(wid: number, spot = '', serial = ''): ModelLot {
    const marks = { spot, serial, serial2: null, rfidTag: null, expires: null };
    const made = { lot: this.lots.length, wid, ...marks, received: this.moment, units: 0n, hold: false };
    this.lots.push(made);
    return made;
  }

  private reverse({ transaction }: Reverse): ModelAnswer {
    const undone = this.transactions[transaction]!;
    if (undone.kind === 'reverse') return conflict('A reversal cannot be reversed.');
    if (undone.reversedBy !== null) return conflict(`Transaction ${transaction} is reversed already.`);
    const lines = undo(this.lots, undone);
    if (!Array.isArray(lines)) return lines;
    undone.reversedBy = this.note('reverse', lines);
    const lots = [...new Set(lines.map(({ lot }) => lot))].map((lot) => {
      const units = lines.reduce((total, line) => (line.lot === lot ? total + line.delta : total), 0n);
      return { lot, units, remaining: this.lots[lot]!.units };
    });
    return {
      status: 200,
      lots: [...lots.filter(({ units }) => units > 0n), ...lots.filter(({ units }) => units <= 0n)],
    };
  }

  /** All applied transactions, the oldest first. */
  transactionsShown(): readonly ModelTransaction[] {
    return this.transactions;
  }

  /** Holds or releases; false when that changes nothing or the lot is not in stock. */
  hold(index: number, hold: boolean): boolean {
    const lot = this.lots[index];
    if (lot === undefined || lot.units === 0n || lot.hold === hold) return false;
    lot.hold = hold;
    return true;
  }

  widOf(index: number): number | undefined {
    return this.lots[index]?.wid;
  }

  isHeld(index: number): boolean {
    return this.lots[index]?.hold === true;
  }

  isExpired(index: number): boolean {
    const lot = this.lots[index];
    return lot !== undefined && isExpired(lot);
  }

  /** All lots there ever were. */
  allLots(): readonly ModelLot[] {
    return this.lots;
  }

  /** The lots that a move or an issue may take, in the order of allocation. */
  takenBy(operation: Operation): ModelLot[] {
    if (operation.kind !== 'move' && operation.kind !== 'issue') return [];
    const { wid, lot } = operation;
    const named = this.named(lot, wid);
    if (named === null) return [];
    if (operation.kind === 'issue') return issuable(this.ordered(named, wid, operation), named);
    return movable(this.ordered(named, wid, { ...operation, spot: operation.fromSpot }), named, operation);
  }

  /** The lot that an operation names; null when there is none in its warehouse. */
  private named(lot: number | undefined, wid: number): ModelLot | undefined | null {
    if (lot === undefined) return undefined;
    const found = this.lots[lot];
    return found?.wid === wid ? found : null;
  }

  lotsShown() {
    return this.lots.map(({ lot, wid, spot, serial, units, hold }) => {
      return { lot, wid, spot, serial, units, hold, active: units > 0n, isShipped: units === 0n };
    });
  }

  /**
   * The level of these warehouses in its JSON form, without the item; undefined when there never was stock.
   */
  levelText(wids: number[]): string | undefined {
    const here = this.lots.filter((each) => wids.includes(each.wid));
    if (here.length === 0) return undefined;
    const inStock = sum(here);
    const onHold = sum(here.filter((each) => each.hold));
    return `{"available":${decimal(inStock - onHold)},"inStock":${decimal(inStock)},"onOrder":0,"onHold":${decimal(onHold)},"committed":0,"packed":0,"aSN":0}`;
  }

  /**
   * Lots in stock in a warehouse: by expiry, then those without one, then expired ones; older before newer.
   */
  private ordered(only: ModelLot | undefined, wid: number, filters: Filters): ModelLot[] {
    const from = only === undefined ? this.lots : [only];
    return from
      .filter((each) => each.units > 0n && each.wid === wid && differing(each, filters).length === 0)
      .map((lot) => ({ lot, late: Number(isExpired(lot)), expires: lot.expires ?? Number.MAX_VALUE }))
      .sort(
        (a, b) =>
          a.late - b.late ||
          a.expires - b.expires ||
          a.lot.received - b.lot.received ||
          a.lot.lot - b.lot.lot,
      )
      .map(({ lot }) => lot);
  }
}

const bigintAsText = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);

const day = 86_400_000;

/** A day lasts to its end. */
function lastMomentOf(expires: string | undefined): number | null {
  if (expires === undefined) return null;
  return Date.parse(expires) + (expires.length === 10 ? day - 1 : 0);
}

const isThere = ({ wid, toSpot, shipToWid = wid }: Move, lot: ModelLot) =>
  shipToWid === wid && lot.spot === toSpot;

/** The lots that an issue may take; a named one even when it has expired. */
const issuable = (lots: readonly ModelLot[], named: ModelLot | undefined) =>
  lots.filter((each) => !each.hold && (named !== undefined || !isExpired(each)));

/** The lots that a move may take; a named one even on hold. */
const movable = (lots: readonly ModelLot[], named: ModelLot | undefined, move: Move) =>
  lots.filter((each) => (named !== undefined || !each.hold) && !isThere(move, each));

/** The filters that a lot does not match. */
function differing(lot: ModelLot, { received, ...others }: Filters): string[] {
  const fields = (['spot', 'serial', 'serial2', 'rfidTag'] as const).filter(
    (field) => others[field] !== undefined && others[field] !== lot[field],
  );
  if (received === undefined) return fields;
  const from = Date.parse(received);
  const isThen = lot.received >= from && lot.received < from + (received.length === 10 ? day : 1000);
  return isThen ? fields : [...fields, 'received'];
}

function mismatch(named: ModelLot | undefined, filters: Filters, spotField = 'spot'): Refused | undefined {
  const names = named === undefined ? [] : differing(named, filters);
  if (names.length === 0) return undefined;
  const told = names.map((field) => (field === 'spot' ? spotField : field));
  return conflict(`The lot does not match ${told.join(', ')}.`);
}

function take(
  lots: ModelLot[],
  wanted: bigint,
  matching: ModelLot[],
  isIssue: boolean,
): [ModelLot, bigint][] | ModelAnswer {
  const available = sum(lots);
  if (available < wanted) {
    const held = sum(matching.filter((each) => each.hold));
    const expired = sum(matching.filter((each) => isIssue && !each.hold && isExpired(each)));
    const causes = [held && `${decimal(held)} on hold`, expired && `${decimal(expired)} expired`].filter(
      Boolean,
    );
    const untaken = causes.length > 0 ? ` Not taken: ${causes.join(', ')}.` : '';
    return conflict(`Not enough stock: ${decimal(wanted)} asked, ${decimal(available)} available.${untaken}`);
  }
  const taken: [ModelLot, bigint][] = [];
  let missing = wanted;
  for (const each of lots) {
    if (missing === 0n) break;
    const part = each.units < missing ? each.units : missing;
    taken.push([each, part]);
    missing -= part;
  }
  if (taken.length <= lotsMax) return taken;
  const most = taken.slice(0, lotsMax).reduce((total, [, part]) => total + part, 0n);
  return conflict(
    `Too many lots: ${decimal(wanted)} units would take ${taken.length} lots, and one transaction takes at most ${lotsMax}. ` +
      `Ask for at most ${decimal(most)} units at a time.`,
  );
}
