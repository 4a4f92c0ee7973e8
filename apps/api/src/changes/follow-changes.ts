import { readWarehouseNames } from '@inventory/db/catalog/warehouses';
import type { ChangeText } from '@inventory/db/changes/read-changes';
import type { FeedPosition } from '@inventory/db/changes/read-position';
import type { StatementPool, Wait } from '@inventory/db/postgres/statement-pool';
import {
  digestScope,
  scopeChange,
  shortIdentity,
  writeCursor,
} from '@inventory/domain/contract/change-cursor';
import { cursorOutdated } from '@inventory/domain/contract/conflict';
import type { AuthenticatedClient } from '../http/callers/authenticator.ts';
import { Refused } from '../http/errors.ts';
import type { Feed } from './feed.ts';

/** The place of a caller in the feed. A caller that begins has no database and no scope that could differ. */
export type Place = { after: number; scope: string | null; identity: string | null };

/** The place of a caller that begins. */
export const beginning: Place = { after: 0, scope: null, identity: null };

/** `changes`: with the number of each. `cursorAfter`: the cursor behind a change of this number. */
export type Followed = {
  changes: ChangeText[];
  next: Place;
  nextCursor: string;
  hasMore: boolean;
  cursorAfter: (no: number) => string;
};

/** A caller that reads changes, with its rights of this moment. `waits`: if there are none, it waits. */
export type Follower = { client: AuthenticatedClient; limit: number; wait: Wait; waits: boolean };

function isOther(place: Place, { identity }: FeedPosition): boolean {
  return place.identity !== null && place.identity !== shortIdentity(identity);
}

/**
 * The position up to which a caller is told. One that waits is content with that of a moment ago, unless
 * another process has already told it more, or of another database.
 */
export async function positionFor(feed: Feed, place: Place, waits: boolean): Promise<FeedPosition> {
  if (!waits) return feed.position();
  const recent = await feed.recent();
  if (isOther(place, recent)) return feed.position();
  if (place.after <= recent.knownNo) return recent;
  // Nobody can say now how far the feed is, but there is nothing to tell behind this place yet.
  return feed.position().catch(() => ({ ...recent, drawnNo: Math.max(recent.drawnNo, place.after) }));
}

/** The cursor at this place of a client with this scope. */
export function cursorAt(after: number, { identity }: FeedPosition, scope: string): string {
  return writeCursor({ identity: shortIdentity(identity), scope, after });
}

/**
 * Reads the next changes of a caller. If its scope is another than that of its place, that is told first.
 * Throws Refused if the database was restored since, or has lost its last changes.
 */
export async function followChanges(
  { feed, reads }: { feed: Feed; reads: StatementPool },
  place: Place,
  position: FeedPosition,
  { client, limit, wait, waits }: Follower,
): Promise<Followed> {
  const identity = shortIdentity(position.identity);
  if (isOther(place, position) || place.after > position.drawnNo) throw new Refused(cursorOutdated);
  const wids = [...client.scope].sort((one, other) => one - other);
  const scope = digestScope(wids);
  const until = Math.max(place.after, position.knownNo);
  const cursorAfter = (no: number) => cursorAt(no, position, scope);
  const first: ChangeText[] = [];
  if (place.scope !== null && place.scope !== scope) {
    const warehouses = await reads.run((sql) => readWarehouseNames(sql, wids), wait);
    first.push({ no: place.after, text: scopeChange(warehouses) });
  }
  const room = limit - first.length;
  const asked = { wids, after: place.after, until, limit: Math.max(room, 1) };
  const page = await feed.read(asked, { clientId: client.clientId, identity, waits });
  if (waits && page.changes.length > 0) feed.noteAnswer(page.changes.length, page.isShared);
  const isFull = room === 0;
  const after = isFull ? place.after : page.through;
  return {
    changes: first.length === 0 ? page.changes : [...first, ...(isFull ? [] : page.changes)],
    next: { after, scope, identity },
    nextCursor: cursorAfter(after),
    hasMore: isFull ? page.changes.length > 0 : page.hasMore,
    cursorAfter,
  };
}

/** Makes something of changes once for all callers that share a page: these have the same cursors, too. */
function once<T>(make: (followed: Followed) => T): (followed: Followed) => T {
  const made = new WeakMap<readonly ChangeText[], T>();
  return (followed) => {
    const found = made.get(followed.changes) ?? make(followed);
    made.set(followed.changes, found);
    return found;
  };
}

/** The JSON body of an answer. */
export const bodyOf = once(({ changes, nextCursor, hasMore }) => {
  const value = changes.map(({ text }) => text).join();
  return Buffer.from(`{"value":[${value}],"nextCursor":"${nextCursor}","hasMore":${hasMore}}`);
});

/**
 * The changes as server-sent events. One without data at the end is not seen by the reader's program, but
 * moves the id with which it will begin.
 */
export const eventsOf = once(({ changes, cursorAfter, nextCursor }) => {
  const events = changes.map(({ no, text }) => eventOf(cursorAfter(no), text));
  return Buffer.from(`${events.join('')}id: ${nextCursor}\n\n`);
});

function eventOf(id: string, text: string): string {
  const lines = text.split('\n').map((line) => `data: ${line}\n`);
  return `id: ${id}\n${lines.join('')}\n`;
}
