import type { Wait } from '@inventory/db/statement-pool';
import { addCount } from '../add-count.ts';
import { Failed, messages } from '../errors.ts';
import { createFairLine, type FairLine } from '../fair-line.ts';

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

type Waiting = { begin: () => void; hasGone: () => boolean; leave: () => void };
type Kind = {
  underWay: number;
  underWayOf: Map<string, number>;
  line: FairLine<Waiting>;
};

/**
 * Turns of lists, fair between clients: one that asks for many waits for its own, and others go in between.
 */
export function createListTurns(options: ListTurnsOptions = listTurnsOptions): ListTurns {
  const underWay = new Map<string, number>();
  const newKind = (): Kind => ({ underWay: 0, underWayOf: new Map(), line: createFairLine() });
  const kinds: Record<TurnKind, Kind> = { cheap: newKind(), costly: newKind(), streamed: newKind() };
  const waitingCount = () => Object.values(kinds).reduce((sum, { line }) => sum + line.size(), 0);
  const waitingOf = (clientId: string) =>
    Object.values(kinds).reduce((sum, { line }) => sum + line.sizeOf(clientId), 0);

  function mayBegin(clientId: string, kind: TurnKind): boolean {
    const limit = options.kinds[kind];
    return (
      kinds[kind].underWay < limit.total &&
      (kinds[kind].underWayOf.get(clientId) ?? 0) < limit.perClient &&
      (underWay.get(clientId) ?? 0) < options.perClient
    );
  }

  function begin(clientId: string, kind: TurnKind): () => void {
    kinds[kind].underWay += 1;
    addCount(kinds[kind].underWayOf, clientId, 1);
    addCount(underWay, clientId, 1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      kinds[kind].underWay -= 1;
      addCount(kinds[kind].underWayOf, clientId, -1);
      addCount(underWay, clientId, -1);
      // Its own next ones of any kind, and for a kind with a total those of others.
      for (const each of Object.keys(kinds) as TurnKind[]) serve(each);
    };
  }

  function serve(kind: TurnKind) {
    const { line } = kinds[kind];
    const may = (clientId: string) => mayBegin(clientId, kind);
    for (let next = line.next(may); next !== undefined; next = line.next(may)) {
      if (next.hasGone()) next.leave();
      else next.begin();
    }
  }

  function waitForTurn(clientId: string, kind: TurnKind, wait: Wait): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const refuse = () =>
        reject(new Failed(503, messages.unavailable, { 'Retry-After': retryAfterSeconds[kind] }));
      if (waitingOf(clientId) >= options.waitingPerClient || waitingCount() >= options.waitingTotal) {
        refuse();
        return;
      }
      const remove = () => {
        clearTimeout(timer);
        forget?.();
        leaveLine();
      };
      const entry: Waiting = {
        hasGone: wait.hasGone,
        begin: () => {
          remove();
          resolve(begin(clientId, kind));
        },
        leave: () => {
          remove();
          refuse();
        },
      };
      const timer = setTimeout(entry.leave, Math.min(options.waitMs, wait.until - performance.now()));
      const leaveLine = kinds[kind].line.join(clientId, entry);
      const forget = wait.onGone?.(entry.leave);
    });
  }

  return {
    async take(clientId, kind, wait) {
      if (kinds[kind].line.sizeOf(clientId) === 0 && mayBegin(clientId, kind)) return begin(clientId, kind);
      return waitForTurn(clientId, kind, wait);
    },
    waitingCount,
  };
}
