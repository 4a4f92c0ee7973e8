import type { Sql } from '@inventory/db/client';
import { readNextModifiedSince } from '@inventory/db/lists/next-modified-since';
import { formatDateTime } from '@inventory/domain/date-time';

// An earlier moment is as good, and has a client read some more again: not every list asks for it.
const readAgainAfterMs = 1000;

/** Gives the value of `X-Next-Modified-Since` for a list that is read after it. */
export type NextModifiedSince = (sql: Sql) => Promise<string>;

/** Asks Postgres once a second at most, and only while lists are read. */
export function createNextModifiedSince(): NextModifiedSince {
  let kept: { text: string; readAt: number } | null = null;
  return async (sql) => {
    const readAt = performance.now();
    if (kept !== null && readAt - kept.readAt < readAgainAfterMs) return kept.text;
    const text = formatDateTime((await readNextModifiedSince(sql)).getTime());
    kept = { text, readAt };
    return text;
  };
}
