import { setTimeout as pause } from 'node:timers/promises';
import type { RateLimiter } from '@inventory/auth/rate-limit';
import { ChangePage } from '@inventory/domain/contract/change';
import { readCursor } from '@inventory/domain/contract/change-cursor';
import { Permission } from '@inventory/domain/permission';
import type { Wait } from '@inventory/postgres/statement-pool';
import { z } from 'zod';
import type { ClientFeed, Feed } from '../changes/feed.ts';
import {
  beginning,
  bodyOf,
  cursorAt,
  followChanges,
  heldMs,
  isScopeUnsettled,
  type Place,
  positionFor,
} from '../changes/follow-changes.ts';
import { streamChanges } from '../changes/stream-changes.ts';
import { createToldPages } from '../changes/told-pages.ts';
import { untilScopeSettled } from '../changes/until-scope-settled.ts';
import type { WatchedRights } from '../changes/watched-rights.ts';
import type { Database } from '../database.ts';
import { answerBytes } from '../http/answer-bytes.ts';
import type { AuthenticatedClient } from '../http/callers/authenticator.ts';
import type { Standing } from '../http/connections/caller-standing.ts';
import { Failed, messages, Refused, soonAgain } from '../http/errors.ts';
import { tooMany } from '../http/limit-headers.ts';
import { isPreferred } from '../http/reading/accept.ts';
import { type Call, noWarehouses, type Reply, route } from '../http/route.ts';
import { changes } from '../openapi/descriptions/changes.ts';

const limitDefault = 250;
const limitMax = 1000;
const waitMaxSeconds = 25;
// For what is read once something has come.
const readWithinMs = 4000;
// Between two looks at a scope that has just changed.
const settlingMs = 100;

const integer = z.string().regex(/^\d+$/, { error: 'must be a plain integer.' }).transform(Number);
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
export type ChangeSources = {
  feed: Feed;
  reads: Database['reads'];
  standing: Pick<Standing, 'noteIdling'>;
  rights: Pick<WatchedRights, 'watch'>;
  rateLimiter: RateLimiter;
  /** Requests in a window of 60 s, for clients without a limit of their own. */
  rateLimit: number;
};

/** The same for one call. */
type Sources = Omit<ChangeSources, 'feed'> & { feed: ClientFeed };

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
      answerBytes: answerBytes.changes,
      keepsRoom: true,
      keyed: false,
      paged: 'never',
      notFound: null,
      limitMs: waitMaxSeconds * 1000 + readWithinMs,
      description: changes,
      handle: (call) => answer(sources, call),
    }),
  ];
}

type ChangesCall = Call<undefined, Query, undefined>;

async function answer(sources: ChangeSources, call: ChangesCall): Promise<Reply> {
  const { clientId, rateLimit } = call.client;
  const own = { ...sources, feed: withRoom(sources.feed.of(clientId), call) };
  const isStream = wantsEvents(call);
  if (!isStream && call.query.wait === 0) return sendPage(own, call);
  const waitingMax = rateLimit ?? sources.rateLimit;
  if (own.feed.callerCount() >= waitingMax) {
    const message = `Too many calls of this client wait for changes: at most ${waitingMax} at a time.`;
    return tooMany(message, { resetMs: 1000 });
  }
  const leave = own.feed.enter();
  if (!isStream) return sendPage(own, call).finally(leave);
  // Also if the caller goes, or has gone, before there is a stream.
  if (call.res.destroyed) leave();
  else call.res.once('close', leave);
  return sendEvents(own, call, waitingMax);
}

/**
 * The feed for one call: a page is read once there is room for it among the answers that were not read yet.
 */
function withRoom(feed: ClientFeed, { space, wait }: ChangesCall): ClientFeed {
  return {
    ...feed,
    async read(asked, caller) {
      if (asked.after >= asked.until) return feed.read(asked, caller);
      if (!(await space().reserve(answerBytes.changes(), soon(wait))))
        throw new Failed(503, messages.unread, soonAgain, 'busy');
      const page = await feed.read(asked, caller);
      if (page.changes.length === 0) space().set(0);
      return page;
    },
  };
}

function wantsEvents({ header, res }: ChangesCall): boolean {
  const isAccepted = isPreferred(header('Accept') ?? '', 'text/event-stream', 'application/json');
  // A request for the head alone would never get the end of a stream.
  return isAccepted && res.req.method !== 'HEAD';
}

/**
 * Waits as the feed does, and no longer than the caller has its rights. Meanwhile, the caller's connection
 * may be closed to make room for another.
 */
function idle(
  { feed, standing, rights }: Sources,
  { res, renew }: ChangesCall,
): Pick<ClientFeed, 'untilTouched' | 'untilRested'> {
  const { socket } = res.req;
  const whileEntitled =
    (onGone: Wait['onGone']): Wait['onGone'] =>
    (tell) => {
      const forgets = [onGone?.(tell), rights.watch(renew, tell)];
      return () => {
        for (const forget of forgets) forget?.();
      };
    };
  const idly = async (waiting: Promise<void>) => {
    standing.noteIdling(socket, true);
    await waiting;
    standing.noteIdling(socket, false);
  };
  return {
    untilTouched: (followed, timeMs, onGone) =>
      idly(feed.untilTouched(followed, timeMs, whileEntitled(onGone))),
    untilRested: (timeMs, onGone) => idly(feed.untilRested(timeMs, whileEntitled(onGone))),
  };
}

const soon = (wait: Wait): Wait => ({ ...wait, until: performance.now() + readWithinMs });

async function sendPage(sources: Sources, call: ChangesCall): Promise<Reply> {
  const { feed } = sources;
  const { query, wait } = call;
  if (query.after === 'now') {
    const client = await untilScopeSettled(call, call.client);
    const nextCursor = cursorAt(await feed.position(), client);
    return { status: 200, text: JSON.stringify({ value: [], nextCursor, hasMore: false }) };
  }
  const waiting = idle(sources, call);
  const until = call.arrivedAt + query.wait * 1000;
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
    if (query.wait > 0 && feed.isResting()) await waitFor(waiting.untilRested(leftMs(), wait.onGone));
    const followed = await read(sources, call, client, place);
    const isOver = leftMs() <= 0 || wait.hasGone() || feed.hasStopped();
    if (followed.changes.length > 0 || isOver) {
      return { status: 200, text: bodyOf(followed), waitedMs };
    }
    place = followed.next;
    const { clientId, scope: wids } = client;
    const after = followed.isHeld ? Number.POSITIVE_INFINITY : place.after;
    const timeMs = followed.isHeld ? Math.min(leftMs(), heldMs) : leftMs();
    await waitFor(waiting.untilTouched({ clientId, wids, after }, timeMs, wait.onGone));
  }
}

/** Reads on from a place. A caller that does not wait sees everything that was answered before. */
async function read(
  sources: Sources,
  call: ChangesCall,
  caller: AuthenticatedClient,
  place: Place,
  waits = call.query.wait > 0,
) {
  let client = caller;
  let found = await positionFor(sources.feed, place, waits);
  const since = performance.now();
  while (isScopeUnsettled(place, found, client, since) && !call.wait.hasGone()) {
    await pause(settlingMs);
    client = await call.renew();
    found = await positionFor(sources.feed, place, waits);
  }
  const asked = { client, limit: call.query.limit, wait: soon(call.wait), waits };
  const followed = await followChanges(sources, place, found, asked);
  return { ...followed, clientId: client.clientId, wids: client.scope };
}

async function sendEvents(sources: Sources, call: ChangesCall, limit: number): Promise<Reply> {
  const { feed } = sources;
  // A reader that connects again repeats the parameters that it began with, so its last id counts.
  const lastId = call.header('Last-Event-ID');
  const cursor = lastId === undefined ? call.query.after : readCursor(lastId);
  if (cursor === null) throw new Refused({ code: 'bad_request', message: `Last-Event-ID ${misread}` });
  const begin =
    cursor === 'now' ? { ...beginning, after: (await feed.position()).knownNo } : (cursor ?? beginning);
  const first = await read(sources, call, call.client, begin, true);
  const events = streamChanges(
    { ...feed, ...idle(sources, call) },
    first,
    async (place) => read(sources, call, await call.renew(), place, true),
    call.space(),
    createToldPages(sources.rateLimiter, call.client.clientId, limit),
  );
  return { status: 200, events };
}
