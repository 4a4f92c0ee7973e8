import type { Wait } from '@inventory/postgres/statement-pool';
import { createFairRoom, type FairRoom } from '@inventory/turns/fair-room';
import { Failed, messages } from '../http/errors.ts';

/**
 * How a list affects others. `cheap` lists never wait for `costly` ones, which keep a core busy, or for
 * `streamed` ones, which last as long as their reader takes.
 */
export type TurnKind = 'cheap' | 'costly' | 'streamed';

export type ListTurns = {
  /**
   * Waits for this client's turn. Returns a function that ends it. Throws Failed with 503 if the wait is too
   * long, too many lists wait, or the caller has gone.
   */
  take(clientId: string, kind: TurnKind, wait: Wait): Promise<() => void>;
  /** The number of lists that wait now. */
  waitingCount(): number;
};

export type ListTurnsOptions = {
  /** Turns of one client, over all kinds. */
  perClient: number;
  /**
   * Turns of one kind: for one client, and for all clients together. A client's costly and streamed lists
   * must leave it a turn for a cheap one.
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

// A retry of a costly list helps only once the waiting ones have had their turn.
const retryAfterSeconds = { cheap: '1', costly: '5', streamed: '30' };

/**
 * Turns of lists, fair between clients: a client's lists wait for each other, and other clients' lists go in
 * between.
 */
export function createListTurns(options: ListTurnsOptions = listTurnsOptions): ListTurns {
  const roomOf = (kind: TurnKind): FairRoom => {
    const { total, perClient } = options.kinds[kind];
    return createFairRoom({
      total: () => total,
      may: (clientId, own) => own < perClient && sum((room) => room.usedOf(clientId)) < options.perClient,
      waitMs: options.waitMs,
      // A turn that ends makes room for the client's lists of any kind.
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
