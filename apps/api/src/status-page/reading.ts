import type { Metrics } from '@inventory/process/telemetry/metrics';
import type { UnwritableReason } from '@inventory/process/unwritable';
import type { RedisRefusal } from '@inventory/redis/refusal';

/**
 * The metrics of this process that the page needs, read at one moment. Counts begin at the start of the
 * process.
 */
export type Reading = {
  /** Milliseconds of `performance.now()`. */
  at: number;
  requests: number;
  transactions: number;
  /** By the code of the error object, plus `rate_limited` and `token`. */
  refusals: Readonly<Record<string, number>>;
  /** Answers 500 and 503, by cause. */
  failures: Readonly<Record<string, number>>;
  /** Reads that were answered with 503. */
  failedReads: number;
  /** Transactions whose outcome is unknown. */
  unknown: number;
  /** Requests answered within each bound in seconds, over all routes. Bounds are written as in the metric. */
  durations: readonly { bound: number; count: number }[];
  waiting: number;
  oldestWaitSeconds: number;
  workers: number;
  backlog: number;
  isRedisUp: boolean;
  /** Why Redis, which answers, refuses work; null: it does not. */
  redisRefusal: RedisRefusal | null;
  isPostgresUp: boolean;
  /** Why Postgres, which answers, refuses work; null: it does not. */
  unwritable: UnwritableReason | null;
  /** Commits that have waited for a standby for over two seconds. */
  hangingCommits: number;
  clockDifferenceSeconds: number;
  connections: number;
  /** Answers from Redis that no worker of this service signed. */
  refusedAnswers: number;
};

/** The metrics that the page uses. */
const metricsRead = {
  requests: 'inventory_api_requests_total',
  transactions: 'inventory_api_answers_total',
  refusals: 'inventory_api_refusals_total',
  rateLimited: 'inventory_api_rate_limited_total',
  tokenFailures: 'inventory_api_token_failures_total',
  failures: 'inventory_api_failures_total',
  verdicts: 'inventory_api_verdicts_total',
  durations: 'inventory_api_request_duration_seconds',
  waiting: 'inventory_api_waiting_requests',
  oldestWait: 'inventory_api_waiting_oldest_seconds',
  workers: 'inventory_api_workers',
  backlog: 'inventory_api_queue_backlog_envelopes',
  redis: 'inventory_api_redis_up',
  redisRefusal: 'inventory_api_redis_unwritable',
  postgres: 'inventory_api_postgres_up',
  unwritable: 'inventory_api_postgres_unwritable',
  hangingCommits: 'inventory_api_hanging_commits',
  clock: 'inventory_api_clock_difference_seconds',
  connections: 'inventory_api_connections',
  refusedAnswers: 'inventory_api_refused_answers',
} as const;

/** Reads only these metrics: Node's own ones cost more than all of them. */
export async function takeReading(metrics: Pick<Metrics, 'samples'>): Promise<Reading> {
  const names = Object.entries(metricsRead) as [keyof typeof metricsRead, string][];
  const read = await Promise.all(
    names.map(async ([key, name]) => [key, await metrics.samples(name)] as const),
  );
  const samples = new Map(read);
  const all = (key: keyof typeof metricsRead) => samples.get(key)!;
  const sum = (key: keyof typeof metricsRead) => all(key).reduce((total, { value }) => total + value, 0);
  const by = (key: keyof typeof metricsRead, label: string) =>
    Object.fromEntries(all(key).map(({ labels, value }) => [String(labels[label]), value]));
  const durations = new Map<number, number>();
  for (const { name, labels, value } of all('durations')) {
    if (!name.endsWith('_bucket')) continue;
    const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le);
    durations.set(bound, (durations.get(bound) ?? 0) + value);
  }
  return {
    at: performance.now(),
    requests: sum('requests'),
    transactions: sum('transactions'),
    refusals: {
      ...by('refusals', 'code'),
      rate_limited: sum('rateLimited'),
      token: sum('tokenFailures'),
    },
    failures: by('failures', 'cause'),
    failedReads: all('requests')
      .filter(({ labels }) => labels.method === 'GET' && Number(labels.status) === 503)
      .reduce((total, { value }) => total + value, 0),
    unknown: by('verdicts', 'outcome').unknown ?? 0,
    durations: [...durations]
      .map(([bound, count]) => ({ bound, count }))
      .sort((one, other) => one.bound - other.bound),
    waiting: sum('waiting'),
    oldestWaitSeconds: sum('oldestWait'),
    workers: sum('workers'),
    backlog: sum('backlog'),
    isRedisUp: sum('redis') === 1,
    redisRefusal: (all('redisRefusal')[0]?.labels.reason as RedisRefusal | undefined) ?? null,
    isPostgresUp: sum('postgres') === 1,
    unwritable: (all('unwritable')[0]?.labels.reason as UnwritableReason | undefined) ?? null,
    hangingCommits: sum('hangingCommits'),
    clockDifferenceSeconds: sum('clock'),
    connections: sum('connections'),
    refusedAnswers: sum('refusedAnswers'),
  };
}
