import { itemIdOf, pickOf, type SingleRequest } from '@inventory/domain/kinds/kinds';
import type { Quantity } from '@inventory/domain/quantity';
import type { Queued } from '@inventory/domain/request';
import { lotsLookedAtMax, lotsPerTransactionMax } from '@inventory/domain/stock/allocate';
import { allocationOrder, gateKey } from '@inventory/domain/stock/batch';
import { askKey, type LotFilter, pickKey } from '@inventory/domain/stock/lot-filter';
import type { Tx } from '@inventory/postgres/pool';
import type { Pacer } from '@inventory/process/pacer';
import type { PartNumbers } from '../gates.ts';
import { readPasts } from '../read-pasts.ts';
import { type PickLimits, tallyLots } from './pick-statements.ts';
import {
  type Candidates,
  isTaken,
  type PickedLots,
  type Read,
  type Room,
  readPicks,
  readsOf,
  type Turns,
  takePart,
  turnToNext,
  unitsOf,
} from './read-picks.ts';

/** The limits of a round for each pick, and the number of picks in it. */
type Round = PickLimits & { picks: number };

// The first round is enough for most picks, the second for picks that ask for the same item repeatedly.
// Further rounds follow only if these are not enough.
const firstRounds: readonly Round[] = [
  { lots: 4, looks: 16, picks: Number.POSITIVE_INFINITY },
  { lots: 16, looks: 32, picks: Number.POSITIVE_INFINITY },
];

const roundsFor = ({ large, largest }: { large: number; largest: number }): readonly Round[] => [
  ...firstRounds,
  { lots: 256, looks: 2500, isShared: true, picks: large },
  { lots: lotsPerTransactionMax + 1, looks: lotsLookedAtMax, isShared: true, picks: largest },
];

// Counting costs about as much as reading. After the first count, there must be room for it.
const talliesMax = 2;

/** How much is read for the picks of a batch. */
export type Reading = {
  rounds: readonly Round[];
  /** The lots that all picks of a batch may examine together. The first request always gets what it needs. */
  looksMax: number;
  /** Whether the batch must be decided as a whole, so that nothing can be left for a next batch. */
  isWhole: boolean;
  turns: Turns;
};

// While the gates are locked, the event loop is not yielded.
const atOnce: Turns = { pace: () => undefined, lotsMax: Number.POSITIVE_INFINITY };

/**
 * First reads what most picks need, then more for picks that need more. This bounds the time for which the
 * gates are locked. A request that cannot be decided within these limits is left for the next batch.
 */
const usualReading: Reading = {
  rounds: roundsFor({ large: 32, largest: 2 }),
  looksMax: 20_000,
  isWhole: false,
  turns: atOnce,
};

/**
 * For an atomic batch, which is decided or refused as a whole: no part of it can be left for a next batch.
 * Yields the event loop.
 */
export function atomicReading(pace: Pacer): Reading {
  return {
    rounds: roundsFor({ large: 64, largest: 8 }),
    looksMax: 20_000,
    isWhole: true,
    turns: { pace, lotsMax: 2000 },
  };
}

/** `units`: null for a count, which needs all matching lots. */
type Ask = { pick: LotFilter; key: string; units: Quantity | null };

/**
 * Reads all matching lots for each count. For each move and issue, reads as many lots in the order of
 * allocation as the whole batch could take from their gate: so a request finds its lots among them, whatever
 * earlier requests of the batch have taken. The first statements are sent at once and must come after the
 * statement that locks the gates. `facts`, with the moment of the batch, may come later. For requests that
 * are already decided or late, only the first lots are read.
 */
export async function pickCandidates(
  tx: Tx,
  requests: readonly Queued<SingleRequest>[],
  parts: PartNumbers,
  facts: Promise<{ now: Date; outcomes: ReadonlyMap<string, unknown> }>,
  reading: Reading = usualReading,
): Promise<Candidates> {
  const all = asksOf(requests, parts);
  const found: Candidates = {
    lots: new Map(),
    lotsByRecNo: new Map(),
    horizons: new Map(),
    unread: new Set(),
    cut: new Set(),
    tallies: new Map(),
    past: new Map(),
  };
  const counted = new Map(all.filter(({ ask }) => ask.units === null).map(({ ask }) => [ask.key, ask.pick]));
  const pasts = readPasts(tx, requests, found, facts, reading.turns);
  // A failure surfaces at the `await` below. If an earlier statement fails first, this one must not become an
  // unhandled rejection.
  pasts.catch(() => {});
  // Counts and reversals take from a gate, too, and their quantity is not known in advance.
  const readEmptied = async (): Promise<string[]> => {
    if (!reading.isWhole) return [];
    await pasts;
    const undone = [...found.past.values()].flatMap(({ entries }) => entries.map(({ lot }) => lot));
    return [...undone, ...counted.values()].map(gateOf);
  };
  let judging: Promise<Judged> | null = null;
  const judged = () => {
    judging ??= (async () => judge(all, await facts, await readEmptied()))();
    return judging;
  };
  const reads = [...new Map(all.map(({ ask }) => [ask.key, ask.pick]))].flatMap(([key, pick]) =>
    readsOf(key, pick, counted.has(key)),
  );
  const work: Work = { tx, found, reading, known: new Map(), room: { left: reading.looksMax }, judged };
  await readInRounds(work, reads, firstRoundFor(requests, all));
  await pasts;
  const { now } = await judged();
  for (const read of reads) keepHorizon(read, work.known.get(read), now, found);
  await sortIntoGates(found, now, reading.turns);
  return found;
}

/**
 * The input of a batch's reads, and what has been read so far. `judged` waits for the moment of the batch.
 */
type Work = {
  tx: Tx;
  found: Candidates;
  reading: Reading;
  known: Map<Read, PickedLots>;
  room: Room;
  judged: () => Promise<Judged>;
};

/** First reads what most picks need, then more for picks that need more. */
async function readInRounds(work: Work, reads: Read[], firstRound: number): Promise<void> {
  const { known, found, reading } = work;
  let open = reads;
  let round = firstRound;
  // The first lots are requested before the moment of the batch is known.
  let moment: Date | null = null;
  while (open.length > 0 && round < reading.rounds.length) {
    const { picks, ...limits } = reading.rounds[round]!;
    const read = open.slice(0, picks);
    // The reads of the first request are always made; a count has two.
    const least = read.filter(({ key }) => key === read[0]!.key).length;
    let [turn, rest] = takePart(read, limits, { ...work, turns: reading.turns, least });
    while (turn.length > 0) {
      for (let turns = 1; turn.length > 0; turns++) {
        const picked = await readPicks(work.tx, turn, limits, found, {
          ...work,
          now: moment,
          turns: reading.turns,
        });
        for (const [each, lots] of picked) known.set(each, lots);
        const judged = await work.judged();
        moment = judged.now;
        // Another field may need fewer looks.
        const more = openAmong(turn, known, judged);
        turn = more.filter((each) => picked.get(each)?.isCut === true && turns < each.kinds.length);
        for (const each of turn) turnToNext(each);
      }
      [turn, rest] = takePart(rest, limits, { ...work, turns: reading.turns, least: 0 });
    }
    const judged = await work.judged();
    const { now, demand } = judged;
    open = openAmong(read, known, judged);
    if (limits.lots > lotsPerTransactionMax) {
      for (const each of open) {
        const picked = known.get(each);
        if (picked?.isCut === true && picked.limits === limits) found.cut.add(each.key);
      }
      await tallyLarge(work, judged, open);
    }
    // The second round reads four times as many lots: too few if every pick needs more than that.
    const isLarge = (each: Read) =>
      demand.get(gateOf(each.pick))! > unitsOf(known.get(each)?.lots ?? [], each.pick, now) * 4n;
    round += round === 0 && open.length <= reading.rounds[2]!.picks && open.every(isLarge) ? 2 : 1;
  }
}

/** The reads that need more lots: the certain ones first, because there may not be room for all. */
function openAmong(reads: readonly Read[], known: ReadonlyMap<Read, PickedLots>, judged: Judged): Read[] {
  const { now, asks, demand, emptied } = judged;
  const asked = new Set(asks.map((ask) => ask.key));
  const more = reads.filter((each) => known.get(each)?.isEnded !== true && asked.has(each.key));
  const isShort = (each: Read) => {
    const picked = known.get(each);
    if (picked === undefined || each.isCount || picked.isStale(now)) return true;
    return unitsOf(picked.lots, each.pick, now) < demand.get(gateOf(each.pick))!;
  };
  const perhaps = more.filter((each) => !isShort(each) && emptied.has(gateOf(each.pick)));
  return [...more.filter(isShort), ...perhaps];
}

/** Records how far the lots of a pick were read. */
function keepHorizon(read: Read, picked: PickedLots | undefined, now: Date, found: Candidates): void {
  if (picked?.isEnded) return;
  // Reading again would put stale lots in order, but there was no room for that.
  const isUsable = picked !== undefined && picked.horizon !== null && !picked.isStale(now);
  if (isUsable) found.horizons.set(read.key, picked.horizon!);
  else found.unread.add(read.key);
}

/**
 * The smallest round is enough if each pick of an item gets at least one lot. Counts and reversals may take
 * any number.
 */
function firstRoundFor(requests: readonly Queued<SingleRequest>[], all: readonly { ask: Ask }[]): number {
  if (requests.some((request) => 'of' in request)) return 1;
  const asked = new Map<string, number>();
  for (const { ask } of all) {
    const count = (asked.get(gateOf(ask.pick)) ?? 0) + 1;
    if (ask.units === null || count > firstRounds[0]!.lots) return 1;
    asked.set(gateOf(ask.pick), count);
  }
  return 0;
}

/**
 * The picks of requests that are still undecided at the moment of the batch. `demand`: see {@link demandOf}.
 * `emptied`: gates from which more may be taken.
 */
type Judged = { now: Date; asks: Ask[]; demand: Map<string, Quantity>; emptied: ReadonlySet<string> };

function judge(
  all: readonly { request: Queued<SingleRequest>; ask: Ask }[],
  { now, outcomes }: { now: Date; outcomes: ReadonlyMap<string, unknown> },
  emptied: readonly string[],
): Judged {
  const asks = all
    .filter(({ request }) => !outcomes.has(request.requestId) && now.getTime() <= request.deadline)
    .map(({ ask }) => ask);
  return { now, asks, demand: demandOf(asks), emptied: new Set(emptied) };
}

function asksOf(requests: readonly Queued<SingleRequest>[], parts: PartNumbers) {
  return requests.flatMap((request) => {
    const partNo = parts.byShortId.get(itemIdOf(request));
    const pick = partNo === undefined ? null : pickOf(partNo, request);
    if (pick === null) return [];
    return [{ request, ask: { pick: pick.lots, key: pickKey(pick.lots), units: pick.units } }];
  });
}

const gateOf = ({ partNo, wid }: { partNo: number; wid: number }) => gateKey(partNo, wid);

/** The most that a batch takes from each gate. */
function demandOf(asks: readonly Ask[]): Map<string, Quantity> {
  const demand = new Map<string, Quantity>();
  for (const { pick, units } of asks) {
    demand.set(gateOf(pick), (demand.get(gateOf(pick)) ?? 0n) + (units ?? 0n));
  }
  return demand;
}

/**
 * If requests need more lots than one transaction may take, counts the lots for the first of them, for the
 * text of their refusal.
 */
async function tallyLarge(
  { tx, found, known, room }: Work,
  { asks, now }: Judged,
  open: readonly Read[],
): Promise<void> {
  const reads = new Map(
    open.filter((each) => known.get(each)?.isCut === false).map((each) => [each.key, each]),
  );
  const large = new Map<string, { read: Read; units: Quantity }>();
  for (const { key, pick, units } of asks) {
    const read = reads.get(key);
    if (units === null || read === undefined) continue;
    const taken = known.get(read)!.lots.filter((lot) => isTaken(lot, pick, now));
    if (unitsOf(taken.slice(0, lotsPerTransactionMax), pick, now) >= units) continue;
    if (large.size < talliesMax) large.set(askKey(pick, units), { read, units });
  }
  for (const [key, { read, units }] of large) {
    if (found.tallies.size > 0 && room.left < lotsLookedAtMax) continue;
    found.tallies.set(key, await tallyLots(tx, read, units, lotsLookedAtMax, now));
    room.left -= lotsLookedAtMax;
  }
}

async function sortIntoGates({ lots, lotsByRecNo }: Candidates, now: Date, turns: Turns): Promise<void> {
  for (const lot of lotsByRecNo.values()) {
    const key = gateKey(lot.partNo, lot.wid);
    const gate = lots.get(key);
    if (gate === undefined) lots.set(key, [lot]);
    else gate.push(lot);
  }
  const order = allocationOrder(now.getTime());
  for (const gate of lots.values()) {
    await turns.pace();
    gate.sort(order);
  }
}
