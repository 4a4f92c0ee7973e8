import type { Client } from '@inventory/auth/client';
import { denyAction, denyWarehouses } from '@inventory/auth/scope';
import type { Subject } from '@inventory/domain/kinds/kind';
import {
  type KindName,
  neededFor,
  numberedBy,
  type SingleRequest,
  unknownSubject,
} from '@inventory/domain/kinds/kinds';
import { forbidden, type Refusal } from '@inventory/domain/refusals/refused';

/** Looks up transactions to reverse and lots, by number. Those that there are not are missing. */
export type FindSubjects = (numbers: {
  transactionNos: readonly number[];
  recNos: readonly number[];
}) => Promise<{
  transactions: ReadonlyMap<number, Subject>;
  lots: ReadonlyMap<number, Pick<Subject, 'itemID' | 'wids'>>;
}>;

/** An operation as read: its kind and its body. */
export type ReadOperation = { kind: KindName; body: object };

/**
 * Returns the requests of operations, each with the facts of what it names by number, or why this client may
 * not do that.
 */
export async function requestsOf(
  operations: readonly ReadOperation[],
  client: Client,
  findSubjects: FindSubjects,
): Promise<({ request: SingleRequest } | { refusal: Refusal })[]> {
  const named = operations.map(({ kind, body }) => numberedBy(kind, body));
  const transactionNos = named.flatMap((each) => (each && 'transactionNo' in each ? each.transactionNo : []));
  const recNos = named.flatMap((each) => (each && 'recNo' in each ? each.recNo : []));
  const isAny = transactionNos.length + recNos.length > 0;
  const found = isAny ? await findSubjects({ transactionNos, recNos }) : null;
  return operations.map(({ kind, body }, index) => {
    const number = named[index]!;
    if (number === null || found === null) return { request: { kind, body } as SingleRequest };
    const lot = 'recNo' in number ? found.lots.get(number.recNo) : undefined;
    const of =
      'transactionNo' in number
        ? found.transactions.get(number.transactionNo)
        : lot && { ...lot, kind, lines: 0 };
    // Outside the client's scope, it counts as unknown.
    if (of === undefined || denyWarehouses(client, of.wids) !== null)
      return { refusal: unknownSubject(kind) };
    const request = { kind, body, of } as SingleRequest;
    const denial = denyAction(client, neededFor(request), true);
    return denial === null ? { request } : { refusal: forbidden[denial] };
  });
}
