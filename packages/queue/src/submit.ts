import { randomUUID } from 'node:crypto';
import { within } from '@inventory/process/within';
import { QueueEvents } from 'bullmq';
import {
  type Envelope,
  type EnvelopeResult,
  type Outcome,
  type QueuedRequest,
  shardOf,
  unpackOutcome,
} from './envelope.ts';
import type { Lane, SentEnvelope, Waiter } from './lane.ts';
import { lastEventOf } from './last-event.ts';
import { openQueue } from './queue.ts';
import { connectConsumer, connectProducer } from './redis.ts';

/** What the caller is told: an outcome, or `busy` (never sent, never will be), or `unknown` (Postgres could not be asked). */
export type Answer = Outcome | { status: 'busy' | 'unknown'; result: null };

/** The life of a request in the api, milliseconds after it came. */
export const patience = {
  /** Postgres is asked whether it is already decided: its completion event may be lost. */
  lookAfterMs: 250,
  /** The verdict: what is not decided by now never will be. */
  verdictAfterMs: 2500,
  /** The last moment to answer at all, but for a process that stood still: it must ask first. */
  giveUpAfterMs: 3100,
} as const;

// Who would have to wait longer than this for an answer is refused at once; who waits longer to be sent, then. The difference is what
// an estimate may be wrong by.
const busyFromMs = 700;
const dropAfterMs = 1000;
// With fewer requests under way one more envelope costs nobody anything, and the one in it waits for nobody.
const gatherFrom = 8;
// An envelope that took this many times the average: those that come meanwhile go without its answers.
const unusual = 2;
// The pace is that of about so many requests.
const paceOver = 128;
// A command to Redis that takes this long: Redis hangs, and what is not sent yet need not wait with it.
const hungAfterMs = 300;
const closeWithinMs = 1000;
const sweepEveryMs = 25;
// Between two sweeps: the process was frozen, or its machine.
const stoodStillMs = 300;

export type SubmitOptions = {
  redisUrl: string;
  prefix: string;
  shardCount: number;
  /** Requests in one envelope, at most. */
  envelopeMax: number;
  /** Envelopes of one shard under way at once, at most: full ones, and more when one takes unusually long. */
  inFlightMax: number;
  /** Reads what was decided about these requests; the others are missing. */
  readOutcomes: (requestIds: string[]) => Promise<Map<string, Outcome>>;
  /** Decides every request that is not decided yet: never applied. */
  settle: (requestIds: string[]) => Promise<Map<string, Outcome>>;
  report: (error: Error, what: string) => void;
};

export type Submitter = {
  /**
   * Sends a request and waits for its answer; never throws, and never waits longer than the patience above, counted from
   * `arrivedAt` (of `performance.now()`): the time a request spent before it came here is its caller's time too.
   */
  submit(request: QueuedRequest, arrivedAt: number): Promise<Answer>;
  /** Whether Redis takes work now. */
  isOpen(): boolean;
  /** Waiting and sent requests. */
  waitingCount(): number;
  /** Waits for the answers still due, then closes the connections. */
  close(): Promise<void>;
};

/**
 * The api's side of the queue. Requests that arrive in one turn of the event loop, or while many are under way, travel together;
 * no timer is set for that, and a few callers wait for nobody. An answer comes by the completion of the job. Whenever it does
 * not, Postgres decides: a request is answered "not applied" only once it can never be applied.
 */
export async function createSubmitter(options: SubmitOptions): Promise<Submitter> {
  const waiters = new Map<string, Waiter>();
  const producer = connectProducer(options.redisUrl, (error) => options.report(error, 'queue connection'));
  const lanes: Lane[] = [];
  for (let shard = 0; shard < options.shardCount; shard++) lanes.push(await openLane(shard));

  async function openLane(shard: number): Promise<Lane> {
    const queue = openQueue({
      shard,
      prefix: options.prefix,
      connection: producer,
      onError: (error) => options.report(error, 'queue'),
    });
    const consumer = connectConsumer(options.redisUrl, (error) => options.report(error, 'events connection'));
    // From a place in time, not from "new ones": events between two reads must not be lost. Events from before this
    // process started concern nobody here.
    const events = new QueueEvents(queue.name, {
      connection: consumer,
      prefix: options.prefix,
      lastEventId: await lastEventOf(producer, queue.toKey('events')),
    });
    const lane: Lane = {
      queue,
      events,
      consumer,
      waiting: [],
      sent: new Map(),
      scheduled: false,
      roundTripMs: 5,
      paceMs: 0,
      lastSentAt: null,
      addsUnderWay: new Set(),
    };
    events.on('error', (error) => options.report(error, 'queue events'));
    events.on('completed', ({ jobId, returnvalue }) => complete(lane, jobId, returnvalue as unknown));
    // Not an answer: a job can be called failed after its work was committed.
    events.on('failed', ({ jobId }) => {
      const envelope = lane.sent.get(jobId);
      if (envelope !== undefined) void settleWaiters(waitersOf(envelope));
    });
    return lane;
  }

  function complete(lane: Lane, jobId: string, returned: unknown) {
    const envelope = lane.sent.get(jobId);
    if (envelope === undefined) return;
    const results = returned as EnvelopeResult;
    envelope.requestIds.forEach((requestId, index) => {
      const packed = results[index];
      if (packed !== undefined) answer(requestId, unpackOutcome(packed));
    });
  }

  function answer(requestId: string, outcome: Answer) {
    const waiter = waiters.get(requestId);
    if (waiter === undefined) return;
    waiters.delete(requestId);
    waiter.resolve(outcome);
    const { envelope } = waiter;
    if (envelope === null) return;
    envelope.open -= 1;
    if (envelope.open > 0) return;
    const { lane } = envelope;
    lane.sent.delete(envelope.jobId);
    // However its answers came: while their events are lost, and Postgres is asked, they take as long as that.
    lane.roundTripMs += (performance.now() - envelope.sentAt - lane.roundTripMs) / 8;
    schedule(lane);
  }

  function schedule(lane: Lane) {
    if (lane.scheduled || lane.waiting.length === 0) return;
    lane.scheduled = true;
    setImmediate(() => {
      lane.scheduled = false;
      const before = lane.waiting.length;
      while (lane.waiting.length > 0 && maySend(lane)) {
        void send(lane, lane.waiting.splice(0, options.envelopeMax));
      }
      if (lane.waiting.length < before) notePace(lane, before - lane.waiting.length);
    });
  }

  /**
   * An envelope costs as much as several requests: while some are under way, those that come wait for their answers and travel
   * together. Those that fill an envelope need not, and nobody waits for one that takes unusually long.
   */
  function maySend(lane: Lane): boolean {
    if (lane.sent.size >= options.inFlightMax) return false;
    if (lane.waiting.length >= options.envelopeMax) return true;
    let underWay = 0;
    let newestSentAt = 0;
    // In the order of sending.
    for (const { open, sentAt } of lane.sent.values()) {
      underWay += open;
      newestSentAt = sentAt;
    }
    return underWay < gatherFrom || performance.now() - newestSentAt > unusual * lane.roundTripMs;
  }

  /** How fast requests leave while others have to wait: with what this process itself takes from one envelope to the next. */
  function notePace(lane: Lane, sentCount: number) {
    const now = performance.now();
    if (lane.lastSentAt !== null) lane.paceMs += (now - lane.lastSentAt - sentCount * lane.paceMs) / paceOver;
    lane.lastSentAt = now;
    if (lane.waiting.length > 0) return;
    // Nobody waits any more: a pace of a bad moment, kept, would refuse all who would have to wait, and so never be measured again.
    lane.lastSentAt = null;
    lane.paceMs = 0;
  }

  async function send(lane: Lane, batch: Waiter[]) {
    const sentAt = performance.now();
    const envelope: SentEnvelope = {
      // Its own id: a lost reply to `add` must not end in two jobs.
      jobId: randomUUID(),
      lane,
      requestIds: batch.map((waiter) => waiter.request.requestId),
      open: batch.length,
      sentAt,
    };
    lane.sent.set(envelope.jobId, envelope);
    for (const waiter of batch) waiter.envelope = envelope;
    const data: Envelope = { requests: batch.map((waiter) => waiter.request) };
    lane.addsUnderWay.add(sentAt);
    try {
      await lane.queue.add('envelope', data, {
        jobId: envelope.jobId,
        removeOnComplete: true,
        removeOnFail: true,
        // For errors of the infrastructure only; a refusal is a value.
        attempts: 3,
        backoff: { type: 'fixed', delay: 200 },
      });
    } catch (error) {
      options.report(error as Error, 'sending an envelope');
      // It may be in the queue all the same.
      await settleWaiters(waitersOf(envelope));
    } finally {
      lane.addsUnderWay.delete(sentAt);
    }
  }

  function waitersOf(envelope: SentEnvelope): Waiter[] {
    return envelope.requestIds.flatMap((requestId) => waiters.get(requestId) ?? []);
  }

  async function settleWaiters(due: Waiter[]) {
    const open = due.filter((waiter) => !waiter.settling);
    if (open.length === 0) return;
    for (const waiter of open) waiter.settling = true;
    try {
      const outcomes = await options.settle(open.map((waiter) => waiter.request.requestId));
      for (const [requestId, outcome] of outcomes) answer(requestId, outcome);
    } catch (error) {
      options.report(error as Error, 'the verdict');
    } finally {
      for (const waiter of open) waiter.settling = false;
    }
  }

  async function look(due: Waiter[]) {
    try {
      const outcomes = await options.readOutcomes(due.map((waiter) => waiter.request.requestId));
      for (const [requestId, outcome] of outcomes) answer(requestId, outcome);
    } catch (error) {
      options.report(error as Error, 'looking for a lost answer');
    }
  }

  // The clock of every waiter. Map order is nearly the order of arrival, so it stops at the first one that is young enough.
  let sweptAt = performance.now();
  const sweep = setInterval(() => {
    const now = performance.now();
    if (now - sweptAt >= stoodStillMs) {
      // Nobody was asked meanwhile, and what came was not read: as long as a verdict may take is left to everybody.
      const giveUpAt = now + patience.giveUpAfterMs - patience.verdictAfterMs;
      for (const waiter of waiters.values()) waiter.giveUpAt = Math.max(waiter.giveUpAt, giveUpAt);
    }
    sweptAt = now;
    const toLook: Waiter[] = [];
    const toSettle: Waiter[] = [];
    for (const waiter of waiters.values()) {
      const age = now - waiter.startedAt;
      if (age < patience.lookAfterMs) break;
      if (now >= waiter.giveUpAt) answer(waiter.request.requestId, { status: 'unknown', result: null });
      else if (waiter.envelope === null) {
        if (age >= dropAfterMs) dropUnsent(waiter);
      } else if (age >= patience.verdictAfterMs) toSettle.push(waiter);
      else if (now - waiter.lookedAt >= patience.lookAfterMs) {
        waiter.lookedAt = now;
        toLook.push(waiter);
      }
    }
    for (const lane of lanes) schedule(lane);
    if (toLook.length > 0) void look(toLook);
    if (toSettle.length > 0) void settleWaiters(toSettle);
  }, sweepEveryMs);

  /** What was never sent can be refused without a verdict. */
  function dropUnsent(waiter: Waiter) {
    const lane = laneOf(waiter.request);
    const place = lane.waiting.indexOf(waiter);
    if (place >= 0) lane.waiting.splice(place, 1);
    answer(waiter.request.requestId, { status: 'busy', result: null });
  }

  function laneOf(request: QueuedRequest): Lane {
    return lanes[shardOf(request.body.itemID, options.shardCount)]!;
  }

  /** Whether a request that joins the lane now would probably be answered too late, or Redis does not take work. */
  function isBusy(lane: Lane, arrivedAt: number): boolean {
    if (producer.status !== 'ready') return true;
    const [oldestAdd] = lane.addsUnderWay;
    if (oldestAdd !== undefined && performance.now() - oldestAdd > hungAfterMs) return true;
    // All that came in this turn still wait, those who may go at its end too.
    const ahead = lane.waiting.length - (options.inFlightMax - lane.sent.size) * options.envelopeMax;
    if (ahead < 0) return false;
    const paceMs = Math.max(lane.paceMs, lane.roundTripMs / options.inFlightMax / options.envelopeMax);
    const waitMs = (ahead + options.envelopeMax) * paceMs;
    return performance.now() - arrivedAt + waitMs + lane.roundTripMs > busyFromMs;
  }

  return {
    submit(request, arrivedAt) {
      const known = waiters.get(request.requestId);
      if (known !== undefined) return known.promise;
      const lane = laneOf(request);
      if (isBusy(lane, arrivedAt)) return Promise.resolve({ status: 'busy', result: null });
      let resolve!: (answer: Answer) => void;
      const promise = new Promise<Answer>((done) => {
        resolve = done;
      });
      const waiter = {
        request,
        startedAt: arrivedAt,
        lookedAt: arrivedAt,
        giveUpAt: arrivedAt + patience.giveUpAfterMs,
        resolve,
        promise,
        envelope: null,
        settling: false,
      };
      waiters.set(request.requestId, waiter);
      lane.waiting.push(waiter);
      schedule(lane);
      return promise;
    },
    isOpen: () => producer.status === 'ready',
    waitingCount: () => waiters.size,
    async close() {
      while (waiters.size > 0) await Promise.race([...waiters.values()].map((waiter) => waiter.promise));
      clearInterval(sweep);
      for (const { events, queue, consumer } of lanes) {
        // Without Redis the library waits for it.
        await within(closeWithinMs, Promise.all([events.close(), queue.close()])).catch(() => {});
        consumer.disconnect();
      }
      producer.disconnect();
    },
  };
}
