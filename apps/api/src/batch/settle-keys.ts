import type { AtomicRequest, Queued } from '@inventory/domain/stock/request';
import type { SubmitResult } from '@inventory/queue/submit';
import type { CallTexts } from '../answer-texts.ts';
import type { Sender } from '../sender.ts';
import { createAnswerRoom } from './answer-room.ts';
import { type ReadOutcomes, readKnown } from './read-known.ts';
import { notApplied, type Result, resultOf } from './results.ts';
import { settleWithin } from './run-each.ts';

/**
 * What became of the operations of a batch that was not applied. "Not applied" is told when that is true of
 * every key, whoever sent it: another send may be under way. A batch that was abandoned for a key of which
 * that was told a moment ago does not tell it anew: one that comes again and again would be refused for
 * ever. `arrivedAt`: of `performance.now()`. Throws Failed when Postgres does not say.
 */
export type SettleKeys = (
  request: Queued<AtomicRequest>,
  answer: SubmitResult,
  arrivedAt: number,
  texts: CallTexts,
) => Promise<Result[]>;

export function createKeySettler(sender: Sender, readOutcomes: ReadOutcomes): SettleKeys {
  return async ({ operations, clientId, deadline }, { status }, arrivedAt, texts) => {
    const keyed = operations
      .filter(({ key }) => key !== undefined)
      .map((operation) => ({ ...operation, clientId, deadline }));
    const answers = await readKnown(keyed, readOutcomes, status === 'abandoned');
    const open = keyed.filter(({ requestId }) => !answers.has(requestId));
    const settled = await sender.settleAll(open, settleWithin(arrivedAt));
    for (const [index, { requestId }] of open.entries()) answers.set(requestId, settled[index]!);
    const room = createAnswerRoom(texts);
    return Promise.all(
      operations.map(async ({ kind, requestId }) => {
        const answer = answers.get(requestId);
        return answer === undefined ? notApplied : resultOf(kind, await room.keep(answer));
      }),
    );
  };
}
