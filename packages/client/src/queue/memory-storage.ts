import { apply, emptyContents, listsOf } from './contents.ts';
import { firstOf, type QueueStorage } from './storage.ts';

/** Keeps a queue in memory: its operations end with the program. */
export function memoryStorage(): QueueStorage {
  const contents = emptyContents();
  return {
    load: async () => listsOf(contents),
    oldest: async (count) => firstOf(contents.waiting.values(), count),
    async add(operation) {
      const seq = contents.lastSeq + 1;
      apply(contents, { add: { seq, operation } });
      return seq;
    },
    take: async (take, refused) => apply(contents, { take, refused }),
  };
}
