import type { SubmitResult } from '@inventory/queue/submit/submit';
import { whenUnanswered } from '@inventory/turns/ask-again';
import { Failed, messages, soonAgain } from '../http/errors.ts';
import type { AnsweredCall, UnreadAnswers } from '../http/unread-answers.ts';

/**
 * Reads large answers of transactions. Only Postgres stores their texts; the queue only reports the outcome.
 * So the outcome is known even if the text cannot be read.
 */
export type AnswerTexts = {
  /** Opens one call. The texts that it reads take room in memory until its answer is sent. */
  open(call: AnsweredCall): CallTexts;
};

export type CallTexts = {
  /**
   * Reads the JSON texts of the answers to these few requests. Returns null if there is no room for them in
   * time. Throws if Postgres does not answer.
   */
  read(requestIds: readonly string[]): Promise<ReadonlyMap<string, string> | null>;
  /** Reads the short texts that replace these answers when they are left out. */
  leftOut(requestIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Returns the answer with its text, or `unknown` if Postgres does not return the text. If there is no room
   * for the answer of a batch, throws Failed, which says that the batch was applied. The answer of a single
   * transaction is read even without room, because the rate limit counts each of them.
   */
  fill(answer: SubmitResult, of: 'batch' | 'single'): Promise<SubmitResult>;
  /** Releases all texts except those of the answer. Must be called, however the call ends. */
  end(): void;
};

export type AnswerReaders = Pick<CallTexts, 'leftOut'> & {
  read(requestIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
};

// The length that is reserved for an answer before it is read.
const expectedLength = 1024 * 1024;
// A batch that was applied is not kept waiting for its answer.
const roomWithinMs = 2000;

/** `readers` query Postgres. */
export function createAnswerTexts(readers: AnswerReaders, answers: UnreadAnswers): AnswerTexts {
  return {
    open(call) {
      const space = answers.spaceOf(call);
      let length = 0;
      let entered: Promise<boolean> | null = null;
      const hasGone = () => call.res.destroyed;

      async function read(requestIds: readonly string[]) {
        // The caller has gone.
        if (hasGone()) return null;
        entered ??= space.reserve(expectedLength, { until: performance.now() + roomWithinMs });
        const isIn = await entered;
        if (!isIn) entered = null;
        if (!isIn || hasGone()) return null;
        const texts = await readers.read(requestIds);
        for (const text of texts.values()) length += text.length;
        space.set(length);
        return texts;
      }

      return {
        read,
        leftOut: readers.leftOut,
        end: space.end,
        async fill(answer, of) {
          const under = underOf(answer);
          if (under === null) return answer;
          const readAnyway = () => (of === 'single' && !hasGone() ? readers.read([under]) : null);
          const texts = await read([under])
            .then((inRoom) => inRoom ?? readAnyway())
            .catch(whenUnanswered(new Map<string, string>()));
          // The caller has gone, so the text does not matter.
          if (texts === null && hasGone()) return filled(answer, '[]');
          if (texts === null) throw new Failed(503, messages.answerWaits, soonAgain, 'busy');
          const result = texts.get(under);
          return result === undefined ? unknownAnswer : filled(answer, result);
        },
      };
    },
  };
}

/**
 * Returns the request id under which Postgres stores the text of this answer, or null if the answer has its
 * text.
 */
export function underOf(answer: SubmitResult): string | null {
  return ('under' in answer && answer.under) || null;
}

/** Returns the answer with this text. */
export function filled({ under: _, ...answer }: SubmitResult & { under?: string }, result: string) {
  return { ...answer, result } as SubmitResult;
}

export const unknownAnswer: SubmitResult = { status: 'unknown', result: null };
