import { readNextModifiedSince } from '@inventory/db/lists/next-modified-since';
import { formatDateTime } from '@inventory/domain/date-time';
import type { Sql } from '@inventory/postgres/pool';

// An older value is still correct; the client only reads some records again. So not every list reads a new
// one.
const readAgainAfterMs = 1000;

/** Gives the value of `X-Next-Modified-Since` for a list that is read afterwards. */
export type NextModifiedSince = {
  /** Reads on the primary: a replica does not know which changes are open there. */
  read(sql: Sql): Promise<string>;
  /** A value that was read a moment ago, if there is one. */
  kept(): string | null;
};

/** Queries Postgres at most once a second, and only while lists are read. */
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
