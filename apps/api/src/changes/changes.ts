import type { StatementPool } from '@inventory/postgres/statement-pool';
import { createFeed, type Feed } from './feed.ts';
import { createWatchedRights, type WatchedRights } from './watched-rights.ts';

/** The change feed of this process, and the rights of the callers that wait for it. */
export type Changes = {
  feed: Feed;
  rights: WatchedRights;
  /** Answers callers that wait for changes now; they go to another process. */
  stop(): void;
};

/** `changes`: see `createFeed`, like `feedPosition`. */
export function openChanges(database: { changes: StatementPool; feedPosition: StatementPool }): Changes {
  const feed = createFeed(database.changes, database.feedPosition);
  const rights = createWatchedRights();
  return {
    feed,
    rights,
    stop() {
      feed.stop();
      rights.stop();
    },
  };
}
