import type { Wait } from '@inventory/db/statement-pool';
import { Failed, messages } from '../errors.ts';
import { createFairRoom, type FairRoom } from '../fair-room.ts';

/**
 * What a list is beside others: `cheap` ones never wait for `costly` ones, which keep a processor busy, nor
 * for `streamed` ones, which last as long as their reader takes.
 */
export type TurnKind = 'cheap' | 'costly' | 'streamed';

export type ListTurns = {
  /**
   * Waits for this client's turn and returns how to end it. Throws Failed with 503 when it has waited too
   * long, when too many wait, or when its caller has gone.
   */
  take(clientId: string, kind: TurnKind, wait: Wait): Promise<() => void>;
  /** How many lists wait now. */
  waitingCount(): number;
};

export type ListTurnsOptions = {
  /** Of one client, of all kinds. */
  perClient: number;
  /**
   * Of one kind: of one client, and of all clients together. A client's costly and streamed ones must leave
   * it a cheap one.
   */
  kinds: Record<TurnKind, { perClient: number; total: number }>;
  waitMs: number;
  /** How many lists of one client may wait. */
  waitingPerClient: number;
  /** How many lists may wait. */
  waitingTotal: number;
};

const listTurnsOptions: ListTurnsOptions = {
  perClient: 3,
  kinds: {
    cheap: { perClient: 3, total: Number.POSITIVE_INFINITY },
    costly: { perClient: 1, total: 2 },
    streamed: { perClient: 1, total: 4 },
  },
  waitMs: 6000,
  waitingPerClient: 100,
  waitingTotal: 5000,
};

// Until a costly list has had its turn, more of them help nobody.
const retryAfterSeconds = { cheap: '1', costly: '5', streamed: '30' };

/**
 * Turns of lists, fair between clients: one that asks for many waits for its own, and others go in between.
 */
export function createListTurns(options: ListTurnsOptions = listTurnsOptions): ListTurns {
  const roomOf = (kind: TurnKind): FairRoom => {
    const { total, perClient } = options.kinds[kind];
    return createFairRoom({
      total: () => total,
      may: (clientId, own) => own < perClient && sum((room) => room.usedOf(clientId)) < options.perClient,
      waitMs: options.waitMs,
      // Its client's next ones of any kind.
      onRoom: () => {
        for (const room of rooms) room.serve();
      },
    });
  };
  const kinds = { cheap: roomOf('cheap'), costly: roomOf('costly'), streamed: roomOf('streamed') };
  const rooms = Object.values(kinds);
  const sum = (count: (room: FairRoom) => number) => rooms.reduce((total, room) => total + count(room), 0);
  const waitingCount = () => sum((room) => room.waitingCount());

  return {
    async take(clientId, kind, wait) {
      const turn = kinds[kind].enter(clientId, 1, wait);
      const isTooMany =
        sum((room) => room.waitingOf(clientId)) > options.waitingPerClient ||
        waitingCount() > options.waitingTotal;
      if (isTooMany) turn.leave();
      if (await turn.admitted) return turn.leave;
      throw new Failed(503, messages.unavailable, { 'Retry-After': retryAfterSeconds[kind] });
    },
    waitingCount,
  };
}
