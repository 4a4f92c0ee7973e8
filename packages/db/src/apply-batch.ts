import type { Client } from '@inventory/auth/client';
import { transactionPermission } from '@inventory/auth/permission';
import { denyAction, denyWarehouses } from '@inventory/auth/scope';
import { jsonText } from '@inventory/domain/json-text';
import { forbidden } from '@inventory/domain/refused';
import { type Batch, numberLots } from '@inventory/domain/stock/batch';
import type { Decision } from '@inventory/domain/stock/decision';
import { decide, type StockRequest, warehousesOf } from '@inventory/domain/stock/transaction';
import type { BatchPool, BatchWork } from './batch-transaction.ts';
import { type Tx, violatedUnique } from './client.ts';
import { gateIdsOf, lockGates, makeGates, type PartNumbers } from './gates.ts';
import type { StoredOutcome } from './outcome.ts';
import { pickCandidates } from './pick-candidates.ts';
import { readFacts } from './read-facts.ts';
import { type DecidedTransaction, writeBatch } from './write-batch.ts';

/** One stock transaction as the queue brings it. `deadline`: milliseconds since 1970; nobody waits for it after that. */
export type BatchRequest = { requestId: string; clientId: string; deadline: number } & StockRequest;

/**
 * Applies a batch as one database transaction and returns one outcome per request, in their order. Business refusals are
 * outcomes. Throws only when nothing of the batch was applied: any error of Postgres, or one of ours.
 *
 * The life of a batch: gates are locked in (part_no, wid) order; everything else is read in later statements, so that it is
 * what the last holder of the gates left behind; the requests are decided in memory in arrival order against running
 * balances; each touched row is written once. The request ids are claimed by the last write. An id that is taken by then,
 * by the same request on another worker or by the api's verdict, rolls the batch back, and it is decided again without it.
 */
export async function applyBatch(
  pool: BatchPool,
  requests: readonly BatchRequest[],
  parts: PartNumbers,
): Promise<StoredOutcome[]> {
  const unique = [...new Map(requests.map((request) => [request.requestId, request])).values()];
  await makeGates(pool.sql, unique, parts);
  for (;;) {
    const outcomes = await pool
      .transaction((tx) => applyOnce(tx, unique, parts))
      .catch((error: unknown) => {
        // Another transaction took one of the request ids while this one was being decided.
        if (violatedUnique(error) === 'stock_transaction_request_id_key') return null;
        throw error;
      });
    if (outcomes !== null) return requests.map((request) => outcomes.get(request.requestId)!);
  }
}

async function applyOnce(
  tx: Tx,
  requests: readonly BatchRequest[],
  parts: PartNumbers,
): Promise<BatchWork<Map<string, StoredOutcome>>> {
  const gateIds = gateIdsOf(requests, parts);
  // Sent at once, answered in order on the one connection: the later ones see what was committed before the gates were locked.
  const locked = lockGates(tx, gateIds);
  const facts = readFacts(tx, requests, gateIds);
  const [levels, { now, transactionNos, recNos, outcomes, clients, items, warehouses }, lots] =
    await Promise.all([locked, facts, pickCandidates(tx, requests, parts, facts)]);
  const batch: Batch = { now: now.getTime(), items, warehouses, levels, ...lots, newLots: [] };

  const decided: DecidedTransaction[] = [];
  requests.forEach((request, index) => {
    if (outcomes.has(request.requestId)) return;
    const decision = decideRequest(batch, request, clients.get(request.clientId));
    decided.push({ request, transactionNo: transactionNos[index]!, ...decision });
  });

  numberLots(batch, await enoughRecNos(tx, recNos, batch.newLots.length));
  const written: { transaction: DecidedTransaction; outcome: StoredOutcome }[] = decided.map(
    (transaction) => ({
      transaction,
      outcome: { status: transaction.status, result: resultOf(transaction) },
    }),
  );
  const write = writeBatch(tx, batch, written);
  for (const { transaction, outcome } of written) outcomes.set(transaction.request.requestId, outcome);
  return { result: outcomes, write };
}

/** Rights are those of this moment, not of the time the request was accepted: what was revoked stops queued work too. */
function decideRequest(
  batch: Batch,
  request: BatchRequest,
  client: Client | undefined,
): Decision | { status: 'abandoned'; refusal: (typeof forbidden)[keyof typeof forbidden] | null } {
  if (batch.now > request.deadline) return { status: 'abandoned', refusal: null };
  if (client === undefined) return { status: 'abandoned', refusal: forbidden.permission };
  const denial =
    denyAction(client, transactionPermission[request.kind], true) ??
    denyWarehouses(client, warehousesOf(request));
  if (denial !== null) return { status: 'abandoned', refusal: forbidden[denial] };
  return decide(batch, request);
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
