/** How much may be under way of one shard. */
export type Limits = {
  /** Requests in one envelope, at most. */
  envelopeMax: number;
  /**
   * Envelopes of one shard under way at once, at most: full ones, those of as many as are under way, and more
   * when one takes unusually long.
   */
  inFlightMax: number;
};

/** An envelope under way. */
export type SentEnvelope = {
  jobId: string;
  requestIds: string[];
  /** How many of its requests still wait. */
  unanswered: number;
  sentAt: number;
  /** Whether its job has ended. */
  isDone: boolean;
};

/**
 * One shard as an api process sees it: the requests that wait, those under way, and how fast it goes. Times
 * are of `performance.now()`.
 */
export type Lane<Waiting> = {
  waiting: Waiting[];
  /** In the order of sending. */
  sent: Map<string, SentEnvelope>;
  /** Moving average of the time from sending an envelope to its answers. */
  roundTripMs: number;
  /** Moving average of the time in which one request leaves while others wait; 0 when none waits. */
  paceMs: number;
  /** When the last ones left, if some had to stay; otherwise null. */
  lastSentAt: number | null;
  /** When each command that Redis has not answered was sent, the oldest first. */
  addsUnderWay: Set<number>;
};

// A request likely to be answered later than this is refused on arrival.
const busyFromMs = 700;
// With fewer requests under way one more envelope costs nobody anything, and the one in it waits for nobody.
const gatherFrom = 8;
// An envelope that took this many times the average: those that come meanwhile go without its answers.
const lateFactor = 2;
// The pace is that of about so many requests.
const paceOver = 128;
// A command to Redis that takes this long: Redis hangs, and what is not sent yet need not wait with it.
const hungAfterMs = 300;

/** A lane in which nothing was sent yet. */
export function emptyLane<Waiting>(): Lane<Waiting> {
  return {
    waiting: [],
    sent: new Map(),
    roundTripMs: 5,
    paceMs: 0,
    lastSentAt: null,
    addsUnderWay: new Set(),
  };
}

/**
 * Whether an envelope of those that wait may leave. It costs as much as several requests: while some are
 * under way, those that come wait for their answers and travel together. Those that fill an envelope need
 * not, nor those that are as many as are under way: the worker has them when it is done with the ones before.
 * And nobody waits for one that takes unusually long.
 */
export function maySend(lane: Lane<unknown>, limits: Limits, now: number): boolean {
  if (lane.waiting.length === 0 || lane.sent.size >= limits.inFlightMax) return false;
  if (lane.waiting.length >= limits.envelopeMax) return true;
  let underWay = 0;
  let newestSentAt = 0;
  for (const { unanswered, sentAt } of lane.sent.values()) {
    underWay += unanswered;
    newestSentAt = sentAt;
  }
  return (
    underWay < gatherFrom ||
    lane.waiting.length >= underWay ||
    now - newestSentAt > lateFactor * lane.roundTripMs
  );
}

/**
 * Takes those that leave as one envelope: `max` at most, and all of those that travel together or none (these
 * are never more than `max`). One that travels alone is an envelope by itself.
 */
export function takeEnvelope<Waiting extends { together: object | null; isAlone: boolean }>(
  { waiting }: Lane<Waiting>,
  max: number,
): Waiting[] {
  if (waiting[0]?.isAlone) return waiting.splice(0, 1);
  const alone = waiting.findIndex(({ isAlone }, index) => isAlone || index === max);
  let count = alone < 0 ? waiting.length : alone;
  const cut = waiting[count]?.together ?? null;
  while (cut !== null && count > 0 && waiting[count - 1]!.together === cut) count -= 1;
  return waiting.splice(0, count === 0 ? max : count);
}

/**
 * Whether a request that came at `arrivedAt` and joins the lane now would probably be answered too late, or
 * Redis hangs.
 */
export function isBusy(lane: Lane<unknown>, limits: Limits, arrivedAt: number, now: number): boolean {
  const [oldestAdd] = lane.addsUnderWay;
  if (oldestAdd !== undefined && now - oldestAdd > hungAfterMs) return true;
  const waitMs = expectedWaitMs(lane, limits);
  return waitMs !== null && now - arrivedAt + waitMs + lane.roundTripMs > busyFromMs;
}

/**
 * How long a request that joins the lane now will probably wait to be sent; null when it leaves with this
 * turn.
 */
export function expectedWaitMs(lane: Lane<unknown>, limits: Limits): number | null {
  // All that came in this turn still wait, those who may go at its end too.
  const ahead = lane.waiting.length - (limits.inFlightMax - lane.sent.size) * limits.envelopeMax;
  if (ahead < 0) return null;
  const paceMs = Math.max(lane.paceMs, lane.roundTripMs / limits.inFlightMax / limits.envelopeMax);
  return (ahead + limits.envelopeMax) * paceMs;
}

/**
 * Notes that so many left: how fast it goes while others wait, with what this process itself takes from one
 * envelope to the next.
 */
export function notePace(lane: Lane<unknown>, sentCount: number, now: number): void {
  if (lane.lastSentAt !== null) lane.paceMs += (now - lane.lastSentAt - sentCount * lane.paceMs) / paceOver;
  lane.lastSentAt = now;
  if (lane.waiting.length > 0) return;
  // Nobody waits any more: a pace of a bad moment, kept, would refuse all who would have to wait, and so
  // never be measured again.
  lane.lastSentAt = null;
  lane.paceMs = 0;
}

/**
 * Notes that all of an envelope is answered, however its answers came: while their events are lost, and
 * Postgres is asked, they take as long as that.
 */
export function noteAnswered(lane: Lane<unknown>, envelope: SentEnvelope, now: number): void {
  lane.sent.delete(envelope.jobId);
  lane.roundTripMs += (now - envelope.sentAt - lane.roundTripMs) / 8;
}
