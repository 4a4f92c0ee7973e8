import type { SentRequest } from '@inventory/db/requests/idempotency-keys';
import { isKey } from '@inventory/domain/contract/batch';
import { invalid } from '@inventory/domain/contract/refused';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import type { AtomicRequest, Queued, QueuedRequest } from '@inventory/domain/stock/request';
import { createPacer } from '@inventory/process/pacer';
import type { SubmitResult } from '@inventory/queue/submit';
import { Refused } from '../errors.ts';
import type { Sender } from '../sender.ts';
import { type Caller, checkKey, unknownKey } from '../transactions.ts';
import type { Operation, RawBatch } from './read-operations.ts';

/** What was decided about requests, or under their keys, by request id; without the text of large answers. */
export type ReadOutcomes = (requests: readonly SentRequest[]) => Promise<Map<string, StoredOutcome>>;

export type KeysOptions = { sender: Sender; readOutcomes: ReadOutcomes };

/**
 * Refuses a batch whose keys cannot each stand for one thing: a header's key in mode each, a key that is in
 * the list twice, or in the list and its header. Throws Refused.
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
    // What is no key is an error of its operation.
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
 * What is decided under the keys of these requests, and need not be settled; by request id. `withRefused`:
 * also which of them were refused a moment ago. Throws Failed when Postgres does not say.
 */
export async function readKnown(
  keyed: readonly SentRequest[],
  readOutcomes: ReadOutcomes,
  withRefused: boolean,
): Promise<Map<string, SubmitResult>> {
  if (keyed.length === 0) return new Map();
  const outcomes = await readOutcomes(keyed).catch(unknownKey);
  return new Map([...outcomes].filter(([, { status }]) => withRefused || status !== 'abandoned'));
}

/**
 * What earlier sends decided: whether anything under the key of the list, and what under the keys of these
 * operations, by their places. Throws Failed when Postgres does not say. It only looks: the batch that
 * decides a key claims it.
 */
export async function findDecided(
  { sender, readOutcomes }: KeysOptions,
  operations: readonly Operation[],
  { client: { clientId }, key: listKey }: Pick<Caller, 'client' | 'key'>,
): Promise<{ isListDecided: boolean; decided: ReadonlyMap<number, SubmitResult> }> {
  const pace = createPacer();
  const from = { clientId, arrivedAt: performance.now() };
  // Of whichever operations: some may be forbidden now.
  const list = listKey === undefined ? [] : [await sender.atomic([], { ...from, key: listKey })];
  const asked: { index: number; queued: QueuedRequest }[] = [];
  for (const operation of operations) {
    const { index, key } = operation;
    const request = 'request' in operation ? operation.request : operation.misdated;
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
 * Lets operations through that are refused for the times of their device alone, where something is decided
 * under their keys, or under that of an atomic list: these are sends that come again, with a clock that was
 * put right meanwhile, and are answered by their keys as any other. The others stay refused. Asks nothing of
 * Postgres without such operations; throws Failed when it does not say.
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
 * What became of the keyed operations of an atomic batch that was not applied, by request id. "Not applied"
 * is told when that is true of every key, whoever sent it: another send may be under way. A batch that was
 * abandoned for a key of which that was told a moment ago does not tell it anew: one that comes again and
 * again would be refused for ever. Throws Failed when Postgres does not say.
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
  const answers = await readKnown(keyed, readOutcomes, status === 'abandoned');
  const open = keyed.filter(({ requestId }) => !answers.has(requestId));
  const settled = await sender.settleAll(open, withinMs);
  for (const [index, { requestId }] of open.entries()) answers.set(requestId, settled[index]!);
  return answers;
}
