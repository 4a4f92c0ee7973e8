import { describeServer, type SeenServer } from '@inventory/postgres/servers/seen-servers';
import type { SeenWorker } from '@inventory/queue/submit/submit';
import { type Cause, findCauses, type Signs } from './causes.ts';
import { latencyMs } from './latency.ts';
import type { Reading } from './reading.ts';

/** The fields of a point of the charts, one point a second. null: no value. */
export const pointFields = [
  ...['at', 'requestsPerSecond', 'transactionsPerSecond', 'medianMs', 'p95Ms', 'p99Ms'],
  ...['waiting', 'backlog', 'workers', 'refusalsPerSecond', 'failuresPerSecond'],
] as const;

/** In the order of `pointFields`; `at` in seconds since 1970. */
export type Point = readonly (number | null)[];

/** A cause that has ended. Times in ISO 8601. */
type Past = { sentence: string; from: string; to: string };

/** The content of the page at one moment. Nothing in it comes from a caller. */
export type Snapshot = {
  at: string;
  /** `bad`: callers get errors. */
  state: 'well' | 'warn' | 'bad';
  /** The cause in one sentence, or a sentence that there is none. */
  sentence: string;
  causes: (Cause & { forSeconds: number })[];
  past: Past[];
  point: Point;
  redis: boolean;
  postgres: boolean;
  oldestWaitSeconds: number;
  clockDifferenceSeconds: number;
  connections: number;
  /** Each server of Postgres in words, where DATABASE_URL names several. */
  servers: { role: SeenServer['role']; text: string }[];
  /** The first fifty workers seen within a minute. */
  workers: readonly SeenWorker[];
  /** Refusals by code and failures by cause in the last minute, the most frequent first. */
  refusals: { what: string; count: number }[];
  failures: { what: string; count: number }[];
};

// A count within the last ten seconds means that the trouble goes on. Well below the 15 s within which a
// cause must be named.
const windowSeconds = 10;
const minuteSeconds = 60;
const pointsMax = 300;
const pastMax = 8;
const workersMax = 50;

/** The findings in Postgres. */
type Found = { driftPlaces(): number; stoppedWebhooks(): Signs['stoppedWebhooks'] };

/** Live workers, and the servers of Postgres. */
type Seen = { workers: readonly SeenWorker[]; servers: readonly SeenServer[] };

/** Makes a snapshot of each reading, one a second, and keeps the points of the last five minutes. */
export function createSnapshots(now: () => Date = () => new Date()) {
  const readings: Reading[] = [];
  const points: Point[] = [];
  const since = new Map<Cause['code'], { from: Date; sentence: string }>();
  const past: Past[] = [];

  /** Returns the reading of this many seconds ago, or the oldest one. */
  function before(reading: Reading, seconds: number): Reading {
    const limit = reading.at - seconds * 1000 - 500;
    return readings.find(({ at }) => at >= limit) ?? reading;
  }

  function noteCauses(causes: readonly Cause[], at: Date) {
    for (const { code, sentence } of causes) {
      since.set(code, { from: since.get(code)?.from ?? at, sentence });
    }
    for (const [code, { from, sentence }] of since) {
      if (causes.some((cause) => cause.code === code)) continue;
      since.delete(code);
      past.unshift({ sentence, from: from.toISOString(), to: at.toISOString() });
    }
    past.length = Math.min(past.length, pastMax);
  }

  return {
    points: (): readonly Point[] => points,
    take(reading: Reading, seen: Seen, stock: Found): Snapshot {
      const at = now();
      const last = readings.at(-1) ?? reading;
      const lately = before(reading, windowSeconds);
      const aMinuteAgo = before(reading, minuteSeconds);
      readings.push(reading);
      while (readings[0]!.at < reading.at - (minuteSeconds + 1) * 1000) readings.shift();

      const causes = findCauses({
        ...reading,
        seen: seen.workers,
        servers: seen.servers,
        driftPlaces: stock.driftPlaces(),
        stoppedWebhooks: stock.stoppedWebhooks(),
        failures: added(lately.failures, reading.failures),
        failedReads: reading.failedReads - lately.failedReads,
        unknown: reading.unknown - lately.unknown,
        windowSeconds,
      });
      noteCauses(causes, at);
      const point = pointOf(last, lately, reading, at);
      points.push(point);
      if (points.length > pointsMax) points.shift();
      return {
        at: at.toISOString(),
        state: causes[0]?.level ?? 'well',
        sentence: causes[0]?.sentence ?? 'All is well.',
        causes: causes.map((cause) => ({
          ...cause,
          forSeconds: Math.max(0, Math.round((at.getTime() - since.get(cause.code)!.from.getTime()) / 1000)),
        })),
        past: [...past],
        point,
        redis: reading.isRedisUp,
        postgres: reading.isPostgresUp,
        oldestWaitSeconds: rounded(reading.oldestWaitSeconds),
        clockDifferenceSeconds: rounded(reading.clockDifferenceSeconds),
        connections: reading.connections,
        workers: seen.workers.slice(0, workersMax),
        servers: seen.servers.map((server) => ({ role: server.role, text: describeServer(server) })),
        refusals: mostFrequent(added(aMinuteAgo.refusals, reading.refusals)),
        failures: mostFrequent(added(aMinuteAgo.failures, reading.failures)),
      };
    },
  };
}

function pointOf(last: Reading, lately: Reading, reading: Reading, at: Date): Point {
  const seconds = (reading.at - last.at) / 1000;
  const perSecond = (before: number, after: number) =>
    seconds > 0 ? rounded(Math.max(0, after - before) / seconds) : 0;
  const latency = (part: number) => {
    const ms = latencyMs(lately.durations, reading.durations, part);
    return ms === null ? null : rounded(ms);
  };
  return [
    Math.round(at.getTime() / 1000),
    perSecond(last.requests, reading.requests),
    perSecond(last.transactions, reading.transactions),
    latency(0.5),
    latency(0.95),
    latency(0.99),
    reading.waiting,
    reading.backlog,
    reading.workers,
    perSecond(sumOf(last.refusals), sumOf(reading.refusals)),
    perSecond(sumOf(last.failures), sumOf(reading.failures)),
  ];
}

type Counts = Readonly<Record<string, number>>;

function added(before: Counts, after: Counts): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after).map(([what, count]) => [what, count - (before[what] ?? 0)]),
  );
}

function mostFrequent(counts: Counts): { what: string; count: number }[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => ({ what, count }))
    .sort((one, other) => other.count - one.count);
}

function sumOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Rounds to at most three significant decimals, because the value is sent every second. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
