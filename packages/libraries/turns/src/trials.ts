import type { Sql } from '@inventory/postgres/pool';
import { NeverBegunError, type StatementPool, type Wait } from '@inventory/postgres/statement-pool';
import { createFairRoom } from './fair-room.ts';

/** Runs the dry runs of all clients on connections of their own. */
export type Trials = {
  /**
   * Runs a dry run when it is this client's turn. It ends or fails like any work of the pool. Throws
   * NeverBegunError if the turn does not come in time or the caller has gone.
   */
  run<T>(clientId: string, work: (sql: Sql) => Promise<T>, wait: Wait): Promise<T>;
  /** The number of dry runs that wait for a turn or a connection. */
  waitingCount(): number;
};

export type TrialsOptions = {
  /** The number of turns at once: one for each connection of the pool. */
  connectionsMax: number;
  /** How long a dry run waits for its turn. */
  waitMs: number;
  /** When the pool treats work as hanging. */
  overrunMs: number;
};

// If this many wait already, a caller is refused at once, as by the pool.
const waitingMax = 5000;

/**
 * Clients take turns at these connections, however many dry runs each sends. A client that is alone may use
 * all of them. A client without a turn goes before a client that has one, so it waits for one turn only.
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
      // The connection may be dead. The pool opens another one in its place, so the next turn can begin.
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
