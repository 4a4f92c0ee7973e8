export type ModelLot = {
  lot: number;
  wid: number;
  spot: string;
  serial: string;
  serial2: string | null;
  rfidTag: string | null;
  /** Milliseconds since 1970. */
  expires: number | null;
  /** Lots of one lineage were received at one moment; the lower number came first. */
  received: number;
  units: bigint;
  hold: boolean;
};

/** A line of the ledger. `balance`: the lot's units after it. */
export type ModelLine = { lot: number; wid: number; spot: string; delta: bigint; balance: bigint };
export type ModelTransaction = {
  kind: 'receive' | 'move' | 'issue' | 'count' | 'reverse';
  lines: ModelLine[];
  reversedBy: number | null;
};

export type Refused = { status: number; message: string };
export const conflict = (message: string): Refused => ({ status: 409, message });

export const sum = (lots: readonly Pick<ModelLot, 'units'>[]) =>
  lots.reduce((total, each) => total + each.units, 0n);

/** Changes a lot's units as its line says. An emptied lot loses its hold. */
export function changeUnits(lot: ModelLot, delta: bigint): ModelLine {
  lot.units += delta;
  if (lot.units === 0n) lot.hold = false;
  return { lot: lot.lot, wid: lot.wid, spot: lot.spot, delta, balance: lot.units };
}

/** The shortest decimal text. */
export function decimal(millionths: bigint): string {
  const text = millionths.toString().padStart(7, '0');
  return `${text.slice(0, -6)}.${text.slice(-6)}`.replace(/\.?0+$/, '');
}

export function isExpired({ expires }: ModelLot): boolean {
  return expires !== null && expires < Date.now();
}
