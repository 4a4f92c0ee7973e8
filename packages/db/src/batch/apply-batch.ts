import type { Client } from '@inventory/auth/client';
import { denyAction, denyWarehouses } from '@inventory/auth/scope';
import { type AtomicDecision, atomicResultsText, decideAtomic } from '@inventory/domain/atomic';
import { jsonText } from '@inventory/domain/json-text';
import { decide, itemIdOf, neededFor, type SingleRequest, warehousesOf } from '@inventory/domain/kinds/kinds';
import { forbidden, type Refusal } from '@inventory/domain/refusals/refused';
import { type AtomicRequest, operationsOf, type Queued, type QueuedRequest } from '@inventory/domain/request';
import { type Batch, entriesMax, gateKey, numberLots } from '@inventory/domain/stock/batch';
import { type Decision, undecided } from '@inventory/domain/stock/decision';
import { toldLengthMax } from '@inventory/domain/stock/left-out';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { isLockTimeout, type Sql, type Tx, violatedUnique } from '@inventory/postgres/pool';
import { createPacer, inSteps } from '@inventory/process/pacer';
import { PlainError } from '@inventory/process/plain-error';
import { isKeyed, type KeyedRequest, keyName, outcomeOfRepeat } from '../requests/idempotency-keys.ts';
import { fillLargeAnswers } from '../requests/large-answers.ts';
import type { BatchPool, BatchWork } from './batch-pool.ts';
import {
  findHeldGates,
  forget,
  type GateId,
  gateIdsOf,
  gateNamesOf,
  isOutdated,
  lockGates,
  makeGates,
  needsAny,
  type PartNumbers,
  partNoOf,
  underShortIds,
} from './gates.ts';
import { isPassed, missingBefore } from './list-order.ts';
import { atomicReading } from './picks/read-candidates.ts';
import { completeShortages } from './picks/untaken-stock.ts';
import { type ReadOptions, readBatch } from './read-batch.ts';
import type { Facts } from './read-facts.ts';
import { type DecidedTransaction, writeBatch } from './write-batch.ts';

/**
 * Applies a batch as one database transaction and returns the outcomes by request id. Refusals by business
 * rules are outcomes. If deciding a request would need too many lots to be read, it has no outcome and must
 * be decided by another batch; at least one request has an outcome. Throws only if nothing of the batch was
 * applied: an error of Postgres or of this code, or {@link GatesHeldError} if the batch waited too long for
 * held gates.
 *
 * The life of a batch: the gates are locked in (part_no, wid) order. Everything else is read in later
 * statements, so that it includes the changes of the gates' last holder. The requests are decided in memory,
 * in order of arrival, against running balances. Each touched row is written once. The last write claims the
 * request ids and keys. If one is already taken, by the same request on another worker or by the api's
 * verdict, the batch rolls back and is decided again without it.
 */
export async function applyBatch(
  pool: BatchPool,
  requests: readonly QueuedRequest[],
  parts: PartNumbers,
  observe: (times: BatchTimes) => void = () => {},
): Promise<Map<string, StoredOutcome>> {
  const isAtomic = ({ kind }: QueuedRequest) => kind === 'batch';
  if (requests.length === 1 || !requests.some(isAtomic)) return applyTogether(pool, requests, parts, observe);
  // An atomic batch is a transaction by itself. If a later one fails, all are tried again, and the applied
  // ones are found decided.
  const outcomes = new Map<string, StoredOutcome>();
  const left = new Set<string>();
  for (const request of requests) {
    const { requestId } = request;
    const outcome = needsAny(request, left)
      ? undefined
      : (await applyTogether(pool, [request], parts, observe)).get(requestId);
    if (outcome !== undefined) outcomes.set(requestId, outcome);
    else for (const gate of gateNamesOf(request)) left.add(gate);
  }
  return outcomes;
}

async function applyTogether(
  pool: BatchPool,
  requests: readonly QueuedRequest[],
  parts: PartNumbers,
  observe: (times: BatchTimes) => void,
): Promise<Map<string, StoredOutcome>> {
  const unique = [...new Map(requests.map((request) => [request.requestId, request])).values()];
  let own = await makeGates(pool.sql, unique, parts).catch((error) => {
    throw isLockTimeout(error) ? new TableLockedError() : error;
  });
  for (let tries = 1; ; tries++) {
    const outcomes = await pool
      .transaction((tx) => applyOnce(tx, underShortIds(unique, own), own, observe))
      .catch(async (error: unknown) => {
        // Another transaction took one of the request ids or keys while this batch was being decided.
        if (claims.has(violatedUnique(error) ?? '')) return null;
        if (error instanceof OutdatedError && tries < triesMax) {
          forget(parts);
          own = await makeGates(pool.sql, unique, parts);
          return null;
        }
        if (isLockTimeout(error)) {
          await refuseHeldGates(pool.sql, unique, own);
          // The gates are free again.
          if (tries < triesMax) return null;
          throw new TableLockedError();
        }
        throw error;
      });
    if (outcomes !== null) return outcomes;
  }
}

/**
 * When each step of a batch ended, of `performance.now()`: begun, gates locked, everything read, decided and
 * the write sent. The rest is the write and the commit.
 */
export type BatchTimes = { begunAt: number; lockedAt: number; readAt: number; decidedAt: number };

const claims: ReadonlySet<string> = new Set([
  'stock_transaction_request_id_key',
  'idempotency_key_pkey',
  'stock_transaction_reverses_key',
]);

// A gate's changes keep their order in time when a clock is set back by no more than this. After a larger
// step, they would all get one time until the clock is there again.
const stepMaxMs = 60_000;
// If locks time out again and again although no gate is held, a lock on a whole table is in the way.
const triesMax = 3;

/** Gates of a batch were held for longer than a batch waits. `gates`: by name, see {@link gateNamesOf}. */
export class GatesHeldError extends PlainError {
  readonly gates: ReadonlySet<string>;

  constructor(gates: ReadonlySet<string>) {
    super(`${gates.size} gates are held by another session: ${[...gates].slice(0, 3).join(', ')}`);
    this.gates = gates;
  }
}

/** A whole table is locked. Counts as a network error, because cutting the batch would not help. */
class TableLockedError extends PlainError {
  readonly code = 'TOO_LATE';

  constructor() {
    super('a table that every batch needs is locked by another session');
  }
}

/**
 * This process remembers items or gates that Postgres does not have, because a standby without them was
 * promoted, or another item for an alias.
 */
class OutdatedError extends PlainError {
  constructor() {
    super('items, gates or aliases that this process remembers are no longer so');
  }
}

async function refuseHeldGates(
  sql: Sql,
  requests: readonly QueuedRequest[],
  parts: PartNumbers,
): Promise<void> {
  const held = await findHeldGates(sql, gateIdsOf(requests, parts)).catch((error) => {
    throw isLockTimeout(error) ? new TableLockedError() : error;
  });
  if (held.length === 0) return;
  throw new GatesHeldError(namesOf(held, requests, parts));
}

/** The names of those gates of these requests that are held at this moment; see {@link gateNamesOf}. */
export async function heldGatesAmong(
  sql: Sql,
  requests: readonly QueuedRequest[],
  parts: PartNumbers,
): Promise<Set<string>> {
  return namesOf(await findHeldGates(sql, gateIdsOf(requests, parts)), requests, parts);
}

function namesOf(
  held: readonly GateId[],
  requests: readonly QueuedRequest[],
  parts: PartNumbers,
): Set<string> {
  const keys = new Set(held.map((gate) => gateKey(gate.partNo, gate.wid)));
  const names = requests.flatMap(operationsOf).flatMap((operation) => {
    const partNo = partNoOf(parts, itemIdOf(operation));
    const wids = partNo === undefined ? [] : warehousesOf(operation);
    return gateNamesOf(operation, parts).filter((_, index) =>
      keys.has(gateKey(partNo ?? 0, wids[index] ?? 0)),
    );
  });
  return new Set(names);
}

async function applyOnce(
  tx: Tx,
  requests: readonly QueuedRequest[],
  parts: PartNumbers,
  observe: (times: BatchTimes) => void,
): Promise<BatchWork<Map<string, StoredOutcome>>> {
  const [first] = requests;
  if (first?.kind === 'batch') return applyAtomic(tx, first as Queued<AtomicRequest>, parts, observe);
  return applySingles(tx, requests as readonly Queued<SingleRequest>[], parts, observe);
}

async function applySingles(
  tx: Tx,
  requests: readonly Queued<SingleRequest>[],
  parts: PartNumbers,
  observe: (times: BatchTimes) => void,
): Promise<BatchWork<Map<string, StoredOutcome>>> {
  const { batch, facts, times } = await lockAndRead(tx, requests, parts);
  const { moment, recNos, outcomes } = facts;
  const { decided, repeats } = decideInOrder(batch, requests, facts);
  await completeShortages(tx, batch);
  // Outcomes of earlier requests that are not in this batch are not reported.
  for (const { requestId } of missingBefore(requests)) outcomes.delete(requestId);
  numberLots(batch, await enoughRecNos(tx, recNos, batch.newLots.length));
  const written = decided.map((transaction) => {
    const outcome: StoredOutcome = { status: transaction.status, result: resultOf(transaction) };
    outcomes.set(transaction.request.requestId, outcome);
    return { transaction, outcome };
  });
  const write = writeBatch(tx, batch, written, moment);
  times.decidedAt = performance.now();
  observe(times);
  for (const { request, first } of repeats) {
    outcomes.set(request.requestId, outcomeOfRepeat(first, outcomes.get(first.requestId)!, request));
  }
  return { result: outcomes, write };
}

type Repeat = { request: KeyedRequest; first: KeyedRequest };

/**
 * Decides the requests in order, each against the stock that the previous one left. Requests that are left
 * for the next batch are in neither list.
 */
function decideInOrder(
  batch: Batch,
  requests: readonly Queued<SingleRequest>[],
  { transactionNos, outcomes, clients }: Facts,
): { decided: DecidedTransaction[]; repeats: Repeat[] } {
  const decided: DecidedTransaction[] = [];
  const repeats: Repeat[] = [];
  const left = new Set<string>();
  const firsts = new Map<string, KeyedRequest>();
  const passed = new Set([...outcomes].flatMap(([id, outcome]) => (isPassed(outcome) ? id : [])));
  let entryCount = 0;
  requests.forEach((request, index) => {
    const { requestId, after } = request;
    if (outcomes.has(requestId)) return;
    const first = isKeyed(request) ? firsts.get(keyName(request)) : undefined;
    if (isKeyed(request) && first !== undefined) {
      repeats.push({ request, first });
      if (passed.has(first.requestId)) passed.add(requestId);
      return;
    }
    // A request behind one that was left for the next batch is left, too.
    const isLeft = entryCount >= entriesMax || needsAny(request, left);
    const isBarred = after !== undefined && !passed.has(after.requestId);
    const decision: Decided = isLeft
      ? undecided
      : isBarred
        ? { status: 'abandoned', refusal: null }
        : decideRequest(batch, request, clients.get(request.clientId));
    if (decision.status === 'applied') entryCount += decision.entries.length;
    if (decision.status === 'undecided') {
      for (const gate of gateNamesOf(request)) left.add(gate);
      return;
    }
    if (decision.status !== 'abandoned' || decision.refusal !== null) passed.add(requestId);
    if (isKeyed(request)) firsts.set(keyName(request), request);
    decided.push({ request, transactionNo: transactionNos[index]!, ...decision });
  });
  return { decided, repeats };
}

async function lockAndRead(
  tx: Tx,
  operations: readonly Queued<SingleRequest>[],
  parts: PartNumbers,
  options?: ReadOptions,
) {
  const times: BatchTimes = { begunAt: performance.now(), lockedAt: 0, readAt: 0, decidedAt: 0 };
  let last = 0;
  const readLevels = async (gateIds: readonly GateId[]) => {
    const levels = await lockGates(tx, gateIds);
    times.lockedAt = performance.now();
    for (const { modified } of levels.values()) last = Math.max(last, modified.getTime());
    return levels;
  };
  const { batch, facts } = await readBatch(tx, operations, parts, readLevels, options);
  // Otherwise the stock of a moment between the two could be negative.
  if (last > facts.moment.getTime() && last - facts.moment.getTime() <= stepMaxMs)
    facts.moment = new Date(last);
  times.readAt = performance.now();
  if (isOutdated(parts, operations, batch.levels, facts)) throw new OutdatedError();
  return { batch, facts, times };
}

/**
 * Decides an atomic batch, alone. If it is refused, only the refusal is written, under the key of the list.
 * The keys of its operations stay unchanged.
 */
async function applyAtomic(
  tx: Tx,
  request: Queued<AtomicRequest>,
  parts: PartNumbers,
  observe: (times: BatchTimes) => void,
): Promise<BatchWork<Map<string, StoredOutcome>>> {
  const { clientId, deadline } = request;
  // It takes long, and other batches go on beside it.
  const pace = createPacer();
  const operations = request.operations.map((operation) => ({ ...operation, clientId, deadline }));
  const { batch, facts, times } = await lockAndRead(tx, operations, parts, {
    requests: [request, ...operations],
    reading: atomicReading(pace),
  });
  const { moment, transactionNos, recNos, outcomes, clients } = facts;
  const told = (outcome: StoredOutcome) => new Map([[request.requestId, outcome]]);
  const before = outcomes.get(request.requestId);
  if (before !== undefined) return { result: told(before), write: null };
  // For operations that are already decided: the batch's answer repeats their answers.
  await fillLargeAnswers(tx, outcomes, toldLengthMax);
  const denial = operations
    .map((operation) => denialOf(batch.now, operation, clients.get(clientId)))
    .find((each) => each !== null);
  const decision: AtomicDecision | { status: 'abandoned'; refusal: Refusal | null } =
    denial === undefined
      ? await inSteps(decideAtomic(batch, request.operations, outcomes), pace)
      : { status: 'abandoned', refusal: denial.refusal };
  const [own = 0, ...numbers] = transactionNos;
  const whole = { request, transactionNo: own };
  if (decision.status === 'applied') {
    const written: { transaction: DecidedTransaction; outcome: StoredOutcome }[] = [];
    numberLots(batch, await enoughRecNos(tx, recNos, batch.newLots.length));
    const bodies = new Map<string, string>();
    for (const [index, each] of decision.operations.entries()) {
      await pace();
      if (!('decision' in each)) continue;
      const transaction = {
        request: operations[index]!,
        transactionNo: numbers[index]!,
        ...each.decision,
      };
      const result = resultOf(transaction)!;
      bodies.set(each.operation.requestId, result);
      written.push({ transaction, outcome: { status: 'applied', result } });
    }
    const result = atomicResultsText(decision.operations, bodies);
    const transaction: DecidedTransaction = { ...whole, status: 'applied', entries: [], answer: () => ({}) };
    const outcome: StoredOutcome = { status: 'applied', result };
    written.push({ transaction, outcome });
    const write = writeBatch(tx, batch, written, moment);
    times.decidedAt = performance.now();
    observe(times);
    return { result: told(outcome), write };
  }
  await completeShortages(tx, batch);
  const refusal = 'refusal' in decision ? decision.refusal : null;
  const outcome: StoredOutcome = {
    status: decision.status,
    result: refusal === null ? null : JSON.stringify(refusal),
  };
  const transaction = { ...whole, status: decision.status, refusal } as DecidedTransaction;
  // Discards everything that was decided.
  const nothing: Batch = { ...batch, levels: new Map(), lotsByRecNo: new Map(), newLots: [] };
  const write = writeBatch(tx, nothing, [{ transaction, outcome }], moment);
  times.decidedAt = performance.now();
  observe(times);
  return { result: told(outcome), write };
}

type Decided = Decision | { status: 'abandoned'; refusal: (typeof forbidden)[keyof typeof forbidden] | null };

/**
 * The rights are those of this moment, not of the time when the request came, so a revoked right also stops
 * queued work.
 */
function decideRequest(batch: Batch, request: Queued<SingleRequest>, client: Client | undefined): Decided {
  const denial = denialOf(batch.now, request, client);
  return denial === null ? decide(batch, request) : { status: 'abandoned', ...denial };
}

/** Why a request is no longer applied, whatever the stock. `refusal`: null if its caller no longer waits. */
function denialOf(
  now: number,
  request: Queued<SingleRequest>,
  client: Client | undefined,
): { refusal: (typeof forbidden)[keyof typeof forbidden] | null } | null {
  if (now > request.deadline) return { refusal: null };
  if (client === undefined) return { refusal: forbidden.permission };
  const denial =
    denyAction(client, neededFor(request), true) ?? denyWarehouses(client, warehousesOf(request));
  return denial === null ? null : { refusal: forbidden[denial] };
}

function resultOf(transaction: DecidedTransaction): string | null {
  if (transaction.status === 'applied') return jsonText(transaction.answer(transaction.transactionNo));
  return transaction.refusal === null ? null : JSON.stringify(transaction.refusal);
}

async function enoughRecNos(tx: Tx, recNos: number[], needed: number): Promise<number[]> {
  if (needed <= recNos.length) return recNos;
  const [row] = await tx<{ rec_nos: number[] }[]>`
    select array(select nextval('lot_rec_no_seq') from generate_series(1, ${needed - recNos.length})) as rec_nos`;
  return [...recNos, ...row!.rec_nos.map(Number)];
}
