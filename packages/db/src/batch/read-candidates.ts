import { operationsMax } from '@inventory/domain/contract/batch';
import { parseQuantity, type Quantity, quantityOf } from '@inventory/domain/quantity';
import { askKey, type LotFilter, lotsPerTransactionMax, pickKey } from '@inventory/domain/stock/allocate';
import {
  allocationOrder,
  type Batch,
  gateKey,
  isExpired,
  type LotState,
} from '@inventory/domain/stock/batch';
import { countPick } from '@inventory/domain/stock/count';
import { issuePick } from '@inventory/domain/stock/issue';
import { movePick } from '@inventory/domain/stock/move';
import { itemIdOf, type Queued, type SingleRequest } from '@inventory/domain/stock/request';
import type { Pacer } from '@inventory/process/pacer';
import type { Tx } from '../client.ts';
import type { PartNumbers } from './gates.ts';
import { type LotRow, pickKindOf, readHeldLots, readPickedLots, tallyLots } from './pick-statements.ts';
import { readLedger } from './read-ledger.ts';
import { readUntaken } from './untaken-stock.ts';

/** How many lots are read for each pick, and for how many picks of a batch at the most. */
type Round = { lots: number; picks: number };

// All that most picks need, and what they need when some ask the same item again and again. More are read
// only when these do not suffice.
const firstRounds: readonly Round[] = [
  { lots: 4, picks: Number.POSITIVE_INFINITY },
  { lots: 16, picks: Number.POSITIVE_INFINITY },
];

/**
 * First all that most picks need, then more for those that need more. So the time under the gates' locks has
 * a bound, whatever is asked of whatever stock; a request that cannot be decided by then is left to the next
 * batch.
 */
const usualRounds: readonly Round[] = [
  ...firstRounds,
  { lots: 256, picks: 32 },
  { lots: lotsPerTransactionMax + 1, picks: 2 },
];

// Counting costs about as much as reading.
const talliesMax = 2;
const talliedLotsMax = 10_000;

// By the moment of receipt, all that came then are read, for as few lots as they may leave.
const receivedPicksMax = 2;

// For what too little stock is refused with.
const untakenPicksMax = 64;

type Reading = {
  rounds: readonly Round[];
  receivedPicksMax: number;
  untakenPicksMax: number;
  /** Whether there is no next batch for what this one has not read enough for. */
  isWhole: boolean;
  turns: Turns;
};

/**
 * How others get their turns of the event loop meanwhile: `pace` lets them have one, and one statement reads
 * `lotsMax` lots at the most, for its rows come in one stretch.
 */
type Turns = { pace: Pacer; lotsMax: number };

// Under the gates' locks nothing waits for anybody's turn.
const atOnce: Turns = { pace: () => undefined, lotsMax: Number.POSITIVE_INFINITY };

const usualReading: Reading = {
  rounds: usualRounds,
  receivedPicksMax,
  untakenPicksMax,
  isWhole: false,
  turns: atOnce,
};

/**
 * The same for an atomic batch, which is decided whole or refused: there is no next batch for a part of it.
 */
export const atomicReading: Reading = {
  rounds: [...firstRounds, { lots: 256, picks: 64 }, { lots: lotsPerTransactionMax + 1, picks: 8 }],
  receivedPicksMax: 16,
  untakenPicksMax: operationsMax,
  isWhole: true,
  turns: atOnce,
};

/** The same where nothing is locked, and nothing may hold the event loop. */
export function atomicReadingInTurns(pace: Pacer): Reading {
  return { ...atomicReading, turns: { pace, lotsMax: 2000 } };
}

// What is undone has a bound, too: one transaction has 2,000 lines at the most.
const pastLinesMax = 4000;

type Candidates = {
  [Part in 'lots' | 'lotsByRecNo' | 'horizons' | 'unread' | 'tallies' | 'untaken' | 'past']: Batch[Part];
};
/** `units`: null for a count, which needs all lots that match. */
type Ask = { pick: LotFilter; key: string; units: Quantity | null };

/**
 * Reads, for every count, all lots that it is about, and for every move and issue as many lots in the order
 * of allocation as the whole batch could take out of their gate: a request finds its lots among them whatever
 * the ones before it in the batch have taken. The first statements are sent at once and must come after the
 * one that locks the gates; `facts`, which hold the batch's moment, may come later. No more than the first
 * lots are read for requests that are decided already, or late.
 */
export async function pickCandidates(
  tx: Tx,
  requests: readonly Queued<SingleRequest>[],
  parts: PartNumbers,
  facts: Promise<{ now: Date; outcomes: ReadonlyMap<string, unknown> }>,
  reading: Reading = usualReading,
): Promise<Candidates> {
  const all = asksOf(requests, parts);
  const { turns } = reading;
  const found: Candidates = {
    lots: new Map(),
    lotsByRecNo: new Map(),
    horizons: new Map(),
    unread: new Set(),
    tallies: new Map(),
    untaken: new Map(),
    past: new Map(),
  };
  let open = [...new Map(all.map(({ ask }) => [ask.key, ask.pick]))];
  const received = open.filter(([, pick]) => pickKindOf(pick) === 'received').map(([key]) => key);
  if (received.length > reading.receivedPicksMax) {
    // Requests that are decided already have no use for the room.
    const { outcomes } = await facts;
    const asked = new Set(
      all.flatMap(({ request, ask }) => (outcomes.has(request.requestId) ? [] : [ask.key])),
    );
    for (const key of received.filter((each) => asked.has(each)).slice(reading.receivedPicksMax)) {
      found.unread.add(key);
    }
    open = open.filter(([key]) => asked.has(key) && !found.unread.has(key));
  }
  const counted = new Map(all.filter(({ ask }) => ask.units === null).map(({ ask }) => [ask.key, ask.pick]));
  const others = Promise.all([
    readHeld(tx, counted, found, turns),
    readPasts(tx, requests, found, facts, turns),
  ]);
  // It is told where it is waited for, unless a statement before it failed.
  others.catch(() => {});
  // Counts and reversals take from a gate, too, and nobody has said how much.
  const readEmptied = async (): Promise<string[]> => {
    if (!reading.isWhole) return [];
    await others;
    const undone = [...found.past.values()].flatMap(({ entries }) => entries.map(({ lot }) => lot));
    return [...undone, ...counted.values()].map(gateOf);
  };
  // The first lots are asked for before the batch's moment is known.
  let judged: Judged | null = null;
  const known = new Map<string, PickedLots>();
  let round = firstRoundFor(requests, all);
  while (open.length > 0 && round < reading.rounds.length) {
    const { lots, picks } = reading.rounds[round]!;
    const read = open.slice(0, picks);
    const picked = await readPicks(tx, read, lots, found, { now: judged?.now ?? null, turns });
    for (const [key, lots] of picked) known.set(key, lots);
    judged ??= judge(all, await facts, await readEmptied());
    const { now, asks, demand, emptied } = judged;
    const asked = new Set(asks.map((ask) => ask.key));
    const more = read.filter(([key]) => picked.get(key)!.horizon !== null && asked.has(key));
    const isShort = ([key, pick]: readonly [string, LotFilter]) => {
      const { lots, isStale } = picked.get(key)!;
      return counted.has(key) || isStale(now) || unitsOf(lots, pick, now) < demand.get(gateOf(pick))!;
    };
    // There is room for some only: first those that surely need more.
    const perhaps = more.filter((each) => !isShort(each) && emptied.has(gateOf(each[1])));
    open = [...more.filter(isShort), ...perhaps];
    if (lots > lotsPerTransactionMax) await tallyLarge(tx, asks, new Map(open), picked, now, found);
    // The second round reads four times as many lots: too few for picks that all need more than that.
    const isLarge = ([key, pick]: readonly [string, LotFilter]) =>
      demand.get(gateOf(pick))! > unitsOf(picked.get(key)!.lots, pick, now) * 4n;
    round += round === 0 && open.length <= reading.rounds[2]!.picks && open.every(isLarge) ? 2 : 1;
  }
  judged ??= judge(all, await facts, await readEmptied());
  const [heldHorizons] = await others;
  // After the rounds: they know nothing of lots on hold, and take away the horizon of what they read whole.
  for (const [key, last] of heldHorizons) found.horizons.set(key, last);
  // Read again they would be in order; there was no room for that.
  for (const [key, { isStale, horizon }] of known) {
    if (horizon !== null && isStale(judged.now)) found.unread.add(key);
  }
  await readShort(tx, judged, known, found, reading.untakenPicksMax);
  await sortIntoGates(found, judged.now, turns);
  return found;
}

/**
 * The first lots suffice when there is one for each ask of an item; nobody knows how many a count or a
 * reversal takes.
 */
function firstRoundFor(requests: readonly Queued<SingleRequest>[], all: readonly { ask: Ask }[]): number {
  if (requests.some(({ kind }) => kind === 'reverse')) return 1;
  const asked = new Map<string, number>();
  for (const { ask } of all) {
    const count = (asked.get(gateOf(ask.pick)) ?? 0) + 1;
    if (ask.units === null || count > firstRounds[0]!.lots) return 1;
    asked.set(gateOf(ask.pick), count);
  }
  return 0;
}

/**
 * The asks of the requests that are still to be decided at the batch's moment; `demand`: see {@link
 * demandOf}; `emptied`: the gates of which more may be taken than that.
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

/** Reads what is on hold or expired for the picks that may find too little. */
async function readShort(
  tx: Tx,
  { now, asks, demand, emptied }: Judged,
  known: ReadonlyMap<string, PickedLots>,
  found: Candidates,
  picksMax: number,
): Promise<void> {
  const short = new Map<string, LotFilter>();
  for (const { key, pick, units } of asks) {
    const picked = known.get(key);
    if (picked === undefined || units === null || pick.recNo !== undefined) continue;
    const gate = gateOf(pick);
    if (unitsOf(picked.lots, pick, now) >= demand.get(gate)! && !emptied.has(gate)) continue;
    if (short.size < picksMax) short.set(key, pick);
    else if (!short.has(key)) found.unread.add(key);
  }
  if (short.size === 0) return;
  const untaken = await readUntaken(tx, [...short.values()], now);
  [...short.keys()].forEach((key, index) => {
    found.untaken.set(key, untaken[index]!);
  });
}

function asksOf(requests: readonly Queued<SingleRequest>[], parts: PartNumbers) {
  return requests.flatMap((request) => {
    const partNo = parts.byShortId.get(itemIdOf(request));
    if (request.kind === 'receive' || request.kind === 'reverse' || partNo === undefined) return [];
    const pick = pickOf(partNo, request);
    const units = request.kind === 'count' ? null : quantityOf(request.body.units);
    return [{ request, ask: { pick, key: pickKey(pick), units } }];
  });
}

function pickOf(partNo: number, request: Exclude<SingleRequest, { kind: 'receive' | 'reverse' }>): LotFilter {
  switch (request.kind) {
    case 'move':
      return movePick(partNo, request.body);
    case 'issue':
      return issuePick(partNo, request.body);
    case 'count':
      return countPick(partNo, request.body);
  }
}

/**
 * Reads the lots on hold that are counted: the picks leave them out. Returns the horizons of the counts for
 * which there may be more.
 */
async function readHeld(
  tx: Tx,
  counted: ReadonlyMap<string, LotFilter>,
  found: Candidates,
  turns: Turns,
): Promise<Map<string, LotState>> {
  const picks = [...counted].filter(([, pick]) => pick.recNo === undefined);
  if (picks.length === 0) return new Map();
  const limit = lotsPerTransactionMax + 1;
  const rows = await inParts(picks, limit, turns, (part) => readHeldLots(tx, part, limit));
  const horizons = new Map<string, LotState>();
  for (const [index, [key]] of picks.entries()) {
    await turns.pace();
    const lots = keepLots(found, rows[index]!);
    if (lots.length === limit) horizons.set(key, lots.at(-1)!);
  }
  return horizons;
}

/** Reads what is to be undone, and the lots that it is about. */
async function readPasts(
  tx: Tx,
  requests: readonly Queued<SingleRequest>[],
  found: Candidates,
  facts: Promise<{ outcomes: ReadonlyMap<string, unknown> }>,
  turns: Turns,
): Promise<void> {
  const undoings = requests.flatMap((request) =>
    request.kind === 'reverse' && request.of.kind !== 'reverse'
      ? [{ requestId: request.requestId, transactionNo: request.body.transactionNo, lines: request.of.lines }]
      : [],
  );
  const all = new Map(undoings.map(({ transactionNo, lines }) => [transactionNo, lines]));
  const isMuch = [...all.values()].reduce((sum, lines) => sum + lines, 0) > pastLinesMax;
  // Those that are decided already have no use for the room.
  const { outcomes } = isMuch ? await facts : { outcomes: new Map() };
  const asked = new Map<number, number>();
  let read = 0;
  for (const { requestId, transactionNo, lines } of undoings) {
    if (outcomes.has(requestId) || asked.has(transactionNo)) continue;
    read += lines;
    // The others are left for the next batch.
    if (asked.size > 0 && read > pastLinesMax) break;
    asked.set(transactionNo, lines);
  }
  for (const part of inPartsOfLines(asked, turns.lotsMax)) {
    const { reversed, entries } = await readLedger(tx, part);
    for (const transactionNo of part) {
      found.past.set(transactionNo, { isReversed: reversed.has(transactionNo), entries: [] });
    }
    for (const { row, transactionNo, wid, spot, delta } of entries) {
      const [lot] = keepLots(found, [row]);
      found.past.get(transactionNo)!.entries.push({ lot: lot!, wid, spot, delta });
    }
  }
}

/** These transactions, by their lines, in parts of so many lines at the most, or of one transaction. */
function inPartsOfLines(asked: ReadonlyMap<number, number>, linesMax: number): number[][] {
  const parts: number[][] = [];
  let left = 0;
  for (const [transactionNo, lines] of asked) {
    if (parts.length === 0 || lines > left) {
      parts.push([]);
      left = linesMax;
    }
    parts.at(-1)!.push(transactionNo);
    left -= lines;
  }
  return parts;
}

/** The lots of these rows; one that was read before is the same object. */
function keepLots(found: Candidates, rows: readonly LotRow[]): LotState[] {
  return rows.map((row) => {
    const lot = found.lotsByRecNo.get(row.rec_no) ?? lotOf(row);
    found.lotsByRecNo.set(lot.recNo, lot);
    return lot;
  });
}

const gateOf = ({ partNo, wid }: { partNo: number; wid: number }) => gateKey(partNo, wid);

/** The most that a batch asks of each gate. */
function demandOf(asks: readonly Ask[]): Map<string, Quantity> {
  const demand = new Map<string, Quantity>();
  for (const { pick, units } of asks) {
    demand.set(gateOf(pick), (demand.get(gateOf(pick)) ?? 0n) + (units ?? 0n));
  }
  return demand;
}

/**
 * The lots of a pick; after `horizon` there may be more. `isStale`: whether some have expired since they were
 * read, and so come later in the order of allocation than `horizon` says.
 */
type PickedLots = { lots: LotState[]; horizon: LotState | null; isStale: (now: Date) => boolean };

async function readPicks(
  tx: Tx,
  picks: readonly (readonly [string, LotFilter])[],
  limit: number,
  found: Candidates,
  { now, turns }: { now: Date | null; turns: Turns },
): Promise<Map<string, PickedLots>> {
  const rows = await inParts(picks, limit, turns, (part) => readPickedLots(tx, part, limit, now));
  const result = new Map<string, PickedLots>();
  for (const [index, [key]] of picks.entries()) {
    await turns.pace();
    const lots = keepLots(found, rows[index]!);
    const horizon = lots.length < limit ? null : lots.at(-1)!;
    const early = lots.filter((_, place) => !rows[index]![place]!.late);
    result.set(key, { lots, horizon, isStale: (now) => early.some((lot) => isExpired(lot, now.getTime())) });
    if (horizon === null) found.horizons.delete(key);
    else found.horizons.set(key, horizon);
  }
  return result;
}

/** The rows of each pick, of which one has `limit` at the most. */
async function inParts(
  picks: readonly (readonly [string, LotFilter])[],
  limit: number,
  { lotsMax }: Turns,
  read: (part: readonly LotFilter[]) => Promise<LotRow[][]>,
): Promise<LotRow[][]> {
  const size = Math.max(Math.floor(lotsMax / limit), 1);
  const rows: LotRow[][] = [];
  for (let from = 0; from < picks.length; from += size) {
    rows.push(...(await read(picks.slice(from, from + size).map(([, pick]) => pick))));
  }
  return rows;
}

function unitsOf(lots: readonly LotState[], pick: LotFilter, now: Date): Quantity {
  return lots.reduce((sum, lot) => (isTaken(lot, pick, now) ? sum + lot.units : sum), 0n);
}

/**
 * The statements leave out lots that had expired when the transaction began; this leaves out those that have
 * expired since.
 */
function isTaken(lot: LotState, pick: LotFilter, now: Date): boolean {
  return pick.expiredToo || !isExpired(lot, now.getTime());
}

/**
 * Counts the lots of the first requests that need more than one transaction may take, for what they are told.
 */
async function tallyLarge(
  tx: Tx,
  asks: readonly Ask[],
  open: ReadonlyMap<string, LotFilter>,
  picked: ReadonlyMap<string, PickedLots>,
  now: Date,
  found: Candidates,
): Promise<void> {
  const large = new Map<string, { pick: LotFilter; units: Quantity }>();
  for (const ask of asks) {
    const { pick, units } = ask;
    if (units === null || !open.has(ask.key)) continue;
    const taken = picked.get(ask.key)!.lots.filter((lot) => isTaken(lot, pick, now));
    if (unitsOf(taken.slice(0, lotsPerTransactionMax), pick, now) >= units) continue;
    if (large.size < talliesMax) large.set(askKey(pick, units), { pick, units });
  }
  for (const [key, { pick, units }] of large) {
    found.tallies.set(key, await tallyLots(tx, pick, units, talliedLotsMax, now));
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

function lotOf(row: LotRow): LotState {
  const { spot, hold } = row;
  const units = parseQuantity(row.units);
  return {
    recNo: row.rec_no,
    partNo: row.part_no,
    wid: row.wid,
    spot,
    units,
    received: row.received.getTime(),
    expires: row.expires?.getTime() ?? null,
    serial: row.serial,
    serial2: row.serial2,
    rfidTag: row.rfid_tag,
    netWeight: row.net_weight === null ? null : parseQuantity(row.net_weight),
    grossWeight: row.gross_weight === null ? null : parseQuantity(row.gross_weight),
    hold,
    origin: { kind: 'stored', spot, units, hold },
    changed: false,
  };
}
