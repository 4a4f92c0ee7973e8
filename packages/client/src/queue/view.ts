import type { QueueStorage, RefusedOperation, StoredOperation } from './storage.ts';

/** What is in a storage, as far as this program has seen. */
export type View = {
  readonly waiting: ReadonlyMap<number, StoredOperation>;
  readonly refused: readonly RefusedOperation[];
  load(): Promise<void>;
  /** Notes a change that was made from here: a load that began before it does not count. */
  note(added?: StoredOperation): void;
};

/** Begins empty. */
export function createView(storage: QueueStorage): View {
  let waiting = new Map<number, StoredOperation>();
  let refused: readonly RefusedOperation[] = [];
  let changes = 0;
  return {
    get waiting() {
      return waiting;
    },
    get refused() {
      return refused;
    },
    async load() {
      for (let seen = -1; seen !== changes; ) {
        seen = changes;
        const loaded = await storage.load();
        if (seen !== changes) continue;
        waiting = new Map(loaded.waiting.map((each) => [each.seq, each]));
        refused = loaded.refused;
      }
    },
    note(added) {
      changes += 1;
      if (added !== undefined) waiting.set(added.seq, added);
    },
  };
}
