import { EventEmitter } from 'node:events';
import { type AnsweredCall, createUnreadAnswers } from '@inventory/api/http/unread-answers';
import type { AnswerReaders, CallTexts } from '@inventory/api/stock/answer-texts';
import { createAnswerTexts } from '@inventory/api/stock/answer-texts';
import { leftOutText } from '@inventory/domain/stock/left-out';

/** Reads answers by request id from this map instead of Postgres. */
export function readersOf(answers: ReadonlyMap<string, string>): AnswerReaders {
  const some = (requestIds: readonly string[], textOf: (answer: string) => string) =>
    new Map(
      requestIds.flatMap((requestId) => {
        const answer = answers.get(requestId);
        return answer === undefined ? [] : [[requestId, textOf(answer)] as const];
      }),
    );
  return {
    read: async (requestIds) => some(requestIds, (answer) => answer),
    leftOut: async (requestIds) =>
      some(requestIds, (answer) => leftOutText(JSON.parse(answer).transactionNo as number)),
  };
}

/** The way of an answer, which `close` ends as sent or given up; notes whether it was cut. */
export function answerWay() {
  const events = new EventEmitter();
  const way = {
    destroyed: false,
    once: events.once.bind(events),
    destroy() {
      way.destroyed = true;
      events.emit('close');
    },
    close() {
      // As in Node, also after it was sent.
      way.destroyed = true;
      events.emit('close');
    },
  };
  return way as typeof way & AnsweredCall['res'];
}

/** The large answers of a call that knows these. */
export function callTexts(answers: ReadonlyMap<string, string> = new Map()): CallTexts {
  return createAnswerTexts(readersOf(answers), createUnreadAnswers()).open({
    clientId: 'client',
    res: answerWay(),
  });
}
