import { inventoryCommand } from './called-as.ts';

/** A fault and its remedy, in the same words wherever they are reported. */
type Diagnosis = {
  /**
   * `critical`: callers are refused, get errors or are told wrong stock. `warning`: no caller notices yet.
   */
  labels: { severity: 'critical' | 'warning'; cause: string };
  /** When Prometheus alerts. */
  expr: string;
  for?: string;
  keepFiringFor?: string;
  /** The fault, without figures and without a full stop. */
  title: string;
  /** Its consequence. Continues the title's sentence. */
  effect: string;
  /** The text that Prometheus appends to the title. */
  figures?: string;
  /** Continues a sentence that begins with "See". */
  lookAt: string;
  /** Whole sentences, as is `more`, which appears only in docs/alerts.md. */
  act: string;
  more?: string;
};

const instance = '{{ $labels.instance }}';
const seconds = '{{ $value | printf "%.1f" }} s';

const table = {
  InventoryPostgresAway: {
    labels: { severity: 'critical', cause: 'postgres' },
    // While commits hang, a worker sends nothing more to Postgres; the next alert names that cause.
    expr: 'inventory_api_postgres_up == 0 or (inventory_worker_postgres_up == 0 unless on () (inventory_api_hanging_commits > 0))',
    keepFiringFor: '30s',
    title: 'Postgres is away or does not answer',
    effect: 'without it nothing can be read or written',
    figures: `seen by ${instance}`,
    lookAt:
      'whether it runs, has room on its disk and connections left (`max_connections`), and can be reached with `DATABASE_URL`.',
    act: 'Repair it; the service then continues by itself. If the primary of several servers is lost, promote the standby that is least behind.',
    more: 'Callers that were told "the outcome is not known" resend with the same key.',
  },
  InventoryPostgresUnwritable: {
    labels: { severity: 'critical', cause: 'unwritable' },
    expr: 'inventory_api_postgres_unwritable == 1 or inventory_worker_postgres_unwritable == 1',
    keepFiringFor: '30s',
    title: 'Postgres answers but refuses to write',
    effect: 'receive, move and issue are refused, lists are served while Postgres takes connections',
    figures: `{{ $labels.reason }}, seen by ${instance}`,
    lookAt:
      'the log of Postgres, the free space of its disk, `transaction_read_only`, `max_connections` and `max_locks_per_transaction`.',
    act: 'Make room on the disk, or enlarge it. If Postgres is read-only, see whether `DATABASE_URL` leads to a standby or somebody set `default_transaction_read_only`. If it has no connection left, end what uses too many, or raise `max_connections`. The service then continues by itself.',
    more: 'The label `reason` tells which of these it is: `disk`, `readOnly`, `connections`, `memory` (memory, or the table of locks) or `limit`. Another worker does not help.',
  },
  InventoryTwoPrimaries: {
    labels: { severity: 'critical', cause: 'twoPrimaries' },
    expr: 'sum by (instance) (inventory_api_postgres_server_primary) > 1',
    keepFiringFor: '30s',
    title: 'Several servers of Postgres take writes',
    effect:
      'the old primary was not stopped when a standby was promoted; no answer of the service includes writes to the old primary, and they are lost',
    figures: `{{ $value }}, seen by ${instance}`,
    lookAt: `\`${inventoryCommand('doctor')}\`, which names them with their timelines: the lower one is the old primary.`,
    act: 'Stop the old primary at once, and find out why your cluster manager did not. Make it a standby again with `pg_rewind` or a new base backup.',
    more: 'Processes use the server with the later promotion and never return to an earlier one. Other programs that wrote to the old one must repeat those writes.',
  },
  InventoryServerAway: {
    labels: { severity: 'warning', cause: 'serverAway' },
    expr: 'inventory_api_postgres_server_up == 0',
    for: '15s',
    title: 'A server of Postgres is away',
    effect:
      'callers notice nothing while another one takes writes, but there is one server fewer to take over',
    figures: `{{ $labels.server }}, seen by ${instance}`,
    lookAt: `its log, and \`${inventoryCommand('status')}\`, which shows the role and the lag of each server.`,
    act: 'Start it again. If it was the primary, make it a standby of the new one first (`pg_rewind`, or a new base backup), or there are two primaries.',
    more: 'A server that is gone for good is taken out of `DATABASE_URL`.',
  },
  InventoryCommitsHang: {
    labels: { severity: 'critical', cause: 'commits' },
    expr: 'inventory_api_hanging_commits > 0',
    keepFiringFor: '30s',
    title: 'Postgres waits for a standby that is away or too slow',
    effect: 'nothing can be written, lists and items are served',
    figures: `seen by ${instance}`,
    lookAt:
      'which standby of `synchronous_standby_names` streams, and how far it is behind (`pg_stat_replication`).',
    act: 'Bring a standby back; the waiting commits then finish. If that takes long, remove the lost one from `synchronous_standby_names` and reload.',
    more: 'From then on answers are on the primary alone. Do not wait for hours: each process opens one or two connections a minute, up to a limit. Do not cancel waiting sessions (`pg_cancel_backend`): their commits would become visible without a standby, and be lost with the primary.',
  },
  InventoryRedisAway: {
    labels: { severity: 'critical', cause: 'redis' },
    // One that answers and refuses is the next cause.
    expr: '(inventory_api_redis_up == 0 or inventory_worker_redis_up == 0) unless on () (inventory_api_redis_unwritable == 1)',
    keepFiringFor: '30s',
    title: 'Redis is away or takes no work',
    effect: 'receive, move and issue are refused, lists are served',
    figures: `seen by ${instance}`,
    lookAt: 'whether it runs, is full (`maxmemory`) or a replica, and can be reached with `REDIS_URL`.',
    act: 'Restart or empty it as needed; it holds nothing worth saving, and the service then continues by itself.',
    more: 'Keep the eviction policy `noeviction`.',
  },
  InventoryRedisUnwritable: {
    labels: { severity: 'critical', cause: 'redisUnwritable' },
    expr: 'inventory_api_redis_unwritable == 1',
    keepFiringFor: '30s',
    title: 'Redis answers but refuses work',
    effect: 'receive, move and issue are refused, lists are served',
    figures: `{{ $labels.reason }}, seen by ${instance}`,
    lookAt:
      'its log and `INFO`: `min_slaves_good_slaves` (the replicas that are attached and not far behind), `used_memory`, `role`, `rdb_last_bgsave_status`.',
    act: 'If it lacks replicas (`NOREPLICAS`), bring one back, or lower `min-replicas-to-write` (0 where a master has a single replica) in its file and restart it. If its memory is full, raise `maxmemory` in the same way, or remove keys that are not of this service; a restart empties a Redis that stores nothing, and nothing is lost. `CONFIG SET` needs a user of yours: `admin` may not. If it cannot save, make room on its disk. If it is a replica, point `REDIS_URL` to the master or to Sentinels. The service then continues by itself.',
    more: 'The label `reason` tells which of these it is: `replicas`, `memory`, `disk` or `readOnly`. Another worker does not help.',
  },
  InventoryNoWorker: {
    labels: { severity: 'critical', cause: 'noWorker' },
    // Workers are seen through Redis only.
    expr: 'inventory_api_workers == 0 and inventory_api_redis_up == 1',
    keepFiringFor: '30s',
    title: 'No worker takes work',
    effect: 'receive, move and issue are refused, lists are served',
    figures: `seen by ${instance}`,
    lookAt:
      'the log of the worker that should run, and whether it has the `REDIS_URL` and `QUEUE_PREFIX` of the api.',
    act: 'Start a worker. Kill a frozen one and start it again.',
    more: 'A frozen worker (a machine that swaps) counts as gone after three seconds; its work is done by another worker or refused.',
  },
  InventoryQueueFull: {
    labels: { severity: 'critical', cause: 'busy' },
    expr: 'increase(inventory_api_failures_total{cause="busy"}[30s]) > 0',
    keepFiringFor: '30s',
    title: 'More requests arrive than can be handled in time',
    effect: 'the rest gets 503 with `Retry-After`',
    figures: `seen by ${instance}`,
    lookAt:
      'whether the workers are busy (`inventory_worker_busy_ratio`), what Postgres waits for (`pg_stat_activity`), and which client asks for much.',
    act: `Start another worker if workers are busy and Postgres is not. If neither is busy, end the session in which somebody has locked a row of \`stock_level\`. Limit a client that sends far too much (\`${inventoryCommand('client set --id CLIENT --rate-limit 100')}\`).`,
    more: 'For lists see [reads.md](reads.md).',
  },
  InventoryClockOff: {
    labels: { severity: 'warning', cause: 'clock' },
    expr: 'abs(inventory_api_clock_difference_seconds) > 1 or abs(inventory_worker_clock_difference_seconds) > 1',
    keepFiringFor: '30s',
    title: 'The clocks of a process and of Postgres differ',
    effect: 'deadlines and tokens use that of Postgres, so no answer is lost, but times in logs are wrong',
    figures: `${instance}: ${seconds}`,
    lookAt: 'which machine does not follow its time server.',
    act: 'Repair time synchronisation there (chrony, systemd-timesyncd).',
  },
  InventoryProcessSilent: {
    labels: { severity: 'critical', cause: 'process' },
    expr: 'up{job=~"inventory-.*"} == 0',
    keepFiringFor: '30s',
    title: 'A process says nothing',
    effect: 'it stopped, is frozen or cut off',
    figures: `{{ $labels.job }}, ${instance}`,
    lookAt: 'its log.',
    act: 'Restart it, or end it so that its supervisor does.',
    more: 'During a deploy this is expected for some seconds.',
  },
  InventoryNoProcess: {
    labels: { severity: 'critical', cause: 'process' },
    expr: 'absent(up{job="inventory-api"}) or absent(up{job="inventory-worker"})',
    for: '10s',
    title: 'Prometheus knows no api, or no worker, at all',
    effect: 'none runs, or its name cannot be looked up',
    figures: '{{ $labels.job }}',
    lookAt: `\`${inventoryCommand('status')}\`, which shows what runs.`,
    act: 'Start one. If one runs, correct the name that `prometheus.yml` looks up, or the network between them.',
  },
  InventoryFailures: {
    labels: { severity: 'critical', cause: 'internal' },
    expr: 'increase(inventory_api_failures_total{cause="internal"}[1m]) > 0',
    title: 'Requests fail because of a fault in the service',
    effect: 'they were not applied',
    figures: `at ${instance}`,
    lookAt: 'the log of the api: `request failed` with cause `internal`, with route and stack.',
    act: 'Report it with that line.',
    more: 'After an upgrade, [go back](upgrade-and-failover.md) if you can.',
  },
  InventoryOutcomeUnknown: {
    labels: { severity: 'critical', cause: 'postgres' },
    expr: 'increase(inventory_api_verdicts_total{outcome="unknown"}[1m]) > 0',
    title: 'Callers could not be told whether a transaction was applied',
    effect: 'Postgres could not be asked',
    figures: `at ${instance}`,
    lookAt: 'whether Postgres is away, as for InventoryPostgresAway.',
    act: 'Repair it. A resend with the same `Idempotency-Key` gets the true answer.',
    more: `Without a key, \`${inventoryCommand('transaction list --client CLIENT')}\` shows it.`,
  },
  InventoryForeignWrites: {
    labels: { severity: 'critical', cause: 'forged' },
    expr: 'inventory_api_refused_answers > 0 or inventory_worker_refused_envelopes > 0',
    title: 'Somebody else writes to Redis',
    effect: 'no process of this service signed that, and none used it',
    figures: `seen by ${instance}`,
    lookAt:
      'who has the password of Redis, whether two services share a `QUEUE_PREFIX` (each copy of a database is one of its own), and whether a process still uses a database that was restored elsewhere.',
    act: 'Separate them. The alert ends ten minutes after the last foreign write.',
    more: 'It is expected after a restore with the same Redis. After a break-in see [leaked secrets](backup.md#when-a-secret-has-leaked).',
  },
  InventoryDrift: {
    labels: { severity: 'critical', cause: 'drift' },
    expr: 'max(inventory_worker_audit_drift_places) > 0',
    title: 'Stock and ledger do not agree',
    effect: 'somebody wrote to the tables by hand, or a disk or the memory is faulty',
    figures: '{{ $value | printf "%.0f" }} places',
    lookAt: `\`${inventoryCommand('doctor')}\` or the logs of the workers, which name item and warehouse.`,
    act: `Stop whoever writes by hand, check the disk, and compare everything with \`${inventoryCommand('audit')}\`.`,
    more: 'Then follow [the audit in the background](#the-audit-in-the-background).',
  },
  InventoryAuditLate: {
    labels: { severity: 'warning', cause: 'drift' },
    expr: 'min(inventory_worker_audit_age_seconds) > 259200',
    for: '1h',
    title: 'Stock and ledger were last compared long ago',
    effect: 'the background audit has not finished a full pass for three days',
    figures: '{{ $value | humanizeDuration }}',
    lookAt: 'the logs of the workers, and whether `BACKGROUND_AUDIT` is on.',
    act: `Run \`${inventoryCommand('audit')}\`, which compares everything at once.`,
  },
  InventoryTransactionsWait: {
    labels: { severity: 'warning', cause: 'slow' },
    expr: 'inventory_api_waiting_oldest_seconds > 1',
    for: '15s',
    title: 'Transactions wait for more than a second',
    effect: 'batches are slow',
    figures: `${instance}: ${seconds}`,
    lookAt: 'the steps of a batch on the dashboard.',
    act: 'For `locks`, find the session that holds a gate; for `reads`, give Postgres memory or look for a missing index; for `write`, look at the disk.',
  },
  InventorySlow: {
    labels: { severity: 'warning', cause: 'slow' },
    expr: 'histogram_quantile(0.99, sum by (le) (rate(inventory_api_request_duration_seconds_bucket[1m]))) > 1',
    for: '1m',
    title: 'One request in a hundred takes more than a second',
    effect: 'lists or transactions are slow',
    figures: seconds,
    lookAt: 'the slow route on the dashboard.',
    act: 'For lists, find the client that asks for costly ones. For transactions, do as for InventoryTransactionsWait.',
    more: 'See [reads.md](reads.md).',
  },
  InventoryWorkersBusy: {
    labels: { severity: 'warning', cause: 'busy' },
    // Only workers with a queue: any further worker has nothing to do.
    expr: 'min(inventory_worker_busy_ratio and on (instance) inventory_worker_shards > 0) > 0.9',
    for: '1m',
    title: 'Every worker is busy nine tenths of the time',
    effect: 'the queue will soon be full',
    lookAt: 'whether Postgres is busy.',
    act: 'Start another worker, unless they wait for Postgres.',
    more: 'See [scaling.md](scaling.md).',
  },
  InventoryBatchesFail: {
    labels: { severity: 'warning', cause: 'internal' },
    expr: 'increase(inventory_worker_batch_failures_total[1m]) > 0',
    for: '1m',
    title: 'Whole batches fail',
    effect: 'they are tried again in halves',
    figures: `at ${instance}`,
    lookAt: 'the log of the worker. Usually Postgres ends or refuses connections.',
    act: 'Repair Postgres. If the log names the same request again and again, report it; all others are applied.',
  },
  InventoryFoldingLags: {
    labels: { severity: 'warning', cause: 'slow' },
    expr: 'inventory_worker_folding_lag_seconds > 60',
    for: '1m',
    title: 'New rows have not been added to the counts of the lists',
    effect: 'lists are right but slower',
    figures: '{{ $value | printf "%.0f" }} s',
    lookAt: 'lines about `counts` in the logs of the workers, open transactions in Postgres, a long backup.',
    act: 'Start a worker if none runs, or end the open transaction.',
  },
  InventoryChangesHeld: {
    labels: { severity: 'warning', cause: 'slow' },
    expr: 'max(inventory_api_oldest_change_seconds) > 30',
    title: 'A change has been open for long',
    effect:
      'callers that follow changes get no later ones, and lists tell them an old `X-Next-Modified-Since`',
    figures: '{{ $value | printf "%.0f" }} s',
    lookAt: '`pg_locks` for the session that holds an advisory lock and began first.',
    act: 'End the transaction that a session of an operator has left open. An import of many items ends by itself.',
    more: 'No change is lost meanwhile. Postgres ends a session that does nothing for a minute in such a transaction.',
  },
  InventoryWebhookFails: {
    labels: { severity: 'warning', cause: 'webhook' },
    expr: 'max(inventory_worker_webhook_failing_seconds) > 3600',
    title: 'A webhook has not delivered for long',
    effect: 'its receiver gets no changes until it answers, or an operator acts',
    figures: '{{ $value | humanizeDuration }}',
    lookAt: `\`${inventoryCommand('webhook list')}\` and \`${inventoryCommand('webhook show --id NUMBER')}\`: the last answers of the receiver.`,
    act: `Tell the owner of the receiver. Once it answers, \`${inventoryCommand('webhook test --id NUMBER')}\` shows that messages arrive; \`${inventoryCommand('webhook enable --id NUMBER')}\` lets a disabled one go on, and \`${inventoryCommand('webhook replay --id NUMBER --from beginning')}\` one whose database was restored. Remove one that nobody needs.`,
    more: 'No change is lost: the webhook resumes where it stopped. After more than three days of failed attempts, it is disabled.',
  },
  InventoryBackupOld: {
    labels: { severity: 'warning', cause: 'backup' },
    // Absent if no backup was ever recorded, because then nobody has set up backups yet.
    expr: 'min(inventory_api_backup_age_seconds) > 26 * 3600',
    for: '1m',
    title: 'The last backup is old',
    effect: 'it was recorded more than 26 hours ago',
    figures: '{{ $value | humanizeDuration }}',
    lookAt: 'why the daily backup is missing (disk full, password, machine off).',
    act: `Make one now with \`${inventoryCommand('backup >NAME.inventory')}\`. If another tool makes your backups, have it run \`${inventoryCommand('backed-up --by TOOL')}\` afterwards.`,
    more: 'Where no backup was ever recorded, this alert does not exist.',
  },
  InventoryCertificateEnds: {
    labels: { severity: 'warning', cause: 'certificate' },
    expr: 'min(inventory_api_certificate_left_seconds) < 14 * 86400',
    for: '1m',
    title: 'The certificate that callers see ends soon',
    effect: 'less than 14 days are left, and callers refuse the service when it has ended',
    figures: '{{ $value | humanizeDuration }}',
    lookAt: 'whether the renewed files are in `TLS_FOLDER`, or why the proxy cannot renew it (its log).',
    act: 'Renew it, and reload the proxy with `caddy reload --force`: without `--force` it goes on with the old one.',
    more: 'The steps are in [containers.md](containers.md).',
  },
  InventoryWrongSecrets: {
    labels: { severity: 'warning', cause: 'token' },
    expr: 'sum(rate(inventory_api_token_failures_total{reason=~"invalid_client|too_many"}[1m])) > 1',
    for: '1m',
    title: 'More than one wrong secret arrives a second',
    effect: 'somebody tries secrets, or a client uses an old one; valid ones are always accepted',
    lookAt: `\`${inventoryCommand('client show --id CLIENT')}\`, which shows when the secrets of a client end.`,
    act: 'Give that client its current secret.',
    more: 'A secret of 256 random bits cannot be guessed. The service and its proxy store no addresses; a load balancer in front may.',
  },
} satisfies Record<string, Diagnosis>;

/** The name of a diagnosis: of its alert, and of its section in docs/alerts.md. */
export type Alert = keyof typeof table;

/** Every diagnosis, in the order in which docs/alerts.md tells them. */
export const diagnoses: Readonly<Record<Alert, Diagnosis>> = table;

/** Says what is wrong and what that means. `figures`: those of this occurrence. */
export function sentenceOf(alert: Alert, figures?: string): string {
  const { title, effect } = diagnoses[alert];
  return `${title}${figures === undefined ? '' : ` (${figures})`}: ${effect}.`;
}

export function adviceOf(alert: Alert): string {
  const { lookAt, act } = diagnoses[alert];
  return `See ${lookAt} ${act}`;
}
