import {
  digestScope,
  scopeChange,
  shortIdentity,
  writeCursor,
} from '@inventory/domain/contract/change-cursor';
import { readWarehouseNames } from '../catalog/warehouses.ts';
import type { Sql } from '../postgres/pool.ts';
import { readChanges } from './read-changes.ts';
import type { FeedPosition } from './read-position.ts';

/**
 * The place of a reader in the feed. `kinds`: only these changes are told; null: all. `scope`: a digest of
 * the warehouses when it was told last; null: it was told nothing yet.
 */
export type ReaderPlace = { afterNo: number; kinds: readonly string[] | null; scope: string | null };

/** The next changes as JSON texts, and the place of the reader behind them. */
export type NextChanges = {
  changes: string[];
  throughNo: number;
  scope: string;
  nextCursor: string;
  hasMore: boolean;
};

// At most this many changes, and fewer if their texts are longer together: many servers refuse bodies of a
// megabyte.
const changesMax = 100;
const charactersMax = 500_000;

/** Reads the next changes of a reader with these warehouses, up to a position that was read before. */
export async function readNextChanges(
  sql: Sql,
  { afterNo, kinds, scope: toldScope }: ReaderPlace,
  position: FeedPosition,
  wids: readonly number[],
): Promise<NextChanges> {
  const scope = digestScope(wids);
  const changes: string[] = [];
  // Without it, a reader that keeps a copy would not know that its copy shows other warehouses.
  if (toldScope !== null && toldScope !== scope)
    changes.push(scopeChange(await readWarehouseNames(sql, wids)));
  const until = Math.max(afterNo, position.knownNo);
  const limit = changesMax - changes.length;
  const page = await readChanges(sql, { wids, after: afterNo, until, limit, kinds, charactersMax });
  changes.push(...page.changes.map(({ text }) => text));
  const { through: throughNo, hasMore } = page;
  const nextCursor = writeCursor({ identity: shortIdentity(position.identity), scope, after: throughNo });
  return { changes, throughNo, scope, nextCursor, hasMore };
}
