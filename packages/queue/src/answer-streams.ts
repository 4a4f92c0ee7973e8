import { randomBytes } from 'node:crypto';
import { lookEvery } from '@inventory/process/look-every';
import { blockMs, type Consumers } from '@inventory/redis/redis';
import type { RedisConnection } from '@inventory/redis/redis-cluster';
import type { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';

// The end of a job is reported only to the api that waits for it, through a stream for each api and shard.
// The job id names that api. BullMQ writes to the stream in the step that ends the job, so it costs no extra
// round trip. The signature of an envelope covers its job id, so no other process can redirect an answer.

/**
 * The name of an api process that reads answers: the eight letters of its database, and eight random ones. In
 * version 0.1.0 all 16 were random.
 */
export type Reader = string;

const readerPattern = /^[\w-]{16}$/;
const idPattern = /^([\w-]{16})\.\d{1,15}$/;
const namedIdPattern = /^([\w-]{8})[\w-]{8}\.0\d{1,14}$/;

/** Draws the name of an api process. `site`: the name of its database (`EnvelopeKeys`). */
export function drawReader(site: string): Reader {
  return site + randomBytes(6).toString('base64url');
}

/** The id of an api's job number `count`. The 0 says that the id names a database; see `siteOf`. */
export function jobIdOf(reader: Reader, count: number): string {
  return `${reader}.0${count}`;
}

/**
 * The database that a job is for. The signature of an envelope covers its job id, so nobody can give it to
 * another database. null: an api of version 0.1.0 sent it.
 */
export function siteOf(jobId: string): string | null {
  return namedIdPattern.exec(jobId)?.[1] ?? null;
}

/**
 * The key of the stream in which an api is told that its jobs ended. `queueKeys`: the beginning of the
 * shard's keys.
 */
export function answersKey(queueKeys: string, reader: Reader): string {
  return `${queueKeys}:answers:${reader}`;
}

/** The name of the connection on which an api reads its answers. `doctor` checks when it was last used. */
export function answersConnectionName(prefix: string, reader: Reader): string {
  return `${prefix}:answers:${reader}`;
}

/** The api whose connection has this name; null for other connections. */
export function readerNamedIn(name: string, prefix: string): Reader | null {
  const start = answersConnectionName(prefix, '');
  const reader = name.slice(start.length);
  return name.startsWith(start) && readerPattern.test(reader) ? reader : null;
}

/** The api that waits for a job; null if none does. */
export function readerOf(jobId: string): Reader | null {
  return idPattern.exec(jobId)?.[1] ?? null;
}

// How long a stream is kept. An api renews it while it runs, and so does a worker that answers an api which
// may have ended.
const keptMs = 60_000;
const renewEveryMs = 10_000;
// An api that closes leaves its empty streams for this long: a job that ends late may still write there, and
// its worker may have renewed the stream a moment ago.
const keptAfterMs = 15_000;
// The index of the events' key among the keys of BullMQ's script.
const eventsAt = 3;

/**
 * Makes a worker report the end of each job to the api that waits for it. `connection` sets the expiry of
 * streams, so that those of ended apis go away.
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

/** The callbacks for the ends of a shard's jobs. `answer`: the job's answer from Redis, not verified yet. */
export type Told = {
  completed(jobId: string, answer: unknown): void;
  /** Not an answer: a job can be marked as failed after its work was committed. */
  failed(jobId: string): void;
};

/** Reads the answers to an api process. */
export type AnswerReader = {
  /** Adds a queue, from the next read on. Resolves when that read is under way. */
  add(queue: Queue, told: Told): Promise<void>;
  close(): Promise<void>;
};

const tidyEveryMs = 1000;
const restMs = 50;

type Stream = { told: Told; lastId: string; tidiedTo: string };

/**
 * Reads the streams of an api process and removes what was read. All streams on one server share a blocking
 * connection. `producer`: the connection for commands. The caller closes it and `consumers`.
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
        // XTRIM works in a full Redis, too.
        producer.xtrim(key, 'MINID', stream.lastId).catch(() => {});
      }
      if (isDue) producer.pexpire(key, keptMs).catch(() => {});
    }
  };
  const stopTidying = lookEvery(tidyEveryMs, tidy);

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
      stopTidying();
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

/** The reads on one connection. */
type Reading = {
  /** Adds a stream. Resolves when a read that includes it is under way. */
  add(key: string, stream: Stream): Promise<void>;
  stop(): void;
};

/** Reads all added streams on a connection, again and again. */
function startReading(consumer: Redis, report: (error: Error, what: string) => void): Reading {
  const streams = new Map<string, Stream>();
  let asked: (() => void)[] = [];
  let closed = false;

  // After a failover, the new server may use smaller ids. So the streams are read again from the beginning;
  // answered entries were removed, or have no waiter any more.
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
