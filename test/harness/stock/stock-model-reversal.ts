import {
  changeUnits,
  conflict,
  decimal,
  type ModelLine,
  type ModelLot,
  type ModelTransaction,
  type Refused,
} from './stock-model-lots.ts';

/** Units that go back: out of a lot, into a lot, or from one to another. */
type Step = { units: bigint; from?: ModelLine; to?: ModelLine };

/** Reverses a transaction in these lots and returns the lines, or the reason why it cannot be reversed. */
export function undo(lots: readonly ModelLot[], { kind, lines }: ModelTransaction): ModelLine[] | Refused {
  const steps = kind === 'move' ? movedBack(lines) : lines.map(opposite);
  for (const step of steps) {
    const refused = (step.from && taking(lots, step)) ?? (step.to && giving(lots, step));
    if (refused !== undefined) return refused;
  }
  return steps.flatMap((step) => goBack(lots, step));
}

const opposite = (line: ModelLine): Step =>
  line.delta > 0n ? { units: line.delta, from: line } : { units: -line.delta, to: line };

/** In a move, each two lines belong together. */
function movedBack(lines: readonly ModelLine[]): Step[] {
  const steps: Step[] = [];
  lines.forEach((line, index) => {
    if (index % 2 === 1) steps.push({ units: line.delta, from: line, to: lines[index - 1]! });
  });
  return steps;
}

/** The lot that gives units must still be where they came to, and have them. */
function taking(lots: readonly ModelLot[], { units, from, to }: Step): Refused | undefined {
  const lot = lots[from!.lot]!;
  const isWhole = to?.lot === lot.lot;
  if (lot.units < units || (isWhole && lot.units > units)) {
    return conflict(
      `The units have moved on: lot ${lot.lot} has ${decimal(lot.units)}, and ${decimal(units)} would go back.`,
    );
  }
  if (lot.spot !== from!.spot) return elsewhere(lot, from!.spot);
  return lot.hold && to === undefined ? onHold(lot) : undefined;
}

/**
 * The lot that gets them back must be where they came from, and on hold if they were; a lot at 0 has no units
 * elsewhere.
 */
function giving(lots: readonly ModelLot[], { from, to }: Step): Refused | undefined {
  const lot = lots[to!.lot]!;
  const giver = from && lots[from.lot]!;
  if (giver === lot || lot.units === 0n) return undefined;
  if (lot.spot !== to!.spot) return elsewhere(lot, to!.spot);
  if (giver !== undefined && giver.hold !== lot.hold) return onHold(giver.hold ? giver : lot);
  return undefined;
}

function goBack(lots: readonly ModelLot[], { units, from, to }: Step): ModelLine[] {
  const giver = from && lots[from.lot]!;
  const taker = to && lots[to.lot]!;
  if (giver !== undefined && giver === taker) {
    const place = { lot: giver.lot, wid: giver.wid };
    giver.spot = to!.spot;
    return [
      { ...place, spot: from!.spot, delta: -units, balance: 0n },
      { ...place, spot: to!.spot, delta: units, balance: units },
    ];
  }
  const isHeld = giver?.hold === true;
  const lines = giver === undefined ? [] : [changeUnits(giver, -units)];
  if (taker === undefined) return lines;
  if (isHeld) taker.hold = true;
  if (taker.units === 0n) taker.spot = to!.spot;
  return [...lines, changeUnits(taker, units)];
}

const place = (spot: string) => (spot === '' ? 'no spot' : spot);

const elsewhere = (lot: ModelLot, spot: string) =>
  conflict(
    `The units have moved on: lot ${lot.lot} has ${decimal(lot.units)} at ${place(lot.spot)}, not at ${place(spot)}.`,
  );

const onHold = (lot: ModelLot) => conflict(`Lot ${lot.lot} is on hold, with ${decimal(lot.units)} units.`);
