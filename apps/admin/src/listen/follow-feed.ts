import { setTimeout as wait } from 'node:timers/promises';
import { type NextChanges, readNextChanges } from '@inventory/db/changes/read-next';
import { readFeedPosition } from '@inventory/db/changes/read-position';
import type { FeedReader } from '@inventory/domain/contract/feed-state';
import type { Sql } from '@inventory/postgres/pool';
import { CommandError } from '../cli/command-error.ts';
import { beginFrom, type PlaceGiven } from '../cli/webhook-options.ts';

/** Changes as JSON texts, at least one, and the cursor behind them. */
export type Followed = Pick<NextChanges, 'changes' | 'nextCursor'>;

export type FollowOptions = {
  from: PlaceGiven;
  /** null: all */
  kinds: readonly string[] | null;
  /** Whose changes are shown, as it is at this moment. */
  readReader: () => Promise<FeedReader>;
};

const lookEveryMs = 250;

/**
 * The changes of the feed from a place on, as they come, until `signal`. Throws CommandError if the database
 * is restored meanwhile, or the place is of another one.
 */
export async function* followFeed(
  sql: Sql,
  { from, kinds, readReader }: FollowOptions,
  signal: AbortSignal,
): AsyncGenerator<Followed> {
  const begun = await readFeedPosition(sql, 0);
  const begin = await beginFrom(sql, from);
  let { afterNo, scope } = begin === 'now' ? { afterNo: begun.knownNo, scope: null } : begin;
  while (!signal.aborted) {
    const reader = await readReader();
    const position = await readFeedPosition(sql, afterNo);
    if (position.identity !== begun.identity || afterNo > position.drawnNo)
      throw new CommandError(
        'the database was restored, or has lost its last changes: begin again with --from now',
      );
    const next = await readNextChanges(sql, { afterNo, kinds, scope }, position, reader);
    ({ throughNo: afterNo, scope } = next);
    if (next.changes.length > 0) yield next;
    if (!next.hasMore) await wait(lookEveryMs, undefined, { signal }).catch(() => {});
  }
}
