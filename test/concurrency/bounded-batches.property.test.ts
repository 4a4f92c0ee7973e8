import { statusOf } from '@inventory/api/http/errors';
import { appliedStatusOf } from '@inventory/api/stock/transactions';
import { gateNamesOf } from '@inventory/db/batch/gates';
import { fillLargeAnswers } from '@inventory/db/requests/large-answers';
import { itemIdOf } from '@inventory/domain/kinds/kinds';
import type { Refusal } from '@inventory/domain/refusals/refused';
import type { Queued } from '@inventory/domain/request';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { afterAll, expect, test } from 'vitest';
import { type BatchWorker, useBatches } from '../harness/queue/batches.ts';
import { type ModelRequest, operationOf, randomRequest } from '../harness/stock/random-requests.ts';
import {
  type Chance,
  chanceOf,
  expectSameLots,
  fillGate,
  type ModelItem,
} from '../harness/stock/random-stock.ts';
import { StockModel } from '../harness/stock/stock-model.ts';
import { isExpired } from '../harness/stock/stock-model-lots.ts';
import { expectSame, Places } from '../harness/stock/stock-places.ts';

const batches = useBatches();
// SEED=… RUNS=1 repeats a failed run.
const runs = Number(process.env.RUNS ?? 6);
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
// Counts of the cases the runs have met, so that the generator cannot go tame unnoticed.
const met = { applied: 0, refused: 0, abandoned: 0, left: 0, large: 0, tooMany: 0, again: 0, counted: 0 };

const told = new Map<string, StoredOutcome>();
let worker: BatchWorker;

/**
 * Judges the outcomes of one batch in its order, each against the stock at its turn. Returns the requests it
 * left.
 */
function judge(
  items: ReadonlyMap<string, ModelItem>,
  requests: readonly Queued<ModelRequest>[],
  outcomes: (StoredOutcome | null)[],
  receivedAt: ReadonlyMap<number, number>,
) {
  const leftGates = new Set<string>();
  // With this many on hold or expired when a batch begins, a refusal does not count them all.
  const gateOf = ({ body }: ModelRequest) => `${body.itemID} in ${body.wid}`;
  const untaken = new Map<string, number>();
  for (const request of requests) {
    if (!untaken.has(gateOf(request))) untaken.set(gateOf(request), untakenLots(items, request));
  }
  const left: Queued<ModelRequest>[] = [];
  const seen = new Map<string, StoredOutcome | null>();
  let lastNo = 0;
  for (const [index, request] of requests.entries()) {
    const outcome = outcomes[index]!;
    if (seen.has(request.requestId)) {
      expect(outcome).toEqual(seen.get(request.requestId));
      continue;
    }
    seen.set(request.requestId, outcome);
    const gates = gateNamesOf(request);
    if (outcome === null) {
      met.left += 1;
      for (const gate of gates) leftGates.add(gate);
      left.push(request);
      continue;
    }
    expect(
      gates.filter((gate) => leftGates.has(gate)),
      'gates of requests that are left',
    ).toEqual([]);
    met[outcome.status] += 1;
    if (request.deadline < Date.now()) {
      expect(outcome.status).toBe('abandoned');
      continue;
    }
    const { model, places } = items.get(itemIdOf(request))!;
    const answer = JSON.parse(outcome.result!);
    const isApplied = outcome.status === 'applied';
    const operation = operationOf(request, places);
    if (isApplied && request.kind !== 'move' && request.kind !== 'issue') {
      const at = request.kind === 'receive' ? Date.parse(answer.lot.received) : receivedAt.get(answer.recNo);
      model.goOn(at ?? Number.NaN);
    }
    const status = isApplied ? appliedStatusOf(request.kind) : statusOf[answer.code as Refusal['code']];
    const said = places.seen({ status, body: answer });
    const expected = model.run(operation);
    const context = JSON.stringify(request.body);
    if ('message' in said && 'message' in expected) {
      if (said.message.startsWith('Too many')) met.tooMany += 1;
      // At least ten of each kind are looked at, however many requests of the batch are refused.
      if (/ at least | There may be more /.test(said.message) && untaken.get(gateOf(request))! >= 10)
        for (const each of [said, expected])
          each.message = upTo(upTo(each.message, ' Not taken: '), ' There may be more ');
      // The same holds for lots at the destination: the first ones may all have other marks.
      const isThere = expected.message.startsWith('Nothing to move: ');
      if (isThere && !said.message.includes(' on hold') && said.message !== expected.message) {
        expect(said.message).toMatch(
          /^Nothing to move: at least |^Not enough stock: \S+ asked, 0 available\./,
        );
        continue;
      }
      // The lots have no numbers yet.
      if (said.message.includes('made just now'))
        for (const each of [said, expected]) each.message = upTo(each.message, ' on hold in ');
    }
    expectSame(said, expected, context);
    if (!isApplied) continue;
    if (answer.lots?.length > 256) met.large += 1;
    expect(answer.transactionNo).toBeGreaterThan(lastNo);
    lastNo = answer.transactionNo;
    if (request.kind === 'count') met.counted += 1;
  }
  return { left, lastNo };
}

/** The number of lots on hold or expired in the gate of a request. */
function untakenLots(items: ReadonlyMap<string, ModelItem>, request: ModelRequest): number {
  const lots = items.get(itemIdOf(request))!.model.allLots();
  const { wid } = request.body;
  return lots.filter((lot) => lot.wid === wid && lot.units > 0n && (lot.hold || isExpired(lot))).length;
}

const upTo = (text: string, end: string) => text.split(end)[0]!;

async function run(chance: Chance) {
  const itemIDs = await Promise.all([1, 2].map(() => batches.item()));
  const items = new Map(
    itemIDs.map((itemID) => [itemID, { itemID, model: new StockModel(), places: new Places() }]),
  );
  const gates = [...items.values()].flatMap((item) => [1, 2].map((wid) => ({ item, wid })));
  for (const gate of gates) await fillGate(batches.sql, chance, gate);
  let left: Queued<ModelRequest>[] = [];
  let decided: Queued<ModelRequest>[] = [];
  let lastNo = 0;
  for (let batch = 0; batch < 8 || left.length > 0; batch++) {
    const appetite = chance.of([3, 10, 30]);
    const size = batch < 8 ? chance.of([1, 3, 12, 30, 90]) : 0;
    const fresh = Array.from({ length: size }, () =>
      randomRequest(batches, chance, chance.of(gates), appetite),
    );
    const again = [...left, ...fresh].filter(() => chance.upTo(40) === 0);
    const redelivered = decided.filter(() => chance.upTo(60) === 0);
    // The batcher, too, puts requests that were left first.
    const requests = [...left, ...fresh, ...again];
    const outcomes = await wholeOf(await worker.applyOnce([...requests, ...redelivered]));
    met.again += redelivered.length;
    for (const [index, request] of redelivered.entries()) {
      expect(outcomes[requests.length + index], 'decided before').toEqual(told.get(request.requestId));
    }
    const judged = judge(items, requests, outcomes, await receivedOf(outcomes));
    if (requests.length > 0) expect(judged.left.length).toBeLessThan(new Set(requests).size);
    requests.forEach(({ requestId }, index) => {
      if (outcomes[index]) told.set(requestId, outcomes[index]);
    });
    decided = [...decided, ...requests.filter((request) => !judged.left.includes(request))];
    if (judged.lastNo > 0) {
      expect(Math.min(...numbersOf(outcomes.slice(0, requests.length)))).toBeGreaterThan(lastNo);
      lastNo = judged.lastNo;
    }
    left = judged.left;
  }
  for (const item of items.values()) await expectSameLots(batches.sql, item);
}

/** Adds the large answers, decided earlier, that the batch did not read. */
async function wholeOf(outcomes: readonly (StoredOutcome | null)[]): Promise<(StoredOutcome | null)[]> {
  const byPlace = new Map(
    outcomes.flatMap((outcome, place) => (outcome === null ? [] : [[String(place), outcome] as const])),
  );
  await fillLargeAnswers(batches.sql, byPlace, Number.POSITIVE_INFINITY);
  return outcomes.map((_, place) => byPlace.get(String(place)) ?? null);
}

/** When lots that were changed first, or created, came in: the answer of a count does not say. */
async function receivedOf(outcomes: readonly (StoredOutcome | null)[]): Promise<Map<number, number>> {
  const recNos = outcomes.flatMap((outcome) =>
    outcome?.status === 'applied' ? [JSON.parse(outcome.result!).recNo as number | null] : [],
  );
  const rows = await batches.sql<{ rec_no: number; received: Date }[]>`
    select rec_no, received
    from lot
    where rec_no = any(${recNos.filter((recNo) => recNo !== null)}::bigint[])`;
  return new Map(rows.map((row) => [row.rec_no, row.received.getTime()]));
}

function numbersOf(outcomes: readonly (StoredOutcome | null)[]): number[] {
  return outcomes.flatMap((outcome) =>
    outcome?.status === 'applied' ? [JSON.parse(outcome.result!).transactionNo as number] : [],
  );
}

afterAll(() => console.log(`bounded batches: seed ${seed}, ${JSON.stringify(met)}`));

test(`batches with bounded reads give the same outcomes as their requests one after the other: seed ${seed}`, async () => {
  worker = batches.worker();
  for (let index = 0; index < runs; index++)
    await run(chanceOf(seed + index)).catch((error) =>
      Promise.reject(new Error(`seed ${seed + index}`, { cause: error })),
    );
  if (runs < 6) return;
  // Refusals for too many lots are too rare to count on.
  for (const [what, count] of Object.entries({ ...met, tooMany: 1 })) expect(count, what).toBeGreaterThan(0);
});
