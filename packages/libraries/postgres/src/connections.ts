import { within } from '@inventory/process/within';
import { reach, type Sql } from './pool.ts';

/** One of the driver's pools with a single connection. `answeredAt`: of `performance.now()`; 0: never. */
export type Connection = { sql: Sql; answeredAt: number };

/** The connections of a pool, each of which serves one piece of work at a time. */
export type Connections = {
  /** A free connection, opened if there is none; null: enough are at work, or none may be opened. */
  take(): Connection | null;
  /** Takes back a connection that may be used again. */
  giveBack(connection: Connection): void;
  /** Closes a connection that must not be used again. `waitSeconds`: for what was sent on it. */
  drop(connection: Connection, waitSeconds: number): void;
  /**
   * Takes back a connection that is not open yet, and uses it once it is. Giving it up would cost a slow
   * server another login.
   */
  awaitOpening(connection: Connection, opening: Promise<unknown>): void;
  /** Lets another connection serve beside one whose work takes long. false: enough are suspect already. */
  suspect(connection: Connection): boolean;
  /** Takes idle connections out of use that have answered nothing since then, until they answer. */
  doubtIdle(since: number): void;
  counts(): { busy: number; idle: number; suspect: number };
  end(): Promise<void>;
};

export type ConnectionsOptions = {
  open: () => Sql;
  mayOpen: () => boolean;
  /** How many may be at work at once. */
  connectionsMax: number;
  /** How many more may be suspect. */
  suspectsMax: number;
  /** An idle connection that does not answer within this time is dead. */
  answerWithinMs: number;
  /** Called when a connection came back. */
  onBack: () => void;
};

const trimAfterMs = 10_000;

/**
 * A connection that turns out to be alive is used again, and closed only if there are too many once nothing
 * has been late for a while. Opening one takes a slow server longer than a statement: if each late answer
 * opened another connection, nothing would be answered in time any more.
 */
export function createConnections(options: ConnectionsOptions): Connections {
  const { open, mayOpen, connectionsMax, suspectsMax, answerWithinMs, onBack } = options;
  const idle: Connection[] = [];
  const inService = new Set<Connection>();
  const suspect = new Set<Connection>();
  let trimming: NodeJS.Timeout | undefined;
  let ended = false;

  function giveBack(connection: Connection) {
    if (suspect.delete(connection)) inService.add(connection);
    if (inService.size > connectionsMax) trimLater();
    if (!ended) idle.push(connection);
    onBack();
  }

  function drop(connection: Connection, waitSeconds: number) {
    suspect.delete(connection);
    inService.delete(connection);
    connection.sql.end({ timeout: waitSeconds }).catch(() => {});
    onBack();
  }

  function useAfter(connection: Connection, answer: Promise<unknown>) {
    // If enough are suspect, it keeps its place among those in service.
    if (suspect.size < suspectsMax && inService.delete(connection)) suspect.add(connection);
    answer.then(
      () => {
        connection.answeredAt = performance.now();
        giveBack(connection);
      },
      () => drop(connection, 0),
    );
  }

  function trimLater() {
    trimming ??= setTimeout(() => {
      trimming = undefined;
      if (suspect.size > 0) trimLater();
      else for (const each of idle.splice(0, inService.size - connectionsMax)) drop(each, 1);
    }, trimAfterMs).unref();
  }

  return {
    take() {
      if (inService.size - idle.length >= connectionsMax) return null;
      // The most recently used connection. So fewer are kept, each with its statements prepared, and the
      // others can be recognized as idle.
      const kept = idle.pop();
      if (kept !== undefined) return kept;
      if (!mayOpen()) return null;
      const opened = { sql: open(), answeredAt: 0 };
      inService.add(opened);
      return opened;
    },
    giveBack,
    drop,
    awaitOpening(connection, opening) {
      useAfter(connection, opening);
      onBack();
    },
    suspect(connection) {
      if (suspect.size >= suspectsMax) return false;
      inService.delete(connection);
      suspect.add(connection);
      return true;
    },
    doubtIdle(since) {
      for (const each of idle.filter(({ answeredAt }) => answeredAt < since)) {
        // Enough are doubted: Postgres is slow.
        if (suspect.size >= suspectsMax) return;
        idle.splice(idle.indexOf(each), 1);
        useAfter(each, within(answerWithinMs, reach(each.sql)));
      }
    },
    counts: () => ({ busy: inService.size - idle.length, idle: idle.length, suspect: suspect.size }),
    async end() {
      ended = true;
      clearTimeout(trimming);
      await Promise.all([...inService, ...suspect].map(({ sql }) => sql.end({ timeout: 5 })));
    },
  };
}
