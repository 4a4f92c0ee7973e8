import { firstOf, type QueueStorage, type RefusedOperation, type StoredOperation } from './storage.ts';

/** Keeps a queue in memory: its operations end with the program. */
export function memoryStorage(): QueueStorage {
  const waiting = new Map<number, StoredOperation>();
  const refused = new Map<number, RefusedOperation>();
  let lastSeq = 0;
  return {
    load: async () => ({ waiting: [...waiting.values()], refused: [...refused.values()] }),
    oldest: async (count) => firstOf(waiting.values(), count),
    async add(operation) {
      lastSeq += 1;
      waiting.set(lastSeq, { seq: lastSeq, operation });
      return lastSeq;
    },
    async take(seqs, kept) {
      for (const seq of seqs) {
        waiting.delete(seq);
        refused.delete(seq);
      }
      for (const each of kept) refused.set(each.seq, each);
    },
  };
}
