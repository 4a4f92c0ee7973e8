import { Permission } from '@inventory/auth/permission';
import type { Wait } from '@inventory/db/postgres/statement-pool';
import { ChangePage } from '@inventory/domain/contract/change';
import { digestScope, readCursor } from '@inventory/domain/contract/change-cursor';
import { z } from 'zod';
import type { Feed } from '../changes/feed.ts';
import {
  beginning,
  bodyOf,
  cursorAt,
  followChanges,
  type Place,
  positionFor,
} from '../changes/follow-changes.ts';
import { streamChanges } from '../changes/stream-changes.ts';
import type { Database } from '../database.ts';
import type { AuthenticatedClient } from '../http/callers/authenticator.ts';
import type { Standing } from '../http/connections/standing.ts';
import { Refused } from '../http/errors.ts';
import { type Call, noWarehouses, type Reply, route } from '../http/route.ts';
import { changes } from '../openapi/descriptions/changes.ts';

const limitDefault = 250;
const limitMax = 1000;
const waitMaxSeconds = 25;
// For what is read once something has come.
const readWithinMs = 4000;

const integer = z
  .string()
  .regex(/^\d{1,15}$/, { error: 'must be a plain integer.' })
  .transform(Number);
const misread = 'must be `now` or a cursor that this service has given.';

const changesQuery = z.object({
  after: z
    .string()
    .transform((text, context) => {
      if (text === 'now') return text;
      const cursor = readCursor(text);
      if (cursor !== null) return cursor;
      context.addIssue({ code: 'custom', message: misread });
      return z.NEVER;
    })
    .optional()
    .meta({
      description:
        'A `nextCursor`, or the `cursor` of `GET /Me`: only changes behind it. `now`: none, only a cursor. Without it: from the beginning',
    }),
  limit: integer
    .refine((limit) => limit >= 1, { error: 'must be at least 1.' })
    .transform((limit) => Math.min(limit, limitMax))
    .default(limitDefault)
    .meta({
      description: `The most changes of one answer; more than ${limitMax} is capped to ${limitMax}`,
      type: 'integer',
      format: 'int32',
      minimum: 1,
      default: limitDefault,
    }),
  wait: integer
    .transform((seconds) => Math.min(seconds, waitMaxSeconds))
    .default(0)
    .meta({
      description: `Seconds to wait for a change if there is none; more than ${waitMaxSeconds} is capped to ${waitMaxSeconds}`,
      type: 'integer',
      format: 'int32',
      minimum: 0,
      default: 0,
    }),
});
type Query = z.infer<typeof changesQuery>;

/** The part of the database that the feed needs. */
export type ChangeSources = { feed: Feed; reads: Database['reads']; standing: Pick<Standing, 'noteIdling'> };

/** The change feed: `GET /Changes`. */
export function changeRoutes(sources: ChangeSources) {
  return [
    route({
      method: 'GET',
      path: '/Changes',
      isExtension: true,
      summary: 'Follow every change, in order and without gaps',
      permission: Permission.ItemMasterList,
      writes: false,
      query: changesQuery,
      warehouses: noWarehouses,
      answer: { 200: ChangePage },
      keyed: false,
      paged: 'never',
      notFound: null,
      limitMs: waitMaxSeconds * 1000 + readWithinMs,
      description: changes,
      handle: (call) => (wantsEvents(call) ? sendEvents(sources, call) : sendCounted(sources, call)),
    }),
  ];
}

type ChangesCall = Call<undefined, Query, undefined>;

function wantsEvents({ header, res }: ChangesCall): boolean {
  const isAccepted = /(?:^|,)\s*text\/event-stream\s*(?:[;,]|$)/i.test(header('Accept') ?? '');
  // A request for the head alone would never get the end of a stream.
  return isAccepted && res.req.method !== 'HEAD';
}

/** Waits as the feed does. Meanwhile, the caller's connection may be closed to make room for another. */
function idle(
  { feed, standing }: ChangeSources,
  { res }: ChangesCall,
): Pick<Feed, 'untilTouched' | 'untilRested'> {
  const { socket } = res.req;
  const idly = async (waiting: Promise<void>) => {
    standing.noteIdling(socket, true);
    await waiting;
    standing.noteIdling(socket, false);
  };
  return {
    untilTouched: (...args) => idly(feed.untilTouched(...args)),
    untilRested: (...args) => idly(feed.untilRested(...args)),
  };
}

const soon = (wait: Wait): Wait => ({ ...wait, until: performance.now() + readWithinMs });

async function sendCounted(sources: ChangeSources, call: ChangesCall): Promise<Reply> {
  const leave = call.query.wait > 0 ? sources.feed.enter() : () => {};
  return sendPage(sources, call).finally(leave);
}

async function sendPage(sources: ChangeSources, call: ChangesCall): Promise<Reply> {
  const { feed } = sources;
  const { query, arrivedAt, wait } = call;
  if (query.after === 'now') {
    const position = await feed.position();
    const nextCursor = cursorAt(position.knownNo, position, digestScope(call.client.scope));
    return { status: 200, text: JSON.stringify({ value: [], nextCursor, hasMore: false }) };
  }
  const waits = query.wait > 0;
  const waiting = idle(sources, call);
  const until = arrivedAt + query.wait * 1000;
  const leftMs = () => until - performance.now();
  let place: Place = query.after ?? beginning;
  let { client } = call;
  let waitedMs = 0;
  const waitFor = async (waited: Promise<void>) => {
    const beganAt = performance.now();
    await waited;
    waitedMs += performance.now() - beganAt;
    // Rights may have ended meanwhile.
    client = await call.renew();
  };
  for (;;) {
    if (waits && feed.isResting()) await waitFor(waiting.untilRested(leftMs(), wait.onGone));
    // A caller that does not wait sees everything that was answered before.
    const position = await positionFor(feed, place, waits);
    const asked = { client, limit: query.limit, wait: soon(wait), waits };
    const followed = await followChanges(sources, place, position, asked);
    const isOver = leftMs() <= 0 || wait.hasGone() || feed.hasStopped();
    if (followed.changes.length > 0 || isOver) {
      return { status: 200, text: bodyOf(followed), waitedMs };
    }
    place = followed.next;
    const to = { wids: client.scope, after: place.after };
    await waitFor(waiting.untilTouched(to, leftMs(), wait.onGone));
  }
}

async function sendEvents(sources: ChangeSources, call: ChangesCall): Promise<Reply> {
  const { feed } = sources;
  // A reader that connects again repeats the parameters that it began with, so its last id counts.
  const lastId = call.header('Last-Event-ID');
  const cursor = lastId === undefined ? call.query.after : readCursor(lastId);
  if (cursor === null) throw new Refused({ code: 'bad_request', message: `Last-Event-ID ${misread}` });
  const read = async (client: AuthenticatedClient, place: Place) => {
    const asked = { client, limit: call.query.limit, wait: soon(call.wait), waits: true };
    const position = await positionFor(feed, place, true);
    const followed = await followChanges(sources, place, position, asked);
    return { ...followed, wids: client.scope };
  };
  const begin =
    cursor === 'now' ? { ...beginning, after: (await feed.position()).knownNo } : (cursor ?? beginning);
  const first = await read(call.client, begin);
  const events = streamChanges({ ...feed, ...idle(sources, call) }, first, async (place) =>
    read(await call.renew(), place),
  );
  events.once('close', feed.enter());
  return { status: 200, events };
}
