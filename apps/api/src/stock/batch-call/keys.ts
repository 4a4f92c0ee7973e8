import { isKey } from '@inventory/domain/contract/batch';
import { invalid } from '@inventory/domain/refusals/refused';
import type { AtomicRequest, Queued, QueuedRequest } from '@inventory/domain/request';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { createPacer } from '@inventory/process/pacer';
import type { SubmitResult } from '@inventory/queue/submit/submit';
import { Refused } from '../../http/errors.ts';
import { type ReadOutcomes, readKnown } from '../known-outcomes.ts';
import type { Sender } from '../sender.ts';
import { type Caller, checkKey } from '../transactions.ts';
import { type Operation, type RawBatch, requestIn } from './read-operations.ts';

export type KeysOptions = { sender: Sender; readOutcomes: ReadOutcomes };

/**
 * Refuses a batch in which a key could mean two things: a key in the header in mode `each`, a key twice in
 * the list, or the same key in the list and the header. Throws Refused.
 */
export function checkKeys({ head: { mode }, operations }: RawBatch, listKey: string | undefined): void {
  checkKey(listKey);
  if (mode === 'each' && listKey !== undefined) {
    const message =
      'Idempotency-Key is for mode atomic. In mode each every operation has a key of its own: key.';
    throw new Refused({ code: 'bad_request', message });
  }
  const placesOf = new Map<unknown, number[]>();
  for (const [index, sent] of operations.entries()) {
    const key = 'body' in sent ? sent.body.key : undefined;
    // A malformed key is an error of its operation.
    if (isKey(key)) placesOf.set(key, [...(placesOf.get(key) ?? []), index]);
  }
  const ofList = placesOf.get(listKey) ?? [];
  const messages = [
    ...[...placesOf.values()]
      .filter((places) => places.length > 1)
      .map((places) => `must have keys that differ: ${inWords(places)} have the same.`),
    ...(ofList.length > 0
      ? [`must have other keys than the Idempotency-Key of the list: ${inWords(ofList)}.`]
      : []),
  ];
  if (messages.length > 0) throw new Refused(invalid({ operations: messages }));
}

function inWords(places: readonly number[]): string {
  return new Intl.ListFormat('en-GB').format(places.map(String));
}

/**
 * Finds what earlier sends decided: whether anything was decided under the key of the list, and the outcomes
 * under the keys of these operations, by index. Throws Failed if Postgres does not answer. It only reads: the
 * batch that decides a key also claims it.
 */
export async function findDecided(
  { sender, readOutcomes }: KeysOptions,
  operations: readonly Operation[],
  { client: { clientId }, key: listKey }: Pick<Caller, 'client' | 'key'>,
): Promise<{ isListDecided: boolean; decided: ReadonlyMap<number, StoredOutcome> }> {
  const pace = createPacer();
  const from = { clientId, arrivedAt: performance.now() };
  // The key alone finds the list: some of its operations may be forbidden by now.
  const list = listKey === undefined ? [] : [await sender.atomic([], { ...from, key: listKey })];
  const asked: { index: number; queued: QueuedRequest }[] = [];
  for (const operation of operations) {
    const { index, key } = operation;
    const request = requestIn(operation);
    if (key === null || request === undefined) continue;
    await pace();
    asked.push({ index, queued: sender.queued(request, { ...from, key }) });
  }
  const known = await readKnown([...list, ...asked.map(({ queued }) => queued)], readOutcomes, false);
  const decided = asked.flatMap(({ index, queued: { requestId } }) => {
    const answer = known.get(requestId);
    return answer === undefined ? [] : [[index, answer] as const];
  });
  return {
    isListDecided: list.some(({ requestId }) => known.has(requestId)),
    decided: new Map(decided),
  };
}

/**
 * Admits operations that are refused only because of their device's times, if an outcome exists under their
 * keys or under the key of an atomic list. These are resends from a device whose clock was corrected
 * meanwhile; they get the stored answer like any resend. The others stay refused. Does not query Postgres if
 * there are no such operations. Throws Failed if Postgres does not answer.
 */
export async function passDecided(
  options: KeysOptions,
  operations: readonly Operation[],
  caller: Caller,
): Promise<readonly Operation[]> {
  const misdated = operations.filter((operation) => 'misdated' in operation);
  if (misdated.length === 0) return operations;
  const { isListDecided, decided } = await findDecided(options, misdated, caller);
  return operations.map((operation) => {
    if (!('misdated' in operation) || operation.misdated === undefined) return operation;
    const { index, key, misdated: request } = operation;
    return isListDecided || decided.has(index) ? { index, key, request, evidence: undefined } : operation;
  });
}

/**
 * Settles the keyed operations of an atomic batch that was not applied, and returns the outcomes by request
 * id. A caller is told "not applied" only once that is true for every key, because another send of a key may
 * be under way. If a batch was abandoned because one of its keys was refused a moment ago, no new refusal is
 * recorded: otherwise a batch that is resent again and again would be refused for ever. Throws Failed if
 * Postgres does not answer.
 */
export async function settleKeys(
  { sender, readOutcomes }: KeysOptions,
  { operations, clientId, deadline }: Queued<AtomicRequest>,
  { status }: SubmitResult,
  withinMs: number,
): Promise<Map<string, SubmitResult>> {
  const keyed = operations
    .filter(({ key }) => key !== undefined)
    .map((operation) => ({ ...operation, clientId, deadline }));
  const answers: Map<string, SubmitResult> = await readKnown(keyed, readOutcomes, status === 'abandoned');
  const open = keyed.filter(({ requestId }) => !answers.has(requestId));
  const settled = await sender.settleAll(open, withinMs);
  for (const [index, { requestId }] of open.entries()) answers.set(requestId, settled[index]!);
  return answers;
}
