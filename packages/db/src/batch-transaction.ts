import type { Sql, Tx } from './client.ts';

/** What a batch's work leaves behind: its result, and the statement of its writes, sent (`execute`) and not waited for; null: none. */
export type BatchWork<T> = { result: T; write: PromiseLike<unknown> | null };

/** What batches run on: a pool, and the transaction of the next batch, begun before there is work for it. */
export type BatchPool = {
  /** For what runs beside the batches' transactions. */
  sql: Sql;
  /**
   * Runs `work` inside one database transaction, and rolls it back when it throws or its write fails. The commit goes out
   * behind the write without waiting for it: the way to Postgres and back is most of what a lone request costs. That is safe
   * because Postgres takes a commit behind a failed statement as a rollback.
   */
  transaction<T>(work: (tx: Tx) => Promise<BatchWork<T>>): Promise<T>;
  /** Closes the connections, `timeout` seconds at most after they were asked to finish. */
  end(options: { timeout: number }): Promise<void>;
};

type Begun = {
  run<T>(work: (tx: Tx) => Promise<BatchWork<T>>): Promise<T>;
  /** Ends it unused. */
  drop(): void;
};

// Longer than a busy caller takes for its next request, and well within what Postgres lets a transaction idle. Meanwhile it holds
// neither a lock nor a snapshot: whatever it reads later is as of then.
const keptMs = 250;

/**
 * The pool owns both from now on. Transactions that come one after the other do best with a pool of a single connection: the
 * driver uses its connections in turn, and Postgres plans and remembers for each anew.
 */
export function createBatchPool(sql: Sql, transactions: Sql = sql): BatchPool {
  let next: Begun | null = null;

  function begin(): Begun {
    let give!: (work: ((tx: Tx) => Promise<BatchWork<unknown>>) | null) => void;
    const given = new Promise<Parameters<typeof give>[0]>((resolve) => {
      give = resolve;
    });
    const committed = transactions.begin(async (tx) => {
      const work = await given;
      const done = await work?.(tx);
      // When the connection breaks the transaction itself rejects, and nobody waits for this.
      done?.write?.then(undefined, () => {});
      return done;
    });
    const timer = setTimeout(drop, keptMs);
    const begun = { run, drop };

    function take() {
      clearTimeout(timer);
      if (next === begun) next = null;
    }

    async function run<T>(work: (tx: Tx) => Promise<BatchWork<T>>): Promise<T> {
      take();
      give(work);
      const done = await committed;
      await done?.write;
      return done?.result as T;
    }

    function drop() {
      take();
      give(null);
    }

    // One whose connection broke while it waited is nobody's next.
    committed.catch(take);
    return begun;
  }

  return {
    sql,
    async transaction(work) {
      const result = await (next ?? begin()).run(work);
      next ??= begin();
      return result;
    },
    end(options) {
      next?.drop();
      return Promise.all([sql.end(options), transactions.end(options)]).then(() => {});
    },
  };
}
