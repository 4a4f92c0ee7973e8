import type { ServerResponse } from 'node:http';
import type { Wait } from '@inventory/postgres/statement-pool';
import { createFairRoom, type FairRoom, type Visit } from '@inventory/turns/fair-room';

/**
 * Bounds the bytes of all answers that their callers have not read yet: one budget for the process, and one
 * for each client. Over it, the next costly call waits, or is refused before its work.
 */
export type UnreadAnswers = {
  /**
   * Whether an answer of this size needs a space before its work. Up to 16 KiB, only if the client has used
   * up its own.
   */
  needsRoom(clientId: string, bytes: number): boolean;
  /** The space of the answer to a client's call; the same for the same response. */
  spaceOf(call: AnsweredCall): AnswerSpace;
  /** The same, if there is one already. */
  find(res: AnsweredCall['res']): AnswerSpace | undefined;
  /** The bytes that are reserved or unread. */
  bytes(): number;
  /** How many calls wait for room. */
  waitingCount(): number;
};

/** A client's call. `res`: the response that answers it. */
export type AnsweredCall = { clientId: string; res: Pick<ServerResponse, 'once' | 'destroyed' | 'destroy'> };

/** The share of an answer in the budget, from before its work until its caller has read it or gone. */
export type AnswerSpace = {
  /** Reserves this many bytes more. False: there was no room in time, or the caller has gone. */
  reserve(bytes: number, wait?: Partial<Wait>): Promise<boolean>;
  /**
   * Puts the answer's real size in place of the reserved one. Bytes that several answers share count once.
   */
  set(taken: number | Buffer): void;
  /** Notes that the work is done: from now on, the answer's space ends with its connection. */
  end(): void;
};

export type UnreadAnswersOptions = {
  /** Bytes of all clients and of one. The last answer let in may exceed either. */
  total: number;
  perClient: number;
  waitMs: number;
};

const unreadAnswersOptions: UnreadAnswersOptions = {
  total: 64 * 1024 * 1024,
  perClient: 8 * 1024 * 1024,
  // As long as a list waits for its turn.
  waitMs: 6000,
};
/**
 * Most answers are smaller than this. They are made without a question, and the socket takes them at once.
 */
export const smallAnswerBytes = 16 * 1024;
// A caller that has not read its answer by then gives way if others need the room. Node ends a connection
// that takes nothing for as long.
const readWithinMs = 30_000;

export function createUnreadAnswers({
  total,
  perClient,
  waitMs,
}: UnreadAnswersOptions = unreadAnswersOptions): UnreadAnswers {
  const room = createFairRoom({
    total: () => total,
    may: (_clientId, bytes) => bytes < perClient,
    waitMs,
  });
  const spaces = new WeakMap<AnsweredCall['res'], AnswerSpace>();
  const late = new Set<AnsweredCall>();

  const budget: Budget = { room, share: shareVisits(), late, makeRoom };

  /** Ends the connections of those that read too slowly, if others wait. */
  function makeRoom() {
    if (room.waitingCount() === 0) return;
    for (const { clientId, res } of late) {
      if (room.waitingOf(clientId) > 0 || room.used() >= total) res.destroy();
    }
  }

  return {
    needsRoom: (clientId, bytes) => bytes > smallAnswerBytes || room.usedOf(clientId) >= perClient,
    find: (res) => spaces.get(res),
    spaceOf(call) {
      const found = spaces.get(call.res);
      if (found !== undefined) return found;
      const space = createSpace(call, budget);
      spaces.set(call.res, space);
      return space;
    },
    bytes: room.used,
    waitingCount: room.waitingCount,
  };
}

/** `late`: those whose callers have not read them in time. `makeRoom`: ends these if others wait. */
type Budget = {
  room: FairRoom;
  share: ReturnType<typeof shareVisits>;
  late: Set<AnsweredCall>;
  makeRoom: () => void;
};

function createSpace(call: AnsweredCall, { room, share, late, makeRoom }: Budget): AnswerSpace {
  const { clientId, res } = call;
  const visits = new Set<Visit>();
  let release: (() => void) | null = null;
  let isWorking = true;
  let timer: NodeJS.Timeout | undefined;

  function leave() {
    for (const visit of visits) visit.leave();
    visits.clear();
    release?.();
    release = null;
  }
  function watch() {
    clearTimeout(timer);
    late.delete(call);
    if (isWorking || res.destroyed || (visits.size === 0 && release === null)) return;
    timer = setTimeout(() => {
      late.add(call);
      makeRoom();
    }, readWithinMs);
  }
  // Work that goes on keeps its bytes in memory, even if the caller has gone.
  function leaveIfDone() {
    watch();
    if (!isWorking) leave();
  }
  res.once('close', leaveIfDone);

  return {
    async reserve(bytes, wait = {}) {
      if (res.destroyed) return false;
      const visit = room.enter(clientId, bytes, wait);
      visits.add(visit);
      makeRoom();
      if (await visit.admitted) return true;
      visits.delete(visit);
      return false;
    },
    set(taken) {
      const bytes = typeof taken === 'number' ? taken : taken.length;
      const isHeld = bytes > 0 && (isWorking || !res.destroyed);
      const take = () => room.take(clientId, bytes);
      // Taken before the rest is left, or others would come in between.
      const next = isHeld ? (typeof taken === 'number' ? take().leave : share(taken, take)) : null;
      leave();
      release = next;
      watch();
    },
    end() {
      isWorking = false;
      if (res.destroyed) leave();
      watch();
    },
  };
}

/** Counts bytes that several answers share once, until the last of these has been read. */
function shareVisits() {
  const shared = new Map<Buffer, { visit: Visit; holders: number }>();
  return (bytes: Buffer, take: () => Visit): (() => void) => {
    const held = shared.get(bytes) ?? { visit: take(), holders: 0 };
    shared.set(bytes, held);
    held.holders += 1;
    return () => {
      held.holders -= 1;
      if (held.holders > 0) return;
      shared.delete(bytes);
      held.visit.leave();
    };
  };
}
