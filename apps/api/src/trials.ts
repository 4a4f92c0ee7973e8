import type { Sql } from '@inventory/db/pool';
import { NeverBegunError, type StatementPool, type Wait } from '@inventory/db/statement-pool';
import { createFairRoom } from './fair-room.ts';

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
  const room = createFairRoom({ total: () => connectionsMax, waitMs, freshFirst: true });
  return {
    async run(clientId, work, wait) {
      const turn = room.enter(clientId, 1, wait);
      if (room.waitingCount() > waitingMax) turn.leave();
      if (!(await turn.admitted)) throw new NeverBegunError('no turn of a dry run came in time');
      // Its connection may be dead. The pool opens another one in its place, and others go on there.
      const overrun = setTimeout(turn.leave, overrunMs);
      try {
        return await pool.run(work, wait);
      } finally {
        clearTimeout(overrun);
        turn.leave();
      }
    },
    waitingCount: () => room.waitingCount() + pool.waitingCount(),
  };
}
