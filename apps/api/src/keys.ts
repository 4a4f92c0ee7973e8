import { bindKeys, findKey, type Key, type KeyedAttempt, renewKey } from '@inventory/db/idempotency';
import type { StatementPool } from '@inventory/db/statement-pool';

export type Keys = {
  /** Binds a key to its request, or finds what it is bound to. */
  bind(key: Key): Promise<KeyedAttempt>;
  /** What a key is bound to, null when it is free; writes nothing. */
  find(key: Key): Promise<KeyedAttempt | null>;
  /** Makes way for the next attempt after an abandoned one; the request id that now counts. */
  renew(key: Key, abandonedId: string): Promise<string>;
};

type Waiting = {
  key: Key;
  resolve: (attempt: KeyedAttempt) => void;
  reject: (error: unknown) => void;
};

/**
 * Idempotency keys in Postgres. Those of one turn of the event loop, and those that come while every connection is busy, are bound in
 * one statement: a statement of its own would cost a request as much as all the rest of it.
 */
export function createKeys(pool: StatementPool): Keys {
  let waiting: Waiting[] = [];
  let scheduled = false;

  async function bindWaiting() {
    let taken: Waiting[] = [];
    try {
      const attempts = await pool.run((sql) => {
        // Not before it runs: what came while it waited for a connection goes along.
        taken = take();
        return bindKeys(
          sql,
          taken.map(({ key }) => key),
        );
      });
      for (const [index, { resolve }] of taken.entries()) resolve(attempts[index]!);
    } catch (error) {
      // It may have waited in vain: then nothing was taken yet.
      for (const { reject } of taken.length > 0 ? taken : take()) reject(error);
    }
  }

  function take(): Waiting[] {
    const taken = waiting;
    waiting = [];
    scheduled = false;
    return taken;
  }

  return {
    bind: (key) =>
      new Promise((resolve, reject) => {
        waiting.push({ key, resolve, reject });
        if (scheduled) return;
        scheduled = true;
        setImmediate(bindWaiting);
      }),
    find: (key) => pool.run((sql) => findKey(sql, key)),
    renew: (key, abandonedId) => pool.run((sql) => renewKey(sql, { ...key, abandonedId })),
  };
}
