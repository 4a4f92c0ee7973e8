import type { RefusedOperation, StoredOperation } from './storage.ts';

/** The content of a queue, in memory. */
export type Contents = {
  waiting: Map<number, StoredOperation>;
  refused: Map<number, RefusedOperation>;
  lastSeq: number;
};

/** A change of it: an operation that came, some that went, or the last number given out. */
export type Entry =
  | { add: StoredOperation }
  | { take: readonly number[]; refused: readonly RefusedOperation[] }
  | { lastSeq: number };

export const emptyContents = (): Contents => ({ waiting: new Map(), refused: new Map(), lastSeq: 0 });

export function apply(contents: Contents, entry: Entry): void {
  const { waiting, refused } = contents;
  if ('take' in entry) {
    for (const seq of entry.take) {
      waiting.delete(seq);
      refused.delete(seq);
    }
    for (const each of entry.refused) refused.set(each.seq, each);
    return;
  }
  if ('add' in entry) waiting.set(entry.add.seq, entry.add);
  contents.lastSeq = Math.max(contents.lastSeq, 'add' in entry ? entry.add.seq : entry.lastSeq);
}

export function listsOf({ waiting, refused }: Contents) {
  return { waiting: [...waiting.values()], refused: [...refused.values()] };
}
