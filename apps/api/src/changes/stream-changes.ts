import type { Readable } from 'node:stream';
import { createTextStream } from '../lists/text-stream.ts';
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
  first: Followed & { wids: ReadonlySet<number> },
  next: (place: Place) => Promise<Followed & { wids: ReadonlySet<number> }>,
): Readable {
  const { readable, write, onGone } = createTextStream(readerIdleMs);

  async function writeInPieces(bytes: Buffer) {
    for (let from = 0; from < bytes.length; from += pieceBytes)
      await write(bytes.subarray(from, from + pieceBytes));
  }

  async function send() {
    let followed = first;
    await write(`retry: ${retryMs}\n\n`);
    while (!readable.destroyed) {
      await writeInPieces(eventsOf(followed));
      if (feed.hasStopped()) return;
      const { wids, next: place, hasMore } = followed;
      if (hasMore) await feed.untilRested(signOfLifeMs, onGone);
      else await feed.untilTouched({ wids, after: place.after }, signOfLifeMs, onGone);
      followed = await next(place);
    }
  }

  send().then(
    () => readable.push(null),
    () => readable.push(null),
  );
  return readable;
}
