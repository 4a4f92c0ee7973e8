import { readScope } from '@inventory/db/catalog/warehouses';
import { type ChangePage, type ChangeText, changesBytesMax } from '@inventory/db/changes/read-changes';
import {
  type FeedPosition,
  isCommitted,
  lifeOf,
  noteRefusedCursor,
} from '@inventory/db/changes/read-position';
import { scopeChange, shortIdentity, writeCursor } from '@inventory/domain/contract/change-cursor';
import {
  type FeedReader,
  isKnownPlace,
  judgePlace,
  wasOnStandbys,
  writeState,
} from '@inventory/domain/contract/feed-state';
import { cursorOutdated } from '@inventory/domain/refusals/conflict';
import type { StatementPool, Wait } from '@inventory/postgres/statement-pool';
import { within } from '@inventory/process/within';
import type { AuthenticatedClient } from '../http/callers/authenticator.ts';
import { Refused } from '../http/errors.ts';
import type { ClientFeed } from './feed.ts';

/** The place of a caller in the feed. A caller that begins has no database and no state that could differ. */
export type Place = { after: number; state: string | null; identity: string | null };

/** The place of a caller that begins. */
export const beginning: Place = { after: 0, state: null, identity: null };

/**
 * `changes`: with the number of each. `cursorAfter`: the cursor behind a change of this number. `isHeld`:
 * there are changes, but they are not on the standbys yet.
 */
export type Followed = {
  changes: ChangeText[];
  next: Place;
  nextCursor: string;
  hasMore: boolean;
  isHeld: boolean;
  cursorAfter: (no: number) => string;
};

/** A caller that reads changes, with its rights of this moment. `waits`: if there are none, it waits. */
export type Follower = { client: AuthenticatedClient; limit: number; wait: Wait; waits: boolean };

/** A position for a caller. `confirms`: the standbys have everything that was shown before it was asked. */
export type FoundPosition = { position: FeedPosition; confirms: boolean };

/** Until changes that the standbys lack are looked at again. */
export const heldMs = 500;
// As long as a position may take that was asked soon.
const confirmedWithinMs = 1000;

export function readerOf({ scopeNo, scope }: AuthenticatedClient): FeedReader {
  return { scopeNo, wids: [...scope].sort((one, other) => one - other) };
}

function isOther({ identity, state }: Place, position: FeedPosition): boolean {
  if (identity === null) return false;
  return (
    identity !== shortIdentity(position.identity) || (state !== null && !isKnownPlace(state, position.places))
  );
}

/**
 * The position up to which a caller is told. A caller that waits gets one that was read a moment ago, to
 * share pages with others. A new one is read if the caller's place is ahead of that, because another process
 * has told it more, or is of another database. A caller that may have read lists since it got its place is
 * told only once the standbys have what these showed; until then, it keeps that place.
 */
export async function positionFor(
  feed: Pick<ClientFeed, 'position' | 'recent' | 'isLate'>,
  place: Place,
  waits: boolean,
): Promise<FoundPosition> {
  const confirms = !wasOnStandbys(place.state);
  if (!waits) return { position: await feed.position({ confirms }), confirms };
  const recent = await feed.recent();
  if (isOther(place, recent)) return { position: await feed.position({ confirms }), confirms };
  if (recent.isSynchronous && confirms) {
    const confirmed = feed.isLate()
      ? null
      : await within(confirmedWithinMs, feed.position({ confirms })).catch(() => null);
    if (confirmed !== null) return { position: confirmed, confirms };
  }
  if (place.after <= recent.knownNo) return { position: recent, confirms: false };
  // Nobody can say now how far the feed is, but there is nothing to tell behind this place yet.
  const position = await feed
    .position()
    .catch(() => ({ ...recent, drawnNo: Math.max(recent.drawnNo, place.after) }));
  return { position, confirms: false };
}

/**
 * The cursor at this place of a client that may read the lists from now on. Whatever these show may be lost
 * if the database moves, until a page of the feed was answered.
 */
export function cursorAt(position: FeedPosition, client: AuthenticatedClient): string {
  const state = writeState(readerOf(client), position.places, false);
  return writeCursor({ identity: shortIdentity(position.identity), state, after: position.knownNo });
}

/**
 * Whether this change of the caller's scope must not be told yet: not every process has seen it, so a list
 * may still show the scope before, and nothing would tell the caller later. `since`: when the call came.
 */
export function isScopeUnsettled(
  place: Place,
  { position }: FoundPosition,
  client: AuthenticatedClient,
  since: number,
): boolean {
  const judged = judgePlace(place, position.places, readerOf(client));
  if (judged.lost || !judged.isNewScope) return false;
  return client.scopeKnownAt > performance.now() || client.readAt < since;
}

type Sources = {
  feed: Pick<ClientFeed, 'read' | 'noteAnswer' | 'isLate' | 'isFirstRefusal'>;
  reads: StatementPool;
};

/**
 * Reads the next changes of a caller. If its scope has changed since it got its place, that is told first.
 * Throws Refused if what it has seen may be gone: the database was restored since, or has moved.
 */
export async function followChanges(
  sources: Sources,
  place: Place,
  found: FoundPosition,
  { client, limit, wait, waits }: Follower,
): Promise<Followed> {
  const { feed, reads } = sources;
  const { position } = found;
  const identity = shortIdentity(position.identity);
  const reader = readerOf(client);
  const { isNewScope, isOnStandbys } = await judge(sources, place, position, reader);
  // With a new scope, the caller reads the lists again.
  const isSure = position.isSynchronous && !isNewScope && (found.confirms || isOnStandbys);
  const state = writeState(reader, position.places, isSure);
  const until = Math.max(place.after, position.knownNo);
  const cursorAfter = (after: number) => writeCursor({ identity, state, after });
  // While commits hang, so would the page.
  if (waits && position.isSynchronous && feed.isLate()) return hold(place, { identity, state });
  const first: ChangeText[] = [];
  const room = limit - (isNewScope ? 1 : 0);
  let bytesMax = changesBytesMax;
  let page: ChangePage & { isShared: boolean };
  try {
    if (isNewScope) {
      const warehouses = await reads.run((sql) => readScope(sql, reader.wids), wait);
      const text = scopeChange(warehouses);
      first.push({ no: place.after, text });
      bytesMax -= Buffer.byteLength(text);
    }
    const asked = { wids: reader.wids, after: place.after, until, limit: Math.max(room, 1), bytesMax };
    page = await feed.read(asked, { clientId: client.clientId, life: lifeOf(position), waits });
  } catch (error) {
    if (!waits || !position.isSynchronous) throw error;
    return hold(place, { identity, state });
  }
  if (waits && page.changes.length > 0) feed.noteAnswer(page.changes.length, page.isShared);
  const isFull = room === 0;
  const after = isFull ? place.after : page.through;
  return {
    changes: first.length === 0 ? page.changes : [...first, ...(isFull ? [] : page.changes)],
    next: { after, state, identity },
    nextCursor: cursorAfter(after),
    hasMore: isFull ? page.changes.length > 0 : page.hasMore,
    isHeld: false,
    cursorAfter,
  };
}

/** The caller keeps its place. */
function hold(place: Place, { identity, state }: { identity: string; state: string }): Followed {
  const next = { after: place.after, state: place.state ?? state, identity };
  const cursorAfter = (after: number) => writeCursor({ ...next, after });
  const nextCursor = cursorAfter(place.after);
  return { changes: [], next, nextCursor, hasMore: false, isHeld: true, cursorAfter };
}

/** Throws Refused if a reader at this place may have seen what is gone. */
async function judge({ feed, reads }: Sources, place: Place, position: FeedPosition, reader: FeedReader) {
  const isOfOther = place.identity !== null && place.identity !== shortIdentity(position.identity);
  if (isOfOther) throw new Refused(cursorOutdated);
  const judged = judgePlace(place, position.places, reader);
  const isThere =
    !judged.lost &&
    place.after <= position.drawnNo &&
    (!judged.isFromBefore || (await reads.run((sql) => isCommitted(sql, place.after))));
  if (isThere) return judged;
  // An operator learns it from `doctor`. The caller is refused in any case.
  if (feed.isFirstRefusal(lifeOf(position))) reads.run(noteRefusedCursor).catch(() => {});
  throw new Refused(cursorOutdated);
}

/** Makes something of changes once for all callers that share a page and have the same cursors. */
function once<T>(make: (followed: Followed) => T): (followed: Followed) => T {
  const made = new WeakMap<readonly ChangeText[], Map<string, T>>();
  return (followed) => {
    const ofPage = made.get(followed.changes) ?? new Map<string, T>();
    made.set(followed.changes, ofPage);
    const found = ofPage.get(followed.nextCursor) ?? make(followed);
    ofPage.set(followed.nextCursor, found);
    return found;
  };
}

/** The JSON body of an answer. */
export const bodyOf = once(({ changes, cursorAfter, nextCursor, hasMore }) => {
  const value = changes.map(({ text }) => text).join();
  const cursors = changes.map(({ no }) => `"${cursorAfter(no)}"`).join();
  const each = changes.length === 0 ? '' : `,"cursors":[${cursors}]`;
  return Buffer.from(`{"value":[${value}],"nextCursor":"${nextCursor}","hasMore":${hasMore}${each}}`);
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
