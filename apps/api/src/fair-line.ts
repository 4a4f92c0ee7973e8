/**
 * Those who wait, each under a name; whose turn is next goes round the names, and among one name's by
 * arrival.
 */
export type FairLine<T> = {
  /** Takes a place; returns how to leave it. */
  join(name: string, item: T): () => void;
  /** The next of those whose name `may` go, which leaves the line with that; undefined when there is none. */
  next(may: (name: string) => boolean): T | undefined;
  size(): number;
  sizeOf(name: string): number;
};

/** However many places one name takes, another one waits for a single turn of it. */
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
