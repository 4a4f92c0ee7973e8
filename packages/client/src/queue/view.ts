import { apply, emptyContents } from './contents.ts';
import type { QueueStorage, RefusedOperation, StorageChange, StoredOperation } from './storage.ts';

/** The content of a storage, as far as this program has seen it. */
export type View = {
  readonly waiting: ReadonlyMap<number, StoredOperation>;
  readonly refused: readonly RefusedOperation[];
  /** The operation that waits under this key. */
  waitingWith(key: string): StoredOperation | undefined;
  load(): Promise<void>;
  /** Notes a change: a load that began before it does not count. */
  note(change: StorageChange & { added?: StoredOperation }): void;
};

/** Begins empty. */
export function createView(storage: QueueStorage): View {
  let contents = emptyContents();
  const byKey = new Map<string, StoredOperation>();
  let changes = 0;

  function add(each: StoredOperation): void {
    apply(contents, { add: each });
    byKey.set(each.operation.key, each);
  }

  return {
    get waiting() {
      return contents.waiting;
    },
    get refused() {
      return [...contents.refused.values()];
    },
    waitingWith: (key) => byKey.get(key),
    async load() {
      for (let seen = -1; seen !== changes; ) {
        seen = changes;
        const loaded = await storage.load();
        if (seen !== changes) continue;
        contents = emptyContents();
        byKey.clear();
        loaded.waiting.forEach(add);
        apply(contents, { take: [], refused: loaded.refused });
      }
    },
    note({ added, taken = [], refused = [] }) {
      changes += 1;
      if (added !== undefined) add(added);
      for (const seq of taken) {
        const key = contents.waiting.get(seq)?.operation.key ?? '';
        // Another program may have stored one with the same key.
        if (byKey.get(key)?.seq === seq) byKey.delete(key);
      }
      apply(contents, { take: taken, refused });
    },
  };
}
