import { type Alert, adviceOf, diagnoses, sentenceOf } from '@inventory/domain/operating/diagnoses';
import {
  describeServer,
  describeServers,
  primariesOf,
  type SeenServer,
} from '@inventory/postgres/servers/seen-servers';
import { describeUnwritable, type UnwritableReason } from '@inventory/process/unwritable';
import type { SeenWorker } from '@inventory/queue/submit/submit';
import { describeRefusal, type RedisRefusal } from '@inventory/redis/refusal';

/** A fault, in words for the operator. */
export type Cause = {
  code: string;
  /** `bad`: callers are refused, get errors or are told wrong stock. `warn`: no caller notices yet. */
  level: 'bad' | 'warn';
  sentence: string;
  advice: string;
  /** Its heading in docs/alerts.md. */
  chapter: Alert;
};

/** The measurements that tell the cause. Counts cover the last seconds (`windowSeconds`). */
export type Signs = {
  isPostgresUp: boolean;
  /** Why Postgres, which answers, refuses work; null: it does not. */
  unwritable: UnwritableReason | null;
  isRedisUp: boolean;
  /** Why Redis, which answers, refuses work; null: it does not. */
  redisRefusal: RedisRefusal | null;
  /** Commits that have waited for a standby for over two seconds. */
  hangingCommits: number;
  workers: number;
  /** The live workers, and those last seen within a minute. */
  seen: readonly SeenWorker[];
  /** The servers of Postgres; empty if DATABASE_URL names one. */
  servers: readonly SeenServer[];
  waiting: number;
  oldestWaitSeconds: number;
  backlog: number;
  clockDifferenceSeconds: number;
  refusedAnswers: number;
  /** Places where the background audit found that stock and ledger disagree. */
  driftPlaces: number;
  /** Webhooks that stand still, but not because an operator disabled them. */
  stoppedWebhooks: { disabled: number; paused: number };
  failures: Readonly<Record<string, number>>;
  /** Reads answered 503. */
  failedReads: number;
  unknown: number;
  windowSeconds: number;
};

// A healthy request takes milliseconds, and none waits longer than 3.5 s.
const slowFromSeconds = 1;
// As in the log (`packages/libraries/process/src/warn-of-clock.ts`).
const clockFromSeconds = 1;
// A worker reports twice a second.
const lostAfterMs = 3000;

function cause(code: string, chapter: Alert, figures?: string): Cause {
  const level = diagnoses[chapter].labels.severity === 'critical' ? 'bad' : 'warn';
  return { code, level, sentence: sentenceOf(chapter, figures), advice: adviceOf(chapter), chapter };
}

/** All current causes, the ones that explain others first. */
export function findCauses(signs: Signs): Cause[] {
  const away = whatIsAway(signs);
  // A part that is away already explains refused work.
  const found = [
    ...away,
    ...(away.length > 0 ? [] : whatIsBusy(signs)),
    ...whatServersSay(signs),
    ...whatIsWrong(signs),
    ...whatWorkersSay(signs),
  ];
  const rank = { bad: 0, warn: 1 };
  return found.sort((one, other) => rank[one.level] - rank[other.level]);
}

function whatIsAway(signs: Signs): Cause[] {
  const causes: Cause[] = [];
  if (signs.unwritable !== null)
    causes.push(cause('unwritable', 'InventoryPostgresUnwritable', describeUnwritable(signs.unwritable)));
  else if (!signs.isPostgresUp)
    causes.push(
      cause(
        'postgres',
        'InventoryPostgresAway',
        signs.servers.length === 0 ? undefined : describeServers(signs.servers),
      ),
    );
  else if (signs.hangingCommits > 0) causes.push(cause('commits', 'InventoryCommitsHang'));
  if (signs.redisRefusal !== null)
    causes.push(cause('redisUnwritable', 'InventoryRedisUnwritable', describeRefusal(signs.redisRefusal)));
  else if (!signs.isRedisUp) causes.push(cause('redis', 'InventoryRedisAway'));
  // Workers are seen through Redis only.
  else if (signs.workers === 0) causes.push(cause('noWorker', 'InventoryNoWorker'));
  return causes;
}

/** Finds what is wrong with several servers of Postgres while one of them takes writes. */
function whatServersSay({ servers }: Signs): Cause[] {
  const primaries = primariesOf(servers);
  if (primaries.length > 1)
    return [cause('twoPrimaries', 'InventoryTwoPrimaries', describeServers(primaries))];
  const away = servers.filter(({ role }) => role === 'away');
  // Without a primary, Postgres is away, with the same figures.
  if (primaries.length === 0 || away.length === 0) return [];
  return [cause('serverAway', 'InventoryServerAway', away.map(describeServer).join('; '))];
}

function whatIsBusy(signs: Signs): Cause[] {
  const busy = signs.failures.busy ?? 0;
  const { failedReads, waiting, oldestWaitSeconds, windowSeconds } = signs;
  if (busy > failedReads) {
    const refused = times(busy - failedReads, 'request');
    const figures = `the queue is full, ${refused} refused in the last ${windowSeconds} s, ${waiting} waiting now`;
    return [cause('busy', 'InventoryQueueFull', figures)];
  }
  if (busy > 0) {
    const figures = `Postgres is too busy for lists, ${times(busy, 'request')} refused in the last ${windowSeconds} s`;
    return [cause('busyReads', 'InventoryQueueFull', figures)];
  }
  if (oldestWaitSeconds <= slowFromSeconds) return [];
  return [cause('slow', 'InventoryTransactionsWait', `up to ${oldestWaitSeconds.toFixed(1)} s`)];
}

/** Finds problems that can come on top of others. */
function whatIsWrong(signs: Signs): Cause[] {
  const causes: Cause[] = [];
  const lately = `in the last ${signs.windowSeconds} s`;
  const internal = signs.failures.internal ?? 0;
  if (internal > 0) causes.push(cause('internal', 'InventoryFailures', `${internal} ${lately}`));
  if (signs.unknown > 0)
    causes.push(cause('unknown', 'InventoryOutcomeUnknown', `${signs.unknown} ${lately}`));
  if (signs.refusedAnswers > 0)
    causes.push(cause('forged', 'InventoryForeignWrites', times(signs.refusedAnswers, 'answer')));
  if (signs.driftPlaces > 0) causes.push(cause('drift', 'InventoryDrift', times(signs.driftPlaces, 'place')));
  const { disabled, paused } = signs.stoppedWebhooks;
  if (disabled + paused > 0)
    causes.push(cause('webhooks', 'InventoryWebhookFails', `${disabled} disabled, ${paused} paused`));
  if (isClockOff(signs))
    causes.push(
      cause('clock', 'InventoryClockOff', `this api is ${clockText(signs.clockDifferenceSeconds)}`),
    );
  return causes;
}

/** Finds problems of single workers, and problems that workers report. */
function whatWorkersSay(signs: Signs): Cause[] {
  const causes: Cause[] = [];
  const lost = signs.seen.find(({ unseenMs }) => unseenMs > lostAfterMs);
  if (lost !== undefined && signs.workers > 0) {
    const others = `${signs.workers} ${signs.workers === 1 ? 'other takes' : 'others take'} work`;
    const figures = `the worker ${lost.name} for ${Math.round(lost.unseenMs / 1000)} s; ${others}`;
    // Only a warning, because other workers go on.
    causes.push({ ...cause('workerLost', 'InventoryProcessSilent', figures), level: 'warn' });
  }
  const live = signs.seen.filter(({ unseenMs }) => unseenMs <= lostAfterMs);
  const cutOff = live.find(({ note }) => note?.isPostgresUp === false);
  // While commits hang, a worker begins no more of them and reports Postgres as away.
  const isWell = signs.isPostgresUp && signs.unwritable === null && signs.hangingCommits === 0;
  if (cutOff !== undefined && isWell) {
    const figures = `the worker ${cutOff.name} says so; this api reaches it`;
    causes.push(cause('workerPostgres', 'InventoryPostgresAway', figures));
  }
  const wrong = live.find(({ note }) => note !== null && isClockOff(note));
  if (wrong !== undefined) {
    const figures = `the worker ${wrong.name} is ${clockText(wrong.note!.clockDifferenceSeconds)}`;
    causes.push(cause('workerClock', 'InventoryClockOff', figures));
  }
  return causes;
}

function isClockOff({ clockDifferenceSeconds }: { clockDifferenceSeconds: number }): boolean {
  return Math.abs(clockDifferenceSeconds) > clockFromSeconds;
}

/** How far the other clock is from that of Postgres, in words. */
function clockText(differenceSeconds: number): string {
  return `${Math.abs(differenceSeconds).toFixed(1)} s ${differenceSeconds > 0 ? 'behind' : 'ahead'}`;
}

function times(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
