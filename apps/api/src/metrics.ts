import type { DatabaseClock } from '@inventory/postgres/database-clock';
import type { SeenServer } from '@inventory/postgres/servers/seen-servers';
import { durationBuckets, type Metrics, sizeBuckets } from '@inventory/process/telemetry/metrics';
import { unwritableReading } from '@inventory/process/unwritable';
import type { EnvelopeObserver } from '@inventory/queue/submit/submit';
import type { Changes } from './changes/changes.ts';
import type { Database } from './database.ts';
import type { Listening } from './http/connections/listen.ts';
import { type FailureCause, failureCauses } from './http/errors.ts';
import type { Http } from './http/http.ts';
import type { ApiQueue } from './queue.ts';
import type { Watches } from './watches.ts';

/** Why authentication failed: an RFC 6749 code, too many wrong secrets, or a token that is not live. */
export type TokenFailure =
  | 'invalid_client'
  | 'invalid_request'
  | 'unsupported_grant_type'
  | 'too_many'
  | 'invalid_token';

/** The request metrics of an api. `route`: the template of the route, never the path. */
export type ApiMetrics = {
  answered(method: string, route: string, status: number, tookMs: number): void;
  refused(code: string): void;
  rateLimited(): void;
  tokenFailed(why: TokenFailure): void;
  failed(cause: FailureCause): void;
  envelopes: EnvelopeObserver;
};

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);

/** Creates the request metrics of an api; docs/metrics.md explains each one. */
export function createApiMetrics(metrics: Metrics): ApiMetrics {
  const requests = metrics.counter('inventory_api_requests_total', 'Requests that were answered.', [
    'method',
    'route',
    'status',
  ]);
  const requestSeconds = metrics.histogram(
    'inventory_api_request_duration_seconds',
    'Time from a request to its answer, without the delay for strangers.',
    durationBuckets,
    ['method', 'route'],
  );
  const refusals = metrics.counter(
    'inventory_api_refusals_total',
    'Refused requests, by the code of the error object.',
    ['code'],
  );
  const rateLimited = metrics.counter(
    'inventory_api_rate_limited_total',
    'Requests beyond the limit of their client.',
  );
  const tokenFailures = metrics.counter(
    'inventory_api_token_failures_total',
    'Refused requests for a token, and requests with a token that is not live.',
    ['reason'],
  );
  const failures = metrics.counter(
    'inventory_api_failures_total',
    'Requests answered with 500 or 503, by cause.',
    ['cause'],
  );
  // Counters start at 0: if a counter first appears with a value, the scraper cannot compute its growth.
  for (const cause of failureCauses) failures.inc({ cause }, 0);
  const envelopeRequests = metrics.histogram(
    'inventory_api_envelope_requests',
    'Requests in a sent envelope.',
    sizeBuckets,
  );
  const envelopeSeconds = metrics.histogram(
    'inventory_api_envelope_duration_seconds',
    'Time from sending an envelope until all of its requests are answered.',
    durationBuckets,
  );
  const sendFailures = metrics.counter(
    'inventory_api_send_failures_total',
    'Envelopes that Redis did not take.',
  );
  return {
    answered(given, route, status, tookMs) {
      const method = methods.has(given) ? given : 'other';
      requests.inc({ method, route, status });
      requestSeconds.observe({ method, route }, tookMs / 1000);
    },
    refused: (code) => refusals.inc({ code }),
    rateLimited: () => rateLimited.inc(),
    tokenFailed: (reason) => tokenFailures.inc({ reason }),
    failed: (cause) => failures.inc({ cause }),
    envelopes: {
      sent: (count) => envelopeRequests.observe(count),
      sendFailed: () => sendFailures.inc(),
      answered: (tookMs) => envelopeSeconds.observe(tookMs / 1000),
    },
  };
}

export type ReadParts = {
  queue: ApiQueue;
  database: Database;
  clock: DatabaseClock;
  http: Http;
  listening: Listening;
  changes: Changes;
  /** null: without an internal port, nobody reads the metrics. */
  watches: Watches | null;
};

/** Registers the metrics that are read from the parts of an api at each scrape. */
export function addApiReadings(metrics: Metrics, parts: ReadParts): void {
  const { queue, database, clock, http, listening } = parts;
  const { needs } = queue;
  const up = (what: 'redis' | 'postgres') => () => (needs.presence.isThere(what) ? 1 : 0);
  addAnswerReadings(metrics, queue);
  metrics.gauge(
    'inventory_api_workers',
    'Workers seen within the last seconds.',
    () => needs.sight().workers,
  );
  metrics.gauge(
    'inventory_api_queue_backlog_envelopes',
    'Envelopes of all apis in Redis that no worker has taken.',
    () => needs.sight().backlog,
  );
  metrics.gauge('inventory_api_redis_up', '1 when Redis answers and takes work.', up('redis'));
  metrics.gauge('inventory_api_postgres_up', '1 when Postgres answers.', up('postgres'));
  metrics.gauge(
    'inventory_api_hanging_commits',
    'Commits of this service that have waited for a standby of Postgres for longer than two seconds.',
    needs.hangingCommits,
  );
  metrics.gauge(
    'inventory_api_postgres_connections',
    'Connections to Postgres; suspect: their work takes too long.',
    database.connectionCounts,
    'state',
  );
  metrics.gauge(
    'inventory_api_postgres_waiting',
    'Tasks that wait for a connection to Postgres or for their turn.',
    database.waitingCounts,
    'kind',
  );
  metrics.counted(
    'inventory_api_list_reads_total',
    'Pages of lists, by the server that answered: primary or replica.',
    database.lists.readsBy,
    'by',
  );
  metrics.gauge(
    'inventory_api_clock_difference_seconds',
    "How far the clock of Postgres is ahead of this process's.",
    clock.differenceSeconds,
  );
  metrics.gauge('inventory_api_connections', 'Connections of callers.', listening.connectionCount);
  metrics.gauge(
    'inventory_api_strangers_waiting',
    'Answers to callers without a valid token that wait for their turn.',
    http.strangers.waitingCount,
  );
  addServerReadings(metrics, database);
  addLateReadings(metrics, parts);
}

/** Registers the metrics of transactions and their answers. */
function addAnswerReadings(metrics: Metrics, { submitter }: ApiQueue): void {
  metrics.counted(
    'inventory_api_answers_total',
    'Answers to transactions, by how they came: event, lookUp, verdict, clock.',
    () => submitter.answerCounts.by,
    'by',
  );
  metrics.counted(
    'inventory_api_verdicts_total',
    'Transactions whose answer did not come in time, by verdict.',
    () => submitter.answerCounts.verdicts,
    'outcome',
  );
  metrics.gauge('inventory_api_waiting_requests', 'Transactions whose callers wait.', () =>
    submitter.waitingCount(),
  );
  metrics.gauge(
    'inventory_api_waiting_oldest_seconds',
    'How long the oldest waiting transaction has waited.',
    () => submitter.oldestWaitMs() / 1000,
  );
}

/** Registers the metrics of each server, where DATABASE_URL names several. */
function addServerReadings(metrics: Metrics, { servers }: Database): void {
  const of = (read: (server: SeenServer) => number | null) => () =>
    Object.fromEntries(
      servers().flatMap((each) => {
        const value = read(each);
        return value === null ? [] : [[each.server, value]];
      }),
    );
  metrics.gauge(
    'inventory_api_postgres_server_up',
    '1 when this server of DATABASE_URL answers; absent if there is only one server.',
    of(({ role }) => (role === 'away' ? 0 : 1)),
    'server',
  );
  metrics.gauge(
    'inventory_api_postgres_server_primary',
    '1 when this server of DATABASE_URL takes writes.',
    of(({ role }) => (role === 'primary' ? 1 : 0)),
    'server',
  );
  metrics.gauge(
    'inventory_api_postgres_server_lag_bytes',
    'How much of the log this standby has not applied yet.',
    of(({ lagBytes }) => lagBytes),
    'server',
  );
  metrics.gauge(
    'inventory_api_postgres_server_lag_seconds',
    'Age of what this standby has applied last; 0 when it has applied everything.',
    of(({ lagSeconds }) => lagSeconds),
    'server',
  );
}

/** Registers the metrics of trouble that no answer shows. */
function addLateReadings(metrics: Metrics, { queue, http, changes, watches }: ReadParts): void {
  const { submitter, needs } = queue;
  const { bodyRoom, answers } = http;
  metrics.gauge(
    'inventory_api_redis_unwritable',
    '1 while Redis answers but refuses work, by reason.',
    () => unwritableReading(needs.redisRefusal()),
    'reason',
  );
  metrics.gauge(
    'inventory_api_postgres_unwritable',
    '1 while Postgres answers but refuses the work of this api or of a worker, by reason.',
    () => unwritableReading(needs.unwritable()),
    'reason',
  );
  metrics.gauge(
    'inventory_api_changes_awaited',
    'Callers that wait for a change.',
    changes.feed.waitingCount,
  );
  metrics.gauge(
    'inventory_api_oldest_change_seconds',
    'Age of the oldest transaction of Postgres with changes that is not committed; later changes wait for it.',
    () => watches?.oldestChange.seconds() ?? 0,
  );
  metrics.gauge(
    'inventory_api_batch_bytes',
    'Bytes of batches that are being read or applied.',
    bodyRoom.bytes,
  );
  metrics.gauge(
    'inventory_api_batches_waiting',
    'Batches that wait, unread, for room in memory.',
    bodyRoom.waitingCount,
  );
  metrics.gauge(
    'inventory_api_unread_answer_bytes',
    'Bytes of answers that their callers have not read yet, and of those that are being made.',
    answers.bytes,
  );
  metrics.gauge(
    'inventory_api_answers_waiting',
    'Calls that wait for room for their answer.',
    answers.waitingCount,
  );
  metrics.gauge(
    'inventory_api_backup_age_seconds',
    'Age of the last backup that is recorded in the database; absent if there is none.',
    () => watches?.backups.seconds() ?? {},
    'by',
  );
  metrics.gauge(
    'inventory_api_certificate_left_seconds',
    'Time until the certificate at CERTIFICATE_URL ends; absent if that is unset or nobody has answered there.',
    () => watches?.certificate?.seconds() ?? {},
    'host',
  );
  metrics.gauge(
    'inventory_api_refused_answers',
    'Answers in Redis that no worker of this service signed.',
    () => submitter.refusedCount(),
  );
  metrics.gauge(
    'inventory_api_shards',
    'Queues over which this api distributes the work: as many as there are workers.',
    () => submitter.shardCount(),
  );
}
