import { openConnection, type SingleConnection, type Sql, type Tx } from '@inventory/postgres/pool';
import { PlainError } from '@inventory/process/plain-error';

/**
 * The end of a batch's work: its result, and its write statement, which is sent (`execute`) but not awaited.
 * null: nothing to write.
 */
export type BatchWork<T> = { result: T; write: PromiseLike<unknown> | null };

/**
 * The connections of batches: a pool, and separate connections for the transactions. Each of these begins its
 * next transaction before there is work for it.
 */
export type BatchPool = {
  /** For work outside the batches' transactions. */
  sql: Sql;
  /**
   * Runs `work` inside one database transaction, and rolls it back if `work` throws or its write fails. The
   * commit is sent right behind the write without waiting for it, because the round trip is most of the cost
   * of a single request. This is safe: Postgres treats a commit behind a failed statement as a rollback and
   * says so. Also rejects if the connection closes; if the write was already sent, the transaction may still
   * be committed.
   */
  transaction<T>(work: (tx: Tx) => Promise<BatchWork<T>>): Promise<T>;
  /** The separate connections: busy ones, and ones without work, with or without a begun transaction. */
  counts(): { busy: number; idle: number };
  /**
   * Returns a function that calls `tell` once all busy separate connections have closed; null if none is
   * busy.
   */
  untilDone(): ((tell: () => void) => void) | null;
  /** Closes the separate connections, after at most `timeout` seconds. The caller closes `sql`. */
  end(options: { timeout: number }): Promise<void>;
};

// Longer than a busy caller takes for its next request, and well within the time for which Postgres lets a
// transaction idle. Until then it holds no lock and no snapshot, so later reads see the data of that moment.
const keptMs = 250;

/**
 * The separate connections are opened with the options of `sql`, one for each transaction that runs at the
 * same time.
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
          // It was busy when the pool ended.
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
  /** Begins a transaction for work that is expected soon, and ends it if none comes. */
  beginNext(): void;
  end(options: { timeout: number }): Promise<void>;
};

// If its client has gone, a backend stops waiting for a lock, or working, after this time. 0 where the server
// does not support it.
const checkClientMs = 250;

// Longer than anybody waits for a batch. Between the messages of a statement, a transaction is neither idle
// nor at work, so no other limit frees the gates of a worker that was frozen or cut off at that moment.
const transactionMs = 4000;

async function openBatchConnection(sql: Sql): Promise<BatchConnection> {
  const connection = await openConnection(sql);
  const { tx } = connection;
  // Some systems do not support the first, and Postgres 15 and 16 do not know the second. There, the other
  // limits must do.
  for (const setting of [
    `client_connection_check_interval = ${checkClientMs}`,
    `transaction_timeout = ${transactionMs}`,
  ])
    await untilClosed(
      connection,
      tx.unsafe(`set ${setting}`).catch(() => {}),
    );
  let begun: Promise<unknown> | null = null;
  let timer: NodeJS.Timeout | undefined;

  function begin(): Promise<unknown> {
    // In the simple protocol, and with the isolation level, so that the database's defaults do not matter.
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
    // A connection that cannot be rolled back is of no more use.
    await untilClosed(connection, tx.unsafe('rollback')).catch(() => connection.end({ timeout: 0 }));
    throw error;
  }

  return {
    isOpen: () => !connection.isClosed(),
    onClosed: connection.onClosed,
    async transaction(work) {
      const begin = takeBegun();
      const worked = work(tx);
      // The first failure is reported, even if it is the end of the connection. The other promises have no
      // listener.
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
 * Returns the result of `promise`, or fails when the connection ends: the driver does not settle all promises
 * then.
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
