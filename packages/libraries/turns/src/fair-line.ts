/**
 * A queue in which names take turns: each turn goes to the next name, and within a name to the item that came
 * first.
 */
export type FairLine<T> = {
  /** Joins the queue. Returns a function that leaves it. */
  join(name: string, item: T): () => void;
  /** Removes and returns the next item whose name `may` go; undefined if there is none. */
  next(may: (name: string) => boolean): T | undefined;
  size(): number;
  sizeOf(name: string): number;
};

/** However many items a name has queued, another name waits for only one of them at a time. */
export function createFairLine<T extends object>(): FairLine<T> {
  // The names in the order of their turns.
  const places = new Map<string, Set<T>>();
  let size = 0;

  function leave(name: string, item: T) {
    const own = places.get(name);
    if (own?.delete(item) !== true) return;
    size -= 1;
    if (own.size === 0) places.delete(name);
  }

  return {
    join(name, item) {
      const own = places.get(name);
      if (own === undefined) places.set(name, new Set([item]));
      else own.add(item);
      size += 1;
      return () => leave(name, item);
    },
    next(may) {
      for (const [name, own] of places) {
        if (!may(name)) continue;
        for (const item of own) {
          leave(name, item);
          if (places.delete(name)) places.set(name, own);
          return item;
        }
      }
      return undefined;
    },
    size: () => size,
    sizeOf: (name) => places.get(name)?.size ?? 0,
  };
}
