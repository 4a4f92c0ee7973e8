import { PlainError } from '@inventory/process/plain-error';
import { openConnection, type SingleConnection, type Sql, type Tx } from '../pool.ts';

/**
 * The end of a batch's work: its result, and the statement of its writes, sent (`execute`) and not waited
 * for; null: none.
 */
export type BatchWork<T> = { result: T; write: PromiseLike<unknown> | null };

/**
 * The connections of batches: a pool, and connections of their own, each with the next transaction begun
 * before there is work for it.
 */
export type BatchPool = {
  /** For what runs beside the batches' transactions. */
  sql: Sql;
  /**
   * Runs `work` inside one database transaction, and rolls it back when it throws or its write fails. The
   * commit goes out behind the write without waiting for it: the way to Postgres and back is most of what a
   * lone request costs. That is safe because Postgres takes a commit behind a failed statement as a rollback,
   * and says so. Rejects also when the connection closes; the transaction may be committed all the same if
   * that was after its write was sent.
   */
  transaction<T>(work: (tx: Tx) => Promise<BatchWork<T>>): Promise<T>;
  /** Its own connections: those that work, and those with a transaction begun or none. */
  counts(): { busy: number; idle: number };
  /** Has told when those of its own that work now have closed; null: none does. */
  untilDone(): ((tell: () => void) => void) | null;
  /**
   * Closes the connections of its own, `timeout` seconds at most after they were asked to finish; `sql` stays
   * its opener's.
   */
  end(options: { timeout: number }): Promise<void>;
};

// Longer than a busy caller takes for its next request, and well within what Postgres lets a transaction
// idle. Meanwhile it holds neither a lock nor a snapshot: whatever it reads later is as of then.
const keptMs = 250;

/**
 * The transactions run on connections of their own, opened as `sql` opens its: as many as there are
 * transactions at once.
 */
export function createBatchPool(sql: Sql): BatchPool {
  const connections = new Set<BatchConnection>();
  const idle: BatchConnection[] = [];
  let ended = false;

  async function open(): Promise<BatchConnection> {
    const connection = await openBatchConnection(sql);
    if (ended) {
      await connection.end({ timeout: 0 });
      throw Object.assign(new PlainError('the pool has ended'), { code: 'CONNECTION_ENDED' });
    }
    connections.add(connection);
    return connection;
  }

  async function take(): Promise<BatchConnection> {
    for (;;) {
      const connection = idle.pop() ?? (await open());
      if (connection.isOpen()) return connection;
      connections.delete(connection);
    }
  }

  return {
    sql,
    async transaction(work) {
      const connection = await take();
      try {
        const result = await connection.transaction(work);
        if (!ended) connection.beginNext();
        return result;
      } finally {
        if (connection.isOpen() && !ended) idle.push(connection);
        else {
          connections.delete(connection);
          // One that was busy when the pool ended.
          void connection.end({ timeout: 0 });
        }
      }
    },
    counts: () => ({ busy: connections.size - idle.length, idle: idle.length }),
    untilDone() {
      const busy = [...connections].filter((connection) => !idle.includes(connection));
      if (busy.length === 0) return null;
      let left = busy.length;
      return (tell) => {
        for (const { onClosed } of busy) {
          onClosed(() => {
            left -= 1;
            if (left === 0) tell();
          });
        }
      };
    },
    async end(options) {
      ended = true;
      await Promise.all([...connections].map((connection) => connection.end(options)));
    },
  };
}

type BatchConnection = {
  isOpen(): boolean;
  onClosed: SingleConnection['onClosed'];
  transaction<T>(work: (tx: Tx) => Promise<BatchWork<T>>): Promise<T>;
  /** Begins a transaction for work that is expected soon, and ends it when none comes. */
  beginNext(): void;
  end(options: { timeout: number }): Promise<void>;
};

// A backend whose client has gone stops waiting for a lock, or working, this soon; 0 where the server cannot
// tell.
const checkClientMs = 250;

async function openBatchConnection(sql: Sql): Promise<BatchConnection> {
  const connection = await openConnection(sql);
  const { tx } = connection;
  await untilClosed(
    connection,
    // Some systems cannot do it: then a statement's own limit of time must do.
    tx.unsafe(`set client_connection_check_interval = ${checkClientMs}`).catch(() => {}),
  );
  let begun: Promise<unknown> | null = null;
  let timer: NodeJS.Timeout | undefined;

  function begin(): Promise<unknown> {
    // By the simple protocol and named in full: whatever the database's defaults are.
    begun = tx.unsafe('begin isolation level read committed').execute();
    begun.catch(() => {});
    return begun;
  }

  function takeBegun(): Promise<unknown> {
    clearTimeout(timer);
    const taken = begun ?? begin();
    begun = null;
    return taken;
  }

  function drop() {
    clearTimeout(timer);
    if (begun === null) return;
    begun = null;
    tx.unsafe('commit')
      .execute()
      .catch(() => {});
  }

  async function rollBack(error: unknown): Promise<never> {
    // One that cannot be rolled back is of no more use, whatever the reason.
    await untilClosed(connection, tx.unsafe('rollback')).catch(() => connection.end({ timeout: 0 }));
    throw error;
  }

  return {
    isOpen: () => !connection.isClosed(),
    onClosed: connection.onClosed,
    async transaction(work) {
      const begin = takeBegun();
      const worked = work(tx);
      // Whichever fails first is told, the connection's end perhaps; the others are nobody's.
      const written = worked.then(({ write }) => write);
      written.catch(() => {});
      const { result } = await untilClosed(connection, worked).catch(rollBack);
      const committed = tx.unsafe('commit').execute();
      committed.catch(() => {});
      await untilClosed(connection, Promise.all([begin, written])).catch(rollBack);
      const { command } = await untilClosed(connection, committed);
      if (command !== 'COMMIT') throw new PlainError(`a commit was answered ${command}`);
      return result;
    },
    beginNext() {
      begin();
      timer = setTimeout(drop, keptMs);
      timer.unref();
    },
    async end(options) {
      drop();
      await connection.end(options);
    },
  };
}

/**
 * The result of `promise`, or the connection's end: the driver leaves some of the promises that wait on it
 * without an answer.
 */
function untilClosed<T>(connection: SingleConnection, promise: PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = connection.onClosed(reject);
    promise.then(
      (value) => {
        leave();
        resolve(value);
      },
      (error) => {
        leave();
        reject(error);
      },
    );
  });
}
