import { readNextModifiedSince } from '@inventory/db/lists/next-modified-since';
import type { Sql } from '@inventory/db/pool';
import { formatDateTime } from '@inventory/domain/date-time';

// An earlier moment is as good, and has a client read some more again: not every list asks for it.
const readAgainAfterMs = 1000;

/** Gives the value of `X-Next-Modified-Since` for a list that is read after it. */
export type NextModifiedSince = {
  /** On the primary: no replica knows what is open there. */
  read(sql: Sql): Promise<string>;
  /** One that was read a moment ago, if there is one. */
  kept(): string | null;
};

/** Asks Postgres once a second at most, and only while lists are read. */
export function createNextModifiedSince(): NextModifiedSince {
  let last: { text: string; readAt: number } | null = null;
  const kept = () => (last !== null && performance.now() - last.readAt < readAgainAfterMs ? last.text : null);
  return {
    kept,
    async read(sql) {
      const known = kept();
      if (known !== null) return known;
      const readAt = performance.now();
      const text = formatDateTime((await readNextModifiedSince(sql)).getTime());
      last = { text, readAt };
      return text;
    },
  };
}
