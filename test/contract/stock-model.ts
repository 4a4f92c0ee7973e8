// The rules of the contract once more, written without a look at the service's own: plain loops over a plain
// list.

type ModelLot = {
  lot: number;
  wid: number;
  spot: string;
  serial: string;
  expires: string | undefined;
  /** Lots of one lineage were received at one moment; the lower came first. */
  received: number;
  units: bigint;
  hold: boolean;
};

type Part = { lot: number; units: bigint; remaining?: bigint; from?: number; wid?: number; spot?: string };
export type ModelAnswer = { status: number; message: string } | { status: number; lots: Part[] };

export type Receive = {
  units: number;
  wid: number;
  spot: string;
  serial: string;
  expires: string | undefined;
};
export type Issue = {
  units: number;
  wid: number;
  spot: string | undefined;
  serial: string | undefined;
  lot: number | undefined;
};
export type Move = Omit<Issue, 'spot'> & {
  fromSpot: string | undefined;
  toSpot: string | undefined;
  shipToWid: number | undefined;
};

const today = '2026';
const held = { status: 409, message: 'The lot is on hold.' };
const notOfItem = { status: 400, message: 'recno' };
const badDestination = { status: 400, message: 'toSpot' };

/** The stock of one item in two warehouses. Quantities are millionths. */
export class StockModel {
  private readonly lots: ModelLot[] = [];

  receive({ units, wid, spot, serial, expires }: Receive): ModelAnswer {
    const lot = this.lots.length;
    this.lots.push({ lot, wid, spot, serial, expires, received: lot, units: BigInt(units), hold: false });
    return { status: 201, lots: [{ lot, units: BigInt(units) }] };
  }

  issue({ units, wid, spot, serial, lot }: Issue): ModelAnswer {
    const named = lot === undefined ? undefined : this.lots[lot];
    if (lot !== undefined && named?.wid !== wid) return notOfItem;
    if (named?.hold) return held;
    const differs = mismatch(named, [
      ['spot', spot],
      ['serial', serial],
    ]);
    if (differs !== undefined) return differs;
    const matching = this.ordered(named).filter(
      (each) =>
        each.wid === wid &&
        (spot === undefined || each.spot === spot) &&
        (serial === undefined || each.serial === serial),
    );
    const usable = matching.filter((each) => !each.hold && (named !== undefined || !isExpired(each)));
    const untaken = named === undefined ? matching : [];
    const taken = take(usable, BigInt(units), untaken, true);
    if (!Array.isArray(taken)) return taken;
    return {
      status: 200,
      lots: taken.map(([each, part]) => {
        each.units -= part;
        if (each.units === 0n) each.hold = false;
        return { lot: each.lot, units: part, remaining: each.units };
      }),
    };
  }

  move({ units, wid, fromSpot, toSpot, shipToWid, serial, lot }: Move): ModelAnswer {
    const toWid = shipToWid ?? wid;
    if (toWid === wid && (toSpot === undefined || toSpot === fromSpot)) return badDestination;
    const named = lot === undefined ? undefined : this.lots[lot];
    if (lot !== undefined && named?.wid !== wid) return notOfItem;
    const isThere = (each: ModelLot) => toWid === wid && each.spot === toSpot;
    if (named !== undefined && named.units > 0n && isThere(named)) return badDestination;
    const differs = mismatch(named, [
      ['fromSpot', fromSpot],
      ['serial', serial],
    ]);
    if (differs !== undefined) return differs;
    const matching = this.ordered(named).filter(
      (each) =>
        each.wid === wid &&
        !isThere(each) &&
        (fromSpot === undefined || each.spot === fromSpot) &&
        (serial === undefined || each.serial === serial),
    );
    const usable = matching.filter((each) => named !== undefined || !each.hold);
    const taken = take(usable, BigInt(units), named === undefined ? matching : [], false);
    if (!Array.isArray(taken)) return taken;
    const spot = toSpot ?? '';
    return {
      status: 200,
      lots: taken.map(([source, part]) => {
        if (part === source.units && toWid === wid) {
          source.spot = spot;
          return { lot: source.lot, units: part, remaining: 0n, from: source.lot, wid, spot };
        }
        source.units -= part;
        const arrived = { ...source, lot: this.lots.length, wid: toWid, spot, units: part };
        if (source.units === 0n) source.hold = false;
        this.lots.push(arrived);
        return { lot: arrived.lot, units: part, remaining: source.units, from: source.lot, wid: toWid, spot };
      }),
    };
  }

  /** Holds or releases; false when that changes nothing or there is no such lot in stock. */
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

  lotsShown() {
    return this.lots.map(({ lot, wid, spot, serial, units, hold }) => {
      return { lot, wid, spot, serial, units, hold, active: units > 0n, isShipped: units === 0n };
    });
  }

  /**
   * The level of these warehouses as its JSON has it, less the item; undefined when there never was stock.
   */
  levelText(wids: number[]): string | undefined {
    const here = this.lots.filter((each) => wids.includes(each.wid));
    if (here.length === 0) return undefined;
    const sum = (lots: ModelLot[]) => lots.reduce((total, each) => total + each.units, 0n);
    const inStock = sum(here);
    const onHold = sum(here.filter((each) => each.hold));
    return `{"available":${decimal(inStock - onHold)},"inStock":${decimal(inStock)},"onOrder":0,"onHold":${decimal(onHold)},"committed":0,"packed":0,"aSN":0}`;
  }

  /**
   * Lots in stock: those that expire first, the others after them, then what has expired; older before newer.
   */
  private ordered(only: ModelLot | undefined): ModelLot[] {
    const from = only === undefined ? [...this.lots] : [only];
    const expiry = (each: ModelLot) => (isExpired(each) ? `late ${each.expires}` : (each.expires ?? '9999'));
    return from
      .filter((each) => each.units > 0n)
      .sort((a, b) =>
        expiry(a) < expiry(b) ? -1 : expiry(a) > expiry(b) ? 1 : a.received - b.received || a.lot - b.lot,
      );
  }
}

function isExpired({ expires }: ModelLot): boolean {
  return expires !== undefined && expires <= today;
}

function mismatch(
  named: ModelLot | undefined,
  filters: [string, string | undefined][],
): ModelAnswer | undefined {
  const lot = named as Record<string, unknown> | undefined;
  if (lot === undefined) return undefined;
  const names = filters.filter(
    ([field, asked]) => asked !== undefined && asked !== lot[field === 'fromSpot' ? 'spot' : field],
  );
  if (names.length === 0) return undefined;
  return { status: 409, message: `The lot does not match ${names.map(([field]) => field).join(', ')}.` };
}

function take(
  lots: ModelLot[],
  wanted: bigint,
  matching: ModelLot[],
  isIssue: boolean,
): [ModelLot, bigint][] | ModelAnswer {
  const sum = (of: ModelLot[]) => of.reduce((total, each) => total + each.units, 0n);
  const available = sum(lots);
  if (available < wanted) {
    const held = sum(matching.filter((each) => each.hold));
    const expired = sum(matching.filter((each) => isIssue && !each.hold && isExpired(each)));
    const causes = [held && `${decimal(held)} on hold`, expired && `${decimal(expired)} expired`].filter(
      Boolean,
    );
    return {
      status: 409,
      message:
        `Not enough stock: ${decimal(wanted)} asked, ${decimal(available)} available.` +
        (causes.length > 0 ? ` Not taken: ${causes.join(', ')}.` : ''),
    };
  }
  const taken: [ModelLot, bigint][] = [];
  let missing = wanted;
  for (const each of lots) {
    if (missing === 0n) break;
    const part = each.units < missing ? each.units : missing;
    taken.push([each, part]);
    missing -= part;
  }
  return taken;
}

function decimal(millionths: bigint): string {
  const text = millionths.toString().padStart(7, '0');
  return `${text.slice(0, -6)}.${text.slice(-6)}`.replace(/\.?0+$/, '');
}
