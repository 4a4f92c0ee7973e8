import type { Readable } from 'node:stream';
import { createTextStream, type TextStream } from '../lists/text-stream.ts';
import type { Feed } from './feed.ts';
import { eventsOf, type Followed, type Place } from './follow-changes.ts';

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
 * moment; if it fails, the stream ends, and the reader learns why when it connects again.
 */
export function streamChanges(
  feed: Pick<Feed, 'untilTouched' | 'untilRested' | 'hasStopped'>,
  first: Read,
  next: (place: Place) => Promise<Read>,
): Readable {
  const out = createTextStream(readerIdleMs);
  const end = () => out.readable.push(null);
  follow(out, feed, begin(out, first), next).then(end, end);
  return out.readable;
}

type Read = Followed & { wids: ReadonlySet<number> };
/** Where a reader is: all that is kept of what it was told, while it waits. */
type At = Pick<Read, 'wids' | 'next' | 'hasMore'>;

async function begin(out: TextStream, first: Read): Promise<At> {
  await out.write(`retry: ${retryMs}\n\n`);
  return tell(out, first);
}

async function tell({ write }: TextStream, read: Read): Promise<At> {
  const bytes = eventsOf(read);
  for (let from = 0; from < bytes.length; from += pieceBytes)
    await write(bytes.subarray(from, from + pieceBytes));
  const { wids, next, hasMore } = read;
  return { wids, next, hasMore };
}

async function follow(
  out: TextStream,
  feed: Parameters<typeof streamChanges>[0],
  told: Promise<At>,
  next: (place: Place) => Promise<Read>,
) {
  let at = await told;
  while (!out.readable.destroyed && !feed.hasStopped()) {
    if (at.hasMore) await feed.untilRested(signOfLifeMs, out.onGone);
    else await feed.untilTouched({ wids: at.wids, after: at.next.after }, signOfLifeMs, out.onGone);
    at = await tell(out, await next(at.next));
  }
}
