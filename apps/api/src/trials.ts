import type { Sql } from '@inventory/db/client';
import { NeverBegunError, type StatementPool, type Wait } from '@inventory/db/statement-pool';
import { addCount } from './add-count.ts';
import { createFairLine } from './fair-line.ts';

/** The dry runs of all clients, on connections of their own. */
export type Trials = {
  /**
   * Runs a dry run of this client when its turn has come, and ends or fails as the pool's work does; throws
   * NeverBegunError when its turn does not come in time, or when its caller has gone.
   */
  run<T>(clientId: string, work: (sql: Sql) => Promise<T>, wait: Wait): Promise<T>;
  /** How many wait for a turn or a connection now. */
  waitingCount(): number;
};

export type TrialsOptions = {
  /** How many have a turn at once: as many as the pool has connections. */
  connectionsMax: number;
  /** How long one waits for its turn. */
  waitMs: number;
  /** When the pool takes work for one that hangs. */
  overrunMs: number;
};

type Waiting = { begin: () => void; leave: () => void; hasGone: () => boolean };

// A caller who finds so many before it is told at once, as by the pool.
const waitingMax = 5000;

/**
 * Clients take turns at these connections, however many dry runs each of them sends. A client that is alone
 * may have all of them; a client that has none goes before one that has, so it waits for a single turn.
 */
export function createTrials(
  pool: Pick<StatementPool, 'run' | 'waitingCount'>,
  { connectionsMax, waitMs, overrunMs }: TrialsOptions,
): Trials {
  const line = createFairLine<Waiting>();
  const underWay = new Map<string, number>();
  let count = 0;

  function begin(clientId: string): () => void {
    count += 1;
    addCount(underWay, clientId, 1);
    let ended = false;
    const end = () => {
      if (ended) return;
      ended = true;
      clearTimeout(overrun);
      count -= 1;
      addCount(underWay, clientId, -1);
      serve();
    };
    // Its connection may be dead. The pool opens another one in its place, and others go on there.
    const overrun = setTimeout(end, overrunMs);
    return end;
  }

  function serve() {
    while (count < connectionsMax) {
      const next = line.next((clientId) => !underWay.has(clientId)) ?? line.next();
      if (next === undefined) return;
      if (next.hasGone()) next.leave();
      else next.begin();
    }
  }

  function waitForTurn(clientId: string, wait: Wait): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const refuse = () => reject(new NeverBegunError('no turn of a dry run came in time'));
      if (line.size() >= waitingMax || wait.hasGone()) return refuse();
      const remove = () => {
        clearTimeout(timer);
        forget?.();
        leaveLine();
      };
      const entry: Waiting = {
        hasGone: wait.hasGone,
        begin() {
          remove();
          resolve(begin(clientId));
        },
        leave() {
          remove();
          refuse();
        },
      };
      const timer = setTimeout(entry.leave, Math.min(waitMs, wait.until - performance.now()));
      const leaveLine = line.join(clientId, entry);
      const forget = wait.onGone?.(entry.leave);
    });
  }

  return {
    async run(clientId, work, wait) {
      const end = count < connectionsMax ? begin(clientId) : await waitForTurn(clientId, wait);
      try {
        return await pool.run(work, wait);
      } finally {
        end();
      }
    },
    waitingCount: () => line.size() + pool.waitingCount(),
  };
}
