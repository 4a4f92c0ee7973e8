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
  const waiting = new Map<number, StoredOperation>();
  const byKey = new Map<string, StoredOperation>();
  const refused = new Map<number, RefusedOperation>();
  // A new list for each change, made when it is read.
  let refusedList: readonly RefusedOperation[] | null = null;
  let changes = 0;

  function add(each: StoredOperation): void {
    waiting.set(each.seq, each);
    byKey.set(each.operation.key, each);
  }

  function take(seq: number): void {
    const key = waiting.get(seq)?.operation.key;
    waiting.delete(seq);
    refused.delete(seq);
    if (key !== undefined && byKey.get(key)?.seq === seq) byKey.delete(key);
  }

  function refuse(some: readonly RefusedOperation[]): void {
    refusedList = null;
    for (const each of some) refused.set(each.seq, each);
  }

  return {
    waiting,
    get refused() {
      refusedList ??= [...refused.values()];
      return refusedList;
    },
    waitingWith: (key) => byKey.get(key),
    async load() {
      for (let seen = -1; seen !== changes; ) {
        seen = changes;
        const loaded = await storage.load();
        if (seen !== changes) continue;
        for (const all of [waiting, byKey, refused]) all.clear();
        loaded.waiting.forEach(add);
        refuse(loaded.refused);
      }
    },
    note({ added, taken = [], refused: kept = [] }) {
      changes += 1;
      if (added !== undefined) add(added);
      taken.forEach(take);
      refuse(kept);
    },
  };
}
