import type { RateLimiter } from '@inventory/auth/rate-limit';
import { parseDateTime } from '@inventory/domain/date-time';
import { itemIdOf, warehousesOf } from '@inventory/domain/kinds/kinds';
import { invalid } from '@inventory/domain/refusals/refused';
import { type FailureCause, Refused } from '../../http/errors.ts';
import { tooMany } from '../../http/limit-headers.ts';
import type { Call, Reply } from '../../http/route.ts';
import type { AnswerTexts } from '../answer-texts.ts';
import { type ReadOutcomes, unknownKey } from '../known-outcomes.ts';
import type { Sender } from '../sender.ts';
import type { FindSubjects } from '../subjects.ts';
import type { Caller } from '../transactions.ts';
import { createAtomic, type TryOutTogether } from './apply-atomic.ts';
import type { ItemNames } from './item-names.ts';
import { checkKeys, passDecided } from './keys.ts';
import { judgeOperations, type Operation, type RawBatch } from './read-operations.ts';
import { batchReply } from './replies.ts';
import {
  notApplied,
  notSent,
  type Result,
  refusedResult,
  resultOf,
  resultsText,
  summaryOf,
} from './results.ts';
import { runEach, type Task } from './run-each.ts';
import type { BatchTurns } from './turns.ts';

export type BatchCallsOptions = {
  sender: Sender;
  limiter: RateLimiter;
  /** Operations in a window of 60 s, for clients without a limit of their own. */
  operationLimit: number;
  turns: BatchTurns;
  findSubjects: FindSubjects;
  itemNames: ItemNames;
  tryOut: TryOutTogether;
  readOutcomes: ReadOutcomes;
  answerTexts: AnswerTexts;
  /** Why the queue cannot take or answer a request now. */
  whyUnanswered: () => FailureCause;
  /** The time of Postgres's clock, in milliseconds since 1970. */
  now: () => number;
};

/** The part of its call that a batch needs. */
export type BatchCall = Pick<Call<unknown, unknown, unknown>, 'wait' | 'nameOperations'>;

export type BatchCalls = {
  /** Applies the operations of a batch. Throws Refused or Failed. */
  batch(raw: RawBatch, caller: Caller, call: BatchCall): Promise<Reply>;
};

function hasKey({ operations }: RawBatch, { key }: Caller): boolean {
  return key !== undefined || operations.some((each) => 'body' in each && each.body.key !== undefined);
}

/** An earlier send of one of its keys may be applied. */
function failUnjudged(error: unknown, raw: RawBatch, caller: Caller): never {
  if (hasKey(raw, caller)) unknownKey(error);
  throw error;
}

/** Handles calls with many operations. */
export function createBatchCalls({
  sender,
  limiter,
  operationLimit,
  turns,
  findSubjects,
  itemNames,
  tryOut,
  readOutcomes,
  answerTexts,
  whyUnanswered,
  now,
}: BatchCallsOptions): BatchCalls {
  const applyAtomic = createAtomic({
    ...{ sender, turns, tryOut, readOutcomes, answerTexts, whyUnanswered },
  });

  async function judged(raw: RawBatch, caller: Caller): Promise<readonly Operation[]> {
    const { sentAt } = raw.head;
    const times = {
      receivedAt: now() - (performance.now() - caller.arrivedAt),
      sentAt: sentAt === undefined ? null : parseDateTime(sentAt)!.at,
    };
    const judging = judgeOperations(raw, caller.client, times, findSubjects);
    const operations = await judging.catch((error) => failUnjudged(error, raw, caller));
    return passDecided({ sender, readOutcomes }, operations, caller);
  }

  async function each(
    operations: readonly Operation[],
    { client, arrivedAt, res }: Caller,
  ): Promise<Result[]> {
    const sentNames = operations.flatMap((each) => ('request' in each ? itemIdOf(each.request) : []));
    const nameOf = await itemNames(new Set(sentNames));
    const tasks = operations.flatMap((operation): Task[] => {
      if ('refusal' in operation) return [];
      const { request, evidence, key } = operation;
      const make = (sentAt: number) =>
        sender.queued(request, {
          clientId: client.clientId,
          arrivedAt: sentAt,
          cameAt: arrivedAt,
          key: key ?? undefined,
          evidence,
        });
      const isBetween = warehousesOf(request).length > 1;
      return [{ itemId: nameOf(itemIdOf(request)), isBetween, make }];
    });
    const texts = answerTexts.open({ clientId: client.clientId, res });
    const options = { sender, turns, readOutcomes, texts };
    const running = runEach(options, client.clientId, tasks, arrivedAt);
    const { answers, unsent } = await running.finally(texts.end);
    const places = answers.keys();
    return operations.map((operation) => {
      if ('refusal' in operation) return refusedResult(operation.refusal);
      const place = places.next().value!;
      return resultOf(operation.request.kind, answers[place]!, unsent.has(place) ? notSent : notApplied);
    });
  }

  return {
    async batch(raw, caller, { wait, nameOperations }) {
      checkKeys(raw, caller.key);
      const { client } = caller;
      const limit = client.operationsPerMinute ?? operationLimit;
      // It exceeds the limit of a whole window, so waiting would not help.
      if (raw.operations.length > limit)
        throw new Refused(
          invalid({
            operations: [`must hold at most ${limit} operations, as many as may be sent in a minute.`],
          }),
        );
      const verdict = await limiter.take(client.clientId, limit, raw.operations.length);
      nameOperations(verdict);
      if (!verdict.allowed) return tooMany(`Rate limit exceeded: ${limit} operations per minute.`, verdict);
      const operations = await judged(raw, caller);
      if (raw.head.mode === 'atomic')
        return applyAtomic(operations, caller, raw.head.dryRun === true ? wait : null);
      const results = await each(operations, caller);
      const isReplayed = results.every(({ replayed }) => replayed);
      return batchReply('each', resultsText(operations, results), summaryOf(results), isReplayed);
    },
  };
}
