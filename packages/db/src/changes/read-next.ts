import { scopeChange, shortIdentity, writeCursor } from '@inventory/domain/contract/change-cursor';
import { type FeedReader, judgePlace, writeState } from '@inventory/domain/contract/feed-state';
import type { Sql } from '@inventory/postgres/pool';
import { readScope } from '../catalog/warehouses.ts';
import { readChanges } from './read-changes.ts';
import type { FeedPosition } from './read-position.ts';
import { shortenChange } from './shorten-change.ts';

/**
 * The place of a reader in the feed. `kinds`: only these changes are told; null: all. `scope`: its state when
 * it was told last (`FeedState`); null: it was told nothing yet.
 */
export type ReaderPlace = {
  afterNo: number;
  kinds: readonly string[] | null;
  scope: string | null;
  /** At most so many changes. */
  changesMax?: number;
};

/** The next changes as JSON texts, and the place of the reader behind them. */
export type NextChanges = {
  changes: string[];
  throughNo: number;
  scope: string;
  nextCursor: string;
  hasMore: boolean;
};

/** A message has at most this many changes, and fewer if their texts are larger together. */
export const messageChangesMax = 100;
// With what surrounds its changes. Many servers refuse larger bodies.
const messageBytesMax = 262_144;
// An upper bound for the text around the changes.
const aroundBytes = 1024;
const bytesMax = messageBytesMax - aroundBytes;

/**
 * Reads the next changes of a reader, up to a position that was read before. A reader that may have seen what
 * is gone, because the database has moved, is told its scope first: so it reads the lists again.
 */
export async function readNextChanges(
  sql: Sql,
  { afterNo, kinds, scope: toldScope, changesMax = messageChangesMax }: ReaderPlace,
  position: FeedPosition,
  reader: FeedReader,
): Promise<NextChanges> {
  const { wids } = reader;
  const changes: string[] = [];
  const judged = judgePlace({ after: afterNo, state: toldScope }, position.places, reader);
  // Without it, a reader that keeps a copy would not know that its copy shows other warehouses.
  const isNewScope = judged.lost || judged.isNewScope;
  if (isNewScope) changes.push(scopeChange(await readScope(sql, wids)));
  const until = Math.max(afterNo, position.knownNo);
  const limit = changesMax - changes.length;
  const room = bytesMax - Buffer.byteLength(changes.join());
  const asked = { wids, after: afterNo, until, limit, kinds, bytesMax: room, besideBytes: 1 };
  // The scope alone may be as many changes as the reader takes.
  const page = limit < 1 ? { changes: [], through: afterNo, hasMore: true } : await readChanges(sql, asked);
  const { through: throughNo, hasMore } = page;
  // A change that is larger alone comes alone.
  for (const { text } of page.changes)
    changes.push(Buffer.byteLength(text) > room ? shortenChange(text, room) : text);
  // A reader that is told a scope reads the lists, which nobody confirms.
  const isOnStandbys = position.isSynchronous && page.changes.length > 0 && !isNewScope;
  const scope = writeState(reader, position.places, isOnStandbys);
  const nextCursor = writeCursor({
    identity: shortIdentity(position.identity),
    state: scope,
    after: throughNo,
  });
  return { changes, throughNo, scope, nextCursor, hasMore };
}
