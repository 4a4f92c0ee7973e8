import { readTogetherMax } from '@inventory/db/requests/large-answers';
import { leaveOut, toldLengthMax } from '@inventory/domain/stock/left-out';
import { isUnanswered } from '@inventory/postgres/pool';
import type { SubmitResult } from '@inventory/queue/submit/submit';
import { whenUnanswered } from '@inventory/turns/ask-again';
import { type CallTexts, filled, underOf, unknownAnswer } from '../answer-texts.ts';

/**
 * Limits the size of a batch's answer, whatever its operations return and however often a key is repeated in
 * it.
 */
export type AnswerRoom = {
  /**
   * Returns the answer with its text, or with a short text once large answers have filled the room. `unknown`
   * if Postgres returns neither.
   */
  keep(answer: SubmitResult): Promise<SubmitResult>;
  isFull(): boolean;
};

type Waiting = {
  under: string;
  resolve: (text: string | null) => void;
  reject: (error: unknown) => void;
};

/** Room for this many characters of large answers. They are read a few at a time, each once. */
export function createAnswerRoom(texts: CallTexts, lengthMax = toldLengthMax): AnswerRoom {
  const waiting: Waiting[] = [];
  const large = new Map<string, string>();
  let length = 0;
  let isServing = false;
  const isFull = () => length > lengthMax;

  /** Reserves room for a text. Returns false if it does not fit. */
  function take(text: string): boolean {
    length += text.length;
    return !isFull();
  }

  async function textsOf(some: readonly Waiting[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const unread = new Set(some.map(({ under }) => under).filter((under) => !large.has(under)));
    if (unread.size === 0) return found;
    // If Postgres does not return texts in time, all further answers get their short text: each of them would
    // take as long.
    const read = isFull() ? null : await texts.read([...unread]).catch(whenUnanswered(null));
    if (read === null) length = Number.POSITIVE_INFINITY;
    return new Map(read ?? (await texts.leftOut([...unread])));
  }

  async function answer(some: readonly Waiting[]): Promise<void> {
    const found = await textsOf(some);
    for (const { under, resolve } of some) {
      const text = large.get(under) ?? found.get(under);
      if (text === undefined) resolve(null);
      else if (take(text)) {
        large.set(under, text);
        resolve(text);
      } else resolve(leaveOut(text));
    }
  }

  async function serve() {
    isServing = true;
    while (waiting.length > 0) {
      const some = waiting.splice(0, isFull() ? waiting.length : readTogetherMax);
      await answer(some).catch((error) => {
        for (const { resolve, reject } of some) {
          if (isUnanswered(error)) resolve(null);
          else reject(error);
        }
      });
    }
    isServing = false;
  }

  return {
    async keep(answer) {
      const under = underOf(answer);
      if (under === null) return answer;
      const text = await new Promise<string | null>((resolve, reject) => {
        waiting.push({ under, resolve, reject });
        if (!isServing) void serve();
      });
      return text === null ? unknownAnswer : filled(answer, text);
    },
    isFull,
  };
}
