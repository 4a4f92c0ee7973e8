import type { ServerResponse } from 'node:http';
import type { SubmitResult } from '@inventory/queue/submit';
import { type BodyRoom, type BodyRoomOptions, createBodyRoom } from './body-room.ts';
import { Failed, messages, soonAgain } from './errors.ts';
import { whenUnanswered } from './insist.ts';

/**
 * Large answers of transactions, which Postgres alone has. What was decided is known before they are read,
 * and so that is never in doubt for the size of an answer.
 */
export type AnswerTexts = {
  /** For one call of a client; what it reads has its room in memory until the call's answer is sent. */
  open(call: AnsweredCall): CallTexts;
};

/** A call whose answer goes to this client by `res`. */
export type AnsweredCall = { clientId: string; res: Pick<ServerResponse, 'once' | 'destroyed' | 'destroy'> };

export type CallTexts = {
  /**
   * The JSON texts of the answers under these request ids, a few; null when there is no room for them in
   * time. Throws when Postgres does not answer.
   */
  read(requestIds: readonly string[]): Promise<ReadonlyMap<string, string> | null>;
  /** What stands for the answers under these request ids where they are not told. */
  leftOut(requestIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * The same answer with its text; `unknown` when Postgres does not give it. Throws Failed, which says that
   * it was applied, when there is no room for the answer of a batch. That of a single transaction is read
   * then all the same: each of them counts as a call.
   */
  fill(answer: SubmitResult, of: 'batch' | 'single'): Promise<SubmitResult>;
  /** The call holds no texts any more but those of its answer. To be called once, however it ends. */
  end(): void;
};

export type AnswerReaders = Pick<CallTexts, 'leftOut'> & {
  read(requestIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
};

/**
 * Characters of answers that are read and not yet sent: of all clients, and of one. On their way each is
 * there twice.
 */
const answerRoomOptions: BodyRoomOptions = {
  total: 64 * 1024 * 1024,
  perClient: 16 * 1024 * 1024,
  waitMs: 2000,
};
// What an answer counts before it is read.
const expectedLength = 1024 * 1024;
// Who does not take its answer by then lets others have the room.
const sentWithinMs = 30_000;

/** `readers` ask Postgres. */
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
      // What a call that goes on has read is there, whether its caller is or not.
      const leaveIfDone = () => {
        if (isOver && hasGone()) leave();
      };

      /** Takes the call's place in the room; returns how to note that it has more. */
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
        // Nobody would read them.
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
          // Nobody sees it.
          if (texts === null && hasGone()) return filled(answer, '[]');
          if (texts === null) throw new Failed(503, messages.answerWaits, soonAgain, 'busy');
          const result = texts.get(under);
          return result === undefined ? unknownAnswer : filled(answer, result);
        },
      };
    },
  };
}

/** Under which request id Postgres has the text of this answer; null when it is here. */
export function underOf(answer: SubmitResult): string | null {
  return ('under' in answer && answer.under) || null;
}

/** An answer whose text is this. */
export function filled({ under: _, ...answer }: SubmitResult & { under?: string }, result: string) {
  return { ...answer, result } as SubmitResult;
}

export const unknownAnswer: SubmitResult = { status: 'unknown', result: null };
