import { randomBytes } from 'node:crypto';
import type { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { blockMs, type Consumers } from './redis.ts';
import type { RedisConnection } from './redis-cluster.ts';

// The end of a job is told to the api that waits for it and to nobody else: in a stream of its own for each
// shard, which the id of the job names. BullMQ writes it in the step that ends the job, so it costs no turn
// with Redis. The id is part of what an envelope is signed for, so nobody else can have an answer sent
// elsewhere.

/** An api process that waits for answers: 16 letters that no other one has. */
export type Reader = string;

const readerPattern = /^[\w-]{16}$/;
const idPattern = /^([\w-]{16})\.\d{1,15}$/;

/** Draws the name of an api process. */
export function drawReader(): Reader {
  return randomBytes(12).toString('base64url');
}

/** The id of the `count`th job of an api process. */
export function jobIdOf(reader: Reader, count: number): string {
  return `${reader}.${count}`;
}

/** Where an api hears of the ends of its jobs; `queueKeys`: as the keys of the shard begin. */
export function answersKey(queueKeys: string, reader: Reader): string {
  return `${queueKeys}:answers:${reader}`;
}

/** The name of the connection by which an api hears of its jobs; `doctor` looks when it was last used. */
export function answersConnectionName(prefix: string, reader: Reader): string {
  return `${prefix}:answers:${reader}`;
}

/** The api whose connection has this name; null: it is another connection. */
export function readerNamedIn(name: string, prefix: string): Reader | null {
  const start = answersConnectionName(prefix, '');
  const reader = name.slice(start.length);
  return name.startsWith(start) && readerPattern.test(reader) ? reader : null;
}

/** The api that waits for a job; null: none does, or one of a version that reads what all are told. */
export function readerOf(jobId: string): Reader | null {
  return idPattern.exec(jobId)?.[1] ?? null;
}

// An api renews this for as long as it is there, and so does a worker that answers one that may not be.
const keptMs = 60_000;
const renewEveryMs = 10_000;
// An api that closes leaves its streams empty for this long: a job that ends late may still write there, and
// its worker may have renewed the stream a moment ago.
const keptAfterMs = 15_000;
// The key of the stream of events in the list of what BullMQ's script gets.
const eventsAt = 3;

/**
 * Has a worker tell the end of each job to the api that waits for it. `connection`: by which streams of apis
 * that have gone are made to end.
 */
export function answerReaders(worker: Worker, queueKeys: string, connection: RedisConnection): void {
  const { backend } = worker;
  const makeCompleted = backend.moveToCompletedArgs.bind(backend);
  const makeFailed = backend.moveToFailedArgs.bind(backend);
  function toReader<Args extends unknown[]>(jobId: string | undefined, args: Args): Args {
    const reader = readerOf(jobId ?? '');
    if (reader !== null) args[eventsAt] = answersKey(queueKeys, reader);
    return args;
  }
  backend.moveToCompletedArgs = (job, ...rest) => toReader(job.id, makeCompleted(job, ...rest));
  backend.moveToFailedArgs = (job, ...rest) => toReader(job.id, makeFailed(job, ...rest));
  const renewedAt = new Map<string, number>();
  const renew = (jobId = '') => {
    const reader = readerOf(jobId);
    if (reader === null) return;
    const now = performance.now();
    if (now - (renewedAt.get(reader) ?? Number.NEGATIVE_INFINITY) < renewEveryMs) return;
    for (const [each, at] of renewedAt) if (now - at > renewEveryMs) renewedAt.delete(each);
    renewedAt.set(reader, now);
    connection.pexpire(answersKey(queueKeys, reader), keptMs).catch(() => renewedAt.delete(reader));
  };
  worker.on('completed', ({ id }) => renew(id));
  worker.on('failed', (job) => renew(job?.id));
}

/** The calls that tell an api about a shard's job; `answer`: the job's answer in Redis, unchecked. */
export type Told = {
  completed(jobId: string, answer: unknown): void;
  /** Not an answer: a job can be called failed after its work was committed. */
  failed(jobId: string): void;
};

/** Reads what an api process is told. */
export type AnswerReader = {
  /** Hears of the jobs of this queue too, from the next read on; resolves when that is under way. */
  add(queue: Queue, told: Told): Promise<void>;
  close(): Promise<void>;
};

const tidyEveryMs = 1000;
const restMs = 50;

type Stream = { told: Told; lastId: string; tidiedTo: string };

/**
 * Reads the streams of an api process, those of one server over one connection that blocks, and removes what
 * was read. `producer`: the connection for commands; stays the caller's, as do `consumers`.
 */
export function readAnswers(options: {
  reader: Reader;
  consumers: Consumers;
  producer: RedisConnection;
  report: (error: Error, what: string) => void;
}): AnswerReader {
  const { reader, consumers, producer, report } = options;
  const streams = new Map<string, Stream>();
  const readings = new Map<Redis, Reading>();

  let renewedAt = Number.NEGATIVE_INFINITY;
  const tidy = () => {
    if (producer.status !== 'ready') return;
    const isDue = performance.now() - renewedAt >= renewEveryMs;
    if (isDue) renewedAt = performance.now();
    for (const [key, stream] of streams) {
      if (stream.lastId !== stream.tidiedTo) {
        stream.tidiedTo = stream.lastId;
        // A full Redis takes this, too.
        producer.xtrim(key, 'MINID', stream.lastId).catch(() => {});
      }
      if (isDue) producer.pexpire(key, keptMs).catch(() => {});
    }
  };
  const timer = setInterval(tidy, tidyEveryMs);
  timer.unref();

  return {
    add(queue, told) {
      const key = answersKey(queue.qualifiedName, reader);
      const stream = { told, lastId: '0-0', tidiedTo: '0-0' };
      const consumer = consumers.of(key);
      const reading = readings.get(consumer) ?? startReading(consumer, report);
      readings.set(consumer, reading);
      streams.set(key, stream);
      return reading.add(key, stream);
    },
    async close() {
      for (const reading of readings.values()) reading.stop();
      clearInterval(timer);
      if (producer.status === 'ready') {
        await Promise.all(
          [...streams.keys()].map((key) =>
            Promise.all([producer.xtrim(key, 'MAXLEN', 0), producer.pexpire(key, keptAfterMs)]).catch(
              () => {},
            ),
          ),
        );
      }
    },
  };
}

/** The reads over one connection. */
type Reading = {
  /** Resolves when a read that hears of this stream, too, is under way. */
  add(key: string, stream: Stream): Promise<void>;
  stop(): void;
};

/** Reads over a connection, again and again, all streams that were added. */
function startReading(consumer: Redis, report: (error: Error, what: string) => void): Reading {
  const streams = new Map<string, Stream>();
  let asked: (() => void)[] = [];
  let closed = false;

  // A server that took over may give smaller ids than the one before it gave: the streams are read again from
  // their beginning, which is what was not removed yet. What was answered already is nobody's.
  const startOver = () => {
    for (const stream of streams.values()) stream.lastId = '0-0';
  };
  consumer.on('ready', startOver);

  async function read() {
    while (!closed) {
      try {
        const keys = [...streams.keys()];
        const reading = consumer.xread(
          'BLOCK',
          blockMs,
          'STREAMS',
          ...keys,
          ...keys.map((key) => streams.get(key)!.lastId),
        );
        for (const resolve of asked.splice(0)) resolve();
        for (const [key, entries] of (await reading) ?? []) tell(streams.get(key)!, entries);
      } catch (error) {
        if (closed) return;
        report(error as Error, 'reading answers');
        await new Promise((resolve) => setTimeout(resolve, restMs));
      }
    }
  }

  return {
    add(key, stream) {
      const isFirst = streams.size === 0;
      streams.set(key, stream);
      const underWay = new Promise<void>((resolve) => asked.push(resolve));
      if (isFirst) void read();
      return underWay;
    },
    stop() {
      closed = true;
      asked = [];
      consumer.off('ready', startOver);
    },
  };
}

function tell(stream: Stream, entries: [id: string, fields: string[]][]) {
  for (const [id, fields] of entries) {
    stream.lastId = id;
    const { event, jobId = '', returnvalue = 'null' } = pairsOf(fields);
    if (event === 'completed') stream.told.completed(jobId, parse(returnvalue));
    else if (event === 'failed') stream.told.failed(jobId);
  }
}

function pairsOf(fields: readonly string[]): Partial<Record<string, string>> {
  const pairs: Record<string, string> = {};
  for (let index = 0; index + 1 < fields.length; index += 2) pairs[fields[index]!] = fields[index + 1]!;
  return pairs;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
