import { InventoryError } from '../http/inventory-error.ts';
import { isTemporary, pause, pauseMs } from '../http/pauses.ts';

type FeedPage<Change> = { value: Change[]; nextCursor: string; hasMore: boolean; cursors?: string[] };
export type FeedQuery = {
  after?: string | undefined;
  limit?: number | undefined;
  wait?: number | undefined;
};

/** The change feed: every change for ever, or page by page. */
export type Feed<Change> = AsyncIterable<Change> & {
  /** The position to resume from: behind the last change delivered. Store it once that change is handled. */
  readonly cursor: string | undefined;
  /** One page, without going on. */
  page(): Promise<FeedPage<Change>>;
  pages(): AsyncIterable<FeedPage<Change>>;
};

// Waiting calls are cheap, so each waits as long as the service allows.
const waitSeconds = 25;
// A call after such a pause brings more changes while much happens. While nothing does, a feed that does not
// wait is not asked all the time. So the limit of calls is not used up.
const busyPauseMs = 500;

/**
 * Follows the feed. `read` reads one page. What is lost on the way is asked for again, for as long as it
 * takes; a refusal of the service ends it.
 */
export function createFeed<Change>(
  asked: FeedQuery,
  read: (query: FeedQuery) => Promise<FeedPage<Change>>,
  signal?: AbortSignal,
): Feed<Change> {
  let cursor = asked.after;

  async function readOn(): Promise<FeedPage<Change>> {
    for (let tries = 1; ; tries++) {
      try {
        return await read({ ...asked, after: cursor, wait: asked.wait ?? waitSeconds });
      } catch (error) {
        const isOver = !(error instanceof InventoryError) || error.code === 'aborted';
        // A portal or a proxy that answers in place of the service says nothing about the feed.
        if (isOver || !(isTemporary(error.status) || error.code === 'unexpected_answer')) throw error;
        await pause(pauseMs(tries, error.retryAfterMs), signal);
      }
    }
  }

  async function* pages() {
    for (;;) {
      const page = await readOn();
      yield page;
      cursor = page.nextCursor;
      if (!page.hasMore) await pause(busyPauseMs, signal);
    }
  }

  return {
    get cursor() {
      return cursor;
    },
    page: () => read({ ...asked, after: cursor }),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { value, nextCursor, cursors } of pages()) {
        for (const [index, change] of value.entries()) {
          // An earlier version of the service tells only that of the page.
          cursor = index === value.length - 1 ? nextCursor : (cursors?.[index] ?? cursor);
          yield change;
        }
      }
    },
  };
}
