/** Limits for one shard. */
export type Limits = {
  /** The most requests in one envelope. */
  envelopeMax: number;
  /**
   * The most envelopes of a shard under way at once. A further one leaves only if it is full, if it has as
   * many requests as are under way, or if an answer takes unusually long.
   */
  inFlightMax: number;
};

/** An envelope under way. */
export type SentEnvelope = {
  jobId: string;
  requestIds: string[];
  /** The number of its requests that still wait. */
  unanswered: number;
  sentAt: number;
  /** Whether its job has ended. */
  isDone: boolean;
};

/**
 * The requests of one version in one shard, as an api process sees them: those that wait, the envelopes under
 * way, and the speed. Times are of `performance.now()`.
 */
export type Lane<Waiting> = {
  waiting: Waiting[];
  /** In the order of sending. */
  sent: Map<string, SentEnvelope>;
  /** Moving average of the time from sending an envelope to its answers. */
  roundTripMs: number;
  /** Moving average of the time per request sent while others wait; 0 if none wait. */
  requestMs: number;
  /** When the last envelope left, if requests had to stay behind; otherwise null. */
  lastSentAt: number | null;
  /** When each command that Redis has not answered was sent, oldest first. */
  addsUnderWay: Set<number>;
};

// A request likely to be answered later than this is refused on arrival.
const busyFromMs = 700;
// With fewer requests under way, an envelope leaves at once: it delays nobody.
const gatherFrom = 8;
// When an envelope takes this many times the average, waiting requests leave without its answers.
const lateFactor = 2;
// The time per request is averaged over about this many.
const requestsAveraged = 128;
// If a command takes this long, Redis hangs. Requests that are not sent yet need not wait for it.
const hungAfterMs = 300;

/** A lane in which nothing was sent yet. */
export function emptyLane<Waiting>(): Lane<Waiting> {
  return {
    waiting: [],
    sent: new Map(),
    roundTripMs: 5,
    requestMs: 0,
    lastSentAt: null,
    addsUnderWay: new Set(),
  };
}

/**
 * Whether an envelope may leave. An envelope costs as much as several requests. So while some are under way,
 * new requests wait for those answers and then leave together. They leave earlier if they fill an envelope,
 * or if they are as many as those under way: then they reach the worker by the time it has finished those.
 * They do not wait for an answer that takes unusually long.
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
 * Takes the requests for the next envelope: at most `max`, and either all or none of a group that must travel
 * together (a group is never larger than `max`). A request that travels alone gets an envelope of its own.
 */
export function takeEnvelope<Waiting extends { together: object | null; isAlone: boolean }>(
  { waiting }: Lane<Waiting>,
  max: number,
): Waiting[] {
  if (waiting[0]?.isAlone) return waiting.splice(0, 1);
  const alone = waiting.findIndex(({ isAlone }, index) => isAlone || index === max);
  let count = alone < 0 ? waiting.length : alone;
  const split = waiting[count]?.together ?? null;
  while (split !== null && count > 0 && waiting[count - 1]!.together === split) count -= 1;
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
 * How long a request that joins the lane now will probably wait to be sent; null if it leaves in this
 * event-loop turn.
 */
export function expectedWaitMs(lane: Lane<unknown>, limits: Limits): number | null {
  // Includes requests that came in this turn and may leave at its end.
  const ahead = lane.waiting.length - (limits.inFlightMax - lane.sent.size) * limits.envelopeMax;
  if (ahead < 0) return null;
  const requestMs = Math.max(lane.requestMs, lane.roundTripMs / limits.inFlightMax / limits.envelopeMax);
  return (ahead + limits.envelopeMax) * requestMs;
}

/**
 * Notes that requests were sent. The time per request while others wait includes the time this process
 * itself takes between envelopes.
 */
export function noteSent(lane: Lane<unknown>, sentCount: number, now: number): void {
  if (lane.lastSentAt !== null)
    lane.requestMs += (now - lane.lastSentAt - sentCount * lane.requestMs) / requestsAveraged;
  lane.lastSentAt = now;
  if (lane.waiting.length > 0) return;
  // No requests wait any more. A time from a bad moment must not be kept: it would refuse every request that
  // has to wait, and so would never be measured again.
  lane.lastSentAt = null;
  lane.requestMs = 0;
}

/**
 * Notes that a whole envelope is answered, however the answers came: while events are lost and Postgres is
 * asked instead, answers take that long.
 */
export function noteAnswered(lane: Lane<unknown>, envelope: SentEnvelope, now: number): void {
  lane.sent.delete(envelope.jobId);
  lane.roundTripMs += (now - envelope.sentAt - lane.roundTripMs) / 8;
}
