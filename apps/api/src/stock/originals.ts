import type { Client } from '@inventory/auth/client';
import { denyAction, denyWarehouses } from '@inventory/auth/scope';
import type { Original } from '@inventory/domain/kinds/kind';
import { type KindName, reversedBy, type SingleRequest, undoOf } from '@inventory/domain/kinds/kinds';
import { forbidden, noTransaction, type Refusal } from '@inventory/domain/refusals/refused';

/** Looks up transactions to reverse, by number; null where there is none. */
export type FindOriginals = (transactionNos: readonly number[]) => Promise<(Original | null)[]>;

/** An operation as read: its kind and its body. */
export type ReadOperation = { kind: KindName; body: object };

/**
 * Returns the requests of operations, each with the transaction that it reverses, or why this client may not
 * reverse that.
 */
export async function requestsOf(
  operations: readonly ReadOperation[],
  client: Client,
  findOriginals: FindOriginals,
): Promise<({ request: SingleRequest } | { refusal: Refusal })[]> {
  const numbers = operations.flatMap(({ kind, body }) => reversedBy(kind, body) ?? []);
  const originals = numbers.length === 0 ? [] : await findOriginals(numbers);
  let next = 0;
  return operations.map(({ kind, body }) => {
    if (reversedBy(kind, body) === null) return { request: { kind, body } as SingleRequest };
    const of = originals[next++] ?? null;
    const refusal = refuseReversal(of, client);
    return refusal === null ? { request: { kind, body, of } as SingleRequest } : { refusal };
  });
}

/** Outside the client's scope, a transaction counts as unknown. */
function refuseReversal(of: Original | null, client: Client): Refusal | null {
  if (of === null || denyWarehouses(client, of.wids) !== null) return noTransaction;
  const denial = denyAction(client, undoOf(of.kind)?.permission ?? [], true);
  return denial === null ? null : forbidden[denial];
}
