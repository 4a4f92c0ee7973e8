import type { Sender } from '../sender.ts';
import type { Caller } from '../transactions.ts';
import { keyOfEach } from './each-key.ts';
import { type ReadOutcomes, readKnown } from './read-known.ts';
import type { Operation } from './read-operations.ts';

export type PassOptions = { sender: Sender; readOutcomes: ReadOutcomes };

/**
 * Lets operations through that are refused for the times of their device alone, where something is decided
 * under their keys, or under that of an atomic list: these are sends that come again, with a clock that was
 * put right meanwhile, and are answered by their keys as any other. The others stay refused. Asks nothing of
 * Postgres without such operations; throws Failed when it does not say.
 */
export async function passDecided(
  { sender, readOutcomes }: PassOptions,
  operations: readonly Operation[],
  mode: 'each' | 'atomic',
  { client: { clientId }, key: listKey }: Caller,
): Promise<readonly Operation[]> {
  if (!operations.some((operation) => 'misdated' in operation)) return operations;
  const from = { clientId, arrivedAt: performance.now() };
  const asked = new Map(
    operations.flatMap((operation) => {
      if (!('misdated' in operation) || operation.misdated === undefined) return [];
      const key = mode === 'each' ? keyOfEach(operation, listKey) : (operation.key ?? undefined);
      return key === undefined ? [] : [[operation, sender.queued(operation.misdated, { ...from, key })]];
    }),
  );
  // Whatever its operations are: the batch that decides compares them.
  const list =
    mode === 'atomic' && listKey !== undefined ? await sender.atomic([], { ...from, key: listKey }) : null;
  const known = await readKnown([...(list === null ? [] : [list]), ...asked.values()], readOutcomes, false);
  const isListKnown = list !== null && known.has(list.requestId);
  return operations.map((operation) => {
    if (!('misdated' in operation) || operation.misdated === undefined) return operation;
    const { index, key, misdated: request } = operation;
    const isKnown = isListKnown || known.has(asked.get(operation)?.requestId ?? '');
    return isKnown ? { index, key, request, evidence: undefined } : operation;
  });
}
