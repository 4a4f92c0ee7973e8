import { bindKeys, findKeys, type Key, type KeyedAttempt, renewKey } from '@inventory/db/idempotency';
import type { StatementPool } from '@inventory/db/statement-pool';
import { gather } from './gather.ts';

/** Idempotency keys in Postgres. Those of one turn of the event loop share a statement. */
export type Keys = {
  /** Binds a key to its request, or finds what it is bound to. */
  bind(key: Key): Promise<KeyedAttempt>;
  /** What a key is bound to, null when it is free; writes nothing. */
  find(key: Key): Promise<KeyedAttempt | null>;
  /** Makes way for the next attempt after an abandoned one; the request id that now counts. */
  renew(key: Key, abandonedId: string): Promise<string>;
};

export function createKeys(pool: StatementPool): Keys {
  return {
    bind: gather(pool, bindKeys),
    find: gather(pool, findKeys),
    renew: (key, abandonedId) => pool.run((sql) => renewKey(sql, { ...key, abandonedId })),
  };
}
