import { otherRequest } from '@inventory/domain/contract/refused';
import type { AtomicRequest } from '@inventory/domain/stock/request';
import { createPacer } from '@inventory/process/pacer';
import { Refused } from '../errors.ts';
import type { Sender } from '../sender.ts';
import type { Caller } from '../transactions.ts';
import { keyOfPlace } from './each-key.ts';
import { type ReadOutcomes, readKnown } from './read-known.ts';
import type { Operation } from './read-operations.ts';

export type OtherUseOptions = { sender: Sender; readOutcomes: ReadOutcomes };

// What nobody asks for: only whether something is decided under its key matters.
const nothing: AtomicRequest = {
  kind: 'batch',
  body: { mode: 'atomic', count: 0, digest: '' },
  operations: [],
};

/**
 * Refuses a list whose Idempotency-Key was used with the list in the other mode, or in mode each with a
 * single call: its operations would be applied a second time, under keys that are others in each mode. In
 * mode each the key itself must be free, in mode atomic those of the list's places. Asks nothing of Postgres
 * without a key. Throws Refused, or Failed when Postgres does not say. It only looks: of two sends that are
 * under way at once both may be applied.
 */
export async function refuseOtherUse(
  { sender, readOutcomes }: OtherUseOptions,
  operations: readonly Operation[],
  mode: 'each' | 'atomic',
  { client: { clientId }, key: listKey }: Caller,
): Promise<void> {
  if (listKey === undefined) return;
  // The key is this operation's as well, which no atomic list allows. It is answered by it as any other.
  if (mode === 'each' && operations.some(({ key }) => key === listKey)) return;
  const keys = mode === 'each' ? [listKey] : operations.map(({ index }) => keyOfPlace(listKey, index));
  const asked = [];
  const pace = createPacer();
  for (const key of keys) {
    await pace();
    asked.push(sender.queued(nothing, { clientId, arrivedAt: performance.now(), key }));
  }
  const known = await readKnown(asked, readOutcomes, false);
  if (known.size > 0) throw new Refused(otherRequest);
}
