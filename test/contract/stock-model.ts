// The rules of the contract once more, written without a look at the service's own: plain loops over a plain list.

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
    const usable = this.ordered(named).filter(
      (each) =>
        each.wid === wid &&
        !each.hold &&
        (each.expires === undefined || each.expires > today) &&
        (spot === undefined || each.spot === spot) &&
        (serial === undefined || each.serial === serial),
    );
    const taken = take(usable, BigInt(units));
    if (!Array.isArray(taken)) return taken;
    return {
      status: 200,
      lots: taken.map(([each, part]) => {
        each.units -= part;
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
    const usable = this.ordered(named).filter(
      (each) =>
        each.wid === wid &&
        (named !== undefined || !each.hold) &&
        !isThere(each) &&
        (fromSpot === undefined || each.spot === fromSpot) &&
        (serial === undefined || each.serial === serial),
    );
    const taken = take(usable, BigInt(units));
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

  /** The level of these warehouses as its JSON has it, less the item; undefined when there never was stock. */
  levelText(wids: number[]): string | undefined {
    const here = this.lots.filter((each) => wids.includes(each.wid));
    if (here.length === 0) return undefined;
    const sum = (lots: ModelLot[]) => lots.reduce((total, each) => total + each.units, 0n);
    const inStock = sum(here);
    const onHold = sum(here.filter((each) => each.hold));
    return `{"available":${decimal(inStock - onHold)},"inStock":${decimal(inStock)},"onOrder":0,"onHold":${decimal(onHold)},"committed":0,"packed":0,"aSN":0}`;
  }

  /** Lots in stock: those that expire first, the others after them, older before newer. */
  private ordered(only: ModelLot | undefined): ModelLot[] {
    const from = only === undefined ? [...this.lots] : [only];
    const expiry = (each: ModelLot) => each.expires ?? '9999';
    return from
      .filter((each) => each.units > 0n)
      .sort((a, b) =>
        expiry(a) < expiry(b) ? -1 : expiry(a) > expiry(b) ? 1 : a.received - b.received || a.lot - b.lot,
      );
  }
}

function take(lots: ModelLot[], wanted: bigint): [ModelLot, bigint][] | ModelAnswer {
  const available = lots.reduce((total, each) => total + each.units, 0n);
  if (available < wanted) {
    return {
      status: 409,
      message: `Not enough stock: ${decimal(wanted)} asked, ${decimal(available)} available.`,
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
