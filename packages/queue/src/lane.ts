import type { Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import type { QueuedRequest } from './envelope.ts';
import type { Answer } from './submit.ts';

/** A request whose caller waits. Times are of `performance.now()`. */
export type Waiter = {
  request: QueuedRequest;
  startedAt: number;
  lookedAt: number;
  /** The last moment to answer at all. */
  giveUpAt: number;
  resolve: (answer: Answer) => void;
  promise: Promise<Answer>;
  envelope: SentEnvelope | null;
  settling: boolean;
};

/** An envelope under way; `open`: how many of its requests still wait. */
export type SentEnvelope = { jobId: string; lane: Lane; requestIds: string[]; open: number; sentAt: number };

/** The api's side of one shard. */
export type Lane = {
  queue: Queue;
  events: QueueEvents;
  /** The connection of the events. */
  consumer: Redis;
  waiting: Waiter[];
  sent: Map<string, SentEnvelope>;
  scheduled: boolean;
  /** Moving average of the time from sending an envelope to its answers. */
  roundTripMs: number;
  /** Moving average of the time in which one request leaves while others wait; 0 when none waits. */
  paceMs: number;
  /** When the last ones left, if some had to stay; otherwise null. */
  lastSentAt: number | null;
  /** When each command that Redis has not answered was sent, the oldest first. */
  addsUnderWay: Set<number>;
};
