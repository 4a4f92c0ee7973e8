import type { ServerResponse } from 'node:http';
import type { SubmitResult } from '@inventory/queue/submit/submit';
import { Failed, messages, soonAgain } from '../http/errors.ts';
import { type BodyRoom, type BodyRoomOptions, createBodyRoom } from '../http/reading/body-room.ts';
import { whenUnanswered } from '../turns/insist.ts';

/**
 * Reads large answers of transactions. Only Postgres stores their texts; the queue only reports the outcome.
 * So the outcome is known even if the text cannot be read.
 */
export type AnswerTexts = {
  /** Opens one call. The texts that it reads take room in memory until its answer is sent. */
  open(call: AnsweredCall): CallTexts;
};

/** A client's call. `res`: the response that answers it. */
export type AnsweredCall = { clientId: string; res: Pick<ServerResponse, 'once' | 'destroyed' | 'destroy'> };

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
  /** Releases all texts except those of the answer. Must be called once, however the call ends. */
  end(): void;
};

export type AnswerReaders = Pick<CallTexts, 'leftOut'> & {
  read(requestIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
};

/**
 * Limits for answers that are read but not yet sent, in characters: for all clients and for one. While it is
 * sent, each answer is in memory twice.
 */
const answerRoomOptions: BodyRoomOptions = {
  total: 64 * 1024 * 1024,
  perClient: 16 * 1024 * 1024,
  waitMs: 2000,
};
// The length that is reserved for an answer before it is read.
const expectedLength = 1024 * 1024;
// A caller that has not read its answer by then is disconnected, so that others get the room.
const sentWithinMs = 30_000;

/** `readers` query Postgres. */
export function createAnswerTexts(
  readers: AnswerReaders,
  room: BodyRoom = createBodyRoom(answerRoomOptions),
): AnswerTexts {
  return {
    open(call) {
      let length = 0;
      let entered: Promise<(() => void) | null> | null = null;
      let leave = () => {};
      let isOver = false;
      const hasGone = () => call.res.destroyed;
      // A call that is still running keeps its texts in memory, even if the caller has gone. So it keeps its
      // room.
      const leaveIfDone = () => {
        if (isOver && hasGone()) leave();
      };

      /** Reserves room for the call. Returns a function that updates the reserved length. */
      async function enter() {
        const visit = room.enter(call.clientId, expectedLength);
        leave = visit.leave;
        call.res.once('close', leaveIfDone);
        if (await visit.admitted) return () => visit.resize(length);
        leave();
        entered = null;
        return null;
      }

      async function read(requestIds: readonly string[]) {
        // The caller has gone.
        if (hasGone()) return null;
        entered ??= enter();
        const note = await entered;
        if (note === null || hasGone()) return null;
        const texts = await readers.read(requestIds);
        for (const text of texts.values()) length += text.length;
        note();
        return texts;
      }

      return {
        read,
        leftOut: readers.leftOut,
        end() {
          isOver = true;
          leaveIfDone();
          if (entered === null || hasGone()) return;
          const timer = setTimeout(() => call.res.destroy(), sentWithinMs);
          call.res.once('close', () => clearTimeout(timer));
        },
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
