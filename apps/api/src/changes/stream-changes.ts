import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnswerSpace } from '../http/unread-answers.ts';
import { createTextStream, type TextStream } from '../lists/text-stream.ts';
import type { ClientFeed } from './feed.ts';
import { eventsOf, type Followed, heldMs, type Place } from './follow-changes.ts';
import type { ToldPages } from './told-pages.ts';

// A reader that takes nothing for this long has gone.
const readerIdleMs = 10_000;
// Proxies end connections that are silent for a minute; this service ends its own after half a minute.
const signOfLifeMs = 15_000;
// A reader on a slow network takes each piece within `readerIdleMs`.
const pieceBytes = 64 * 1024;
// When a reader connects again after its connection has ended.
const retryMs = 1000;

/**
 * Sends changes as server-sent events, beginning with `first`, until the reader goes, its rights end, or the
 * feed stops. Each event's id is the cursor behind it. `next`: reads on from a place with the rights of that
 * moment; if it fails, the stream ends, and the reader learns why when it connects again. `space`: what the
 * reader has not taken yet.
 */
export function streamChanges(
  feed: Pick<ClientFeed, 'untilTouched' | 'untilRested' | 'hasStopped'>,
  first: Read,
  next: (place: Place) => Promise<Read>,
  space: Pick<AnswerSpace, 'set'>,
  pages: ToldPages,
): Readable {
  const out = { ...createTextStream(readerIdleMs), space };
  const end = () => out.readable.push(null);
  follow(out, feed, begin(out, first), next, pages).then(end, end);
  return out.readable;
}

type Out = TextStream & { space: Pick<AnswerSpace, 'set'> };

type Read = Followed & { clientId: string; wids: ReadonlySet<number> };
/** The place of a reader: all that is kept of what it was told, while it waits. */
type At = Pick<Read, 'clientId' | 'wids' | 'next' | 'hasMore' | 'isHeld'>;

async function begin(out: Out, first: Read): Promise<At> {
  await out.write(`retry: ${retryMs}\n\n`);
  return tell(out, first);
}

async function tell({ readable, space, write }: Out, read: Read): Promise<At> {
  const bytes = eventsOf(read);
  space.set(bytes);
  for (let from = 0; from < bytes.length; from += pieceBytes)
    await write(bytes.subarray(from, from + pieceBytes));
  // The last piece goes to the socket at once, unless its reader is slow.
  await nextTurn();
  space.set(readable.readableLength);
  const { clientId, wids, next, hasMore, isHeld } = read;
  return { clientId, wids, next, hasMore, isHeld };
}

async function follow(
  out: Out,
  feed: Parameters<typeof streamChanges>[0],
  told: Promise<At>,
  next: (place: Place) => Promise<Read>,
  pages: ToldPages,
) {
  let at = await told;
  const goesOn = () => !out.readable.destroyed && !feed.hasStopped();
  while (goesOn()) {
    const { clientId, wids } = at;
    const followed = { clientId, wids, after: at.isHeld ? Number.POSITIVE_INFINITY : at.next.after };
    if (at.hasMore) await feed.untilRested(signOfLifeMs, out.onGone);
    else await feed.untilTouched(followed, at.isHeld ? heldMs : signOfLifeMs, out.onGone);
    while (goesOn() && pages.restMs() > 0) {
      const nothing = { ...followed, after: Number.POSITIVE_INFINITY };
      await feed.untilTouched(nothing, Math.min(pages.restMs(), signOfLifeMs), out.onGone);
      if (pages.restMs() > 0) await out.write(':\n\n');
    }
    if (!goesOn()) return;
    at = await tellNext(out, next(at.next), pages);
  }
}

/** By itself, so that nothing of the page is kept while its reader waits. */
async function tellNext(out: Out, reading: Promise<Read>, pages: ToldPages): Promise<At> {
  const read = await reading;
  if (read.changes.length > 0) await pages.note();
  return tell(out, read);
}
