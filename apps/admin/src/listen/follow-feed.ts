import { setTimeout as wait } from 'node:timers/promises';
import { readWarehouseNames } from '@inventory/db/catalog/warehouses';
import { readChanges } from '@inventory/db/changes/read-changes';
import { readFeedPosition } from '@inventory/db/changes/read-position';
import type { Sql } from '@inventory/db/postgres/pool';
import {
  digestScope,
  scopeChange,
  shortIdentity,
  writeCursor,
} from '@inventory/domain/contract/change-cursor';
import { CommandError } from '../cli/command-error.ts';
import { beginFrom, type PlaceGiven } from '../cli/webhook-options.ts';

/** Changes as JSON texts, at least one, and the cursor behind them. */
export type Followed = { changes: string[]; nextCursor: string };

export type FollowOptions = {
  from: PlaceGiven;
  /** null: all */
  kinds: readonly string[] | null;
  /** The warehouses of this moment. */
  readWids: () => Promise<number[]>;
};

const lookEveryMs = 250;
const changesMax = 100;

/**
 * The changes of the feed from a place on, as they come, until `signal`. Throws CommandError if the database
 * is restored meanwhile, or the place is of another one.
 */
export async function* followFeed(
  sql: Sql,
  { from, kinds, readWids }: FollowOptions,
  signal: AbortSignal,
): AsyncGenerator<Followed> {
  const begun = await readFeedPosition(sql, 0);
  const begin = await beginFrom(sql, from);
  let { afterNo, scope } = begin === 'now' ? { afterNo: begun.knownNo, scope: null } : begin;
  let { knownNo } = begun;
  while (!signal.aborted) {
    const wids = await readWids();
    const position = await readFeedPosition(sql, knownNo);
    if (position.identity !== begun.identity || afterNo > position.drawnNo)
      throw new CommandError(
        'the database was restored, or has lost its last changes: begin again with --from now',
      );
    knownNo = Math.max(knownNo, position.knownNo);
    const now = digestScope(wids);
    const changes = scope === null || scope === now ? [] : [scopeChange(await readWarehouseNames(sql, wids))];
    const until = Math.max(afterNo, knownNo);
    const page = await readChanges(sql, { ...{ wids, until, kinds }, after: afterNo, limit: changesMax });
    changes.push(...page.changes.map(({ text }) => text));
    afterNo = page.through;
    scope = now;
    const nextCursor = writeCursor({ identity: shortIdentity(begun.identity), scope, after: afterNo });
    if (changes.length > 0) yield { changes, nextCursor };
    if (!page.hasMore) await wait(lookEveryMs, undefined, { signal }).catch(() => {});
  }
}
