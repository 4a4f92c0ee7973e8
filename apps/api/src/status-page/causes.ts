import { inventoryCommand } from '@inventory/process/called-as';
import type { SeenWorker } from '@inventory/queue/submit';

/** A cause, still without its chapter. */
type FoundCause = {
  code:
    | 'postgres'
    | 'redis'
    | 'commits'
    | 'noWorker'
    | 'busy'
    | 'busyReads'
    | 'internal'
    | 'unknown'
    | 'forged'
    | 'drift'
    | 'clock'
    | 'slow'
    | 'workerPostgres'
    | 'workerClock'
    | 'workerLost';
  /** `bad`: callers are refused, get errors, or are told wrong stock. `warn`: nobody notices yet. */
  level: 'bad' | 'warn';
  sentence: string;
  advice: string;
};

/** What is wrong, in words for the operator; `chapter`: its heading in docs/alerts.md. */
export type Cause = FoundCause & { chapter: string };

const chapters: Record<FoundCause['code'], string> = {
  postgres: 'InventoryPostgresAway',
  redis: 'InventoryRedisAway',
  commits: 'InventoryCommitsHang',
  noWorker: 'InventoryNoWorker',
  busy: 'InventoryQueueFull',
  busyReads: 'InventorySlow',
  internal: 'InventoryFailures',
  unknown: 'InventoryOutcomeUnknown',
  forged: 'InventoryForeignWrites',
  drift: 'InventoryDrift',
  clock: 'InventoryClockOff',
  slow: 'InventoryTransactionsWait',
  workerPostgres: 'InventoryPostgresAway',
  workerClock: 'InventoryClockOff',
  workerLost: 'InventoryProcessSilent',
};

/** The measurements that tell the cause. Counts cover the last seconds (`windowSeconds`). */
export type Signs = {
  isPostgresUp: boolean;
  isRedisUp: boolean;
  /** Commits that have waited for a standby for seconds. */
  hangingCommits: number;
  workers: number;
  /** Those, and the ones that were seen within a minute. */
  seen: readonly SeenWorker[];
  waiting: number;
  oldestWaitSeconds: number;
  backlog: number;
  clockDifferenceSeconds: number;
  refusedAnswers: number;
  /** Places in which the audit in the background found that stock and ledger do not agree. */
  driftPlaces: number;
  failures: Readonly<Record<string, number>>;
  /** Reads answered 503. */
  failedReads: number;
  unknown: number;
  windowSeconds: number;
};

// A request answered without a hitch takes milliseconds, and none waits for longer than 3.5 s.
const slowFromSeconds = 1;
// As in the log (`packages/process/src/warn-of-clock.ts`).
const clockFromSeconds = 1;
// A worker says twice a second that it is there.
const lostAfterMs = 3000;

const clockAdvice =
  'Deadlines go by the clock of Postgres, so nobody loses an answer. See which of the two machines does not follow its time server.';

/** All that is wrong, what explains the rest first. */
export function findCauses(signs: Signs): Cause[] {
  const away = whatIsAway(signs);
  // A part that is away already explains refused work.
  const found = [
    ...away,
    ...(away.length > 0 ? [] : whatIsBusy(signs)),
    ...whatIsWrong(signs),
    ...whatWorkersSay(signs),
  ];
  const rank = { bad: 0, warn: 1 };
  return found
    .sort((one, other) => rank[one.level] - rank[other.level])
    .map((cause) => ({ ...cause, chapter: chapters[cause.code] }));
}

function whatIsAway(signs: Signs): FoundCause[] {
  const causes: FoundCause[] = [];
  if (!signs.isPostgresUp) {
    causes.push({
      code: 'postgres',
      level: 'bad',
      sentence: 'Postgres is away or does not answer: nothing can be read or written.',
      advice:
        'See whether it runs, has room on its disk and can be reached from here. The service comes back by itself.',
    });
  }
  if (signs.isPostgresUp && signs.hangingCommits > 0) {
    causes.push({
      code: 'commits',
      level: 'bad',
      sentence:
        'Postgres waits for a standby that is away or too slow: nothing can be written, lists and items are served.',
      advice:
        'See which standby of synchronous_standby_names streams, and how far behind it is (pg_stat_replication). When one is back, what hangs is applied; or take the lost one out of that setting.',
    });
  }
  if (!signs.isRedisUp) {
    causes.push({
      code: 'redis',
      level: 'bad',
      sentence: 'Redis is away or takes no work: receive, move and issue are refused, lists are served.',
      advice:
        'See whether it runs, has memory left and can be reached from here. Nothing in it has to be saved; the service comes back by itself.',
    });
  } else if (signs.workers === 0) {
    // Without Redis nobody can see a worker.
    causes.push({
      code: 'noWorker',
      level: 'bad',
      sentence: 'No worker takes work: receive, move and issue are refused, lists are served.',
      advice:
        'Start a worker, or look into the log of the one that should run: it may be stopped, frozen or cut off from Redis.',
    });
  }
  return causes;
}

function whatIsBusy(signs: Signs): FoundCause[] {
  const busy = signs.failures.busy ?? 0;
  const lately = `in the last ${signs.windowSeconds} s`;
  if (busy > signs.failedReads) {
    const refused = times(busy - signs.failedReads, 'request');
    return [
      {
        code: 'busy',
        level: 'bad',
        sentence: `The queue is full: ${refused} refused ${lately}, ${signs.waiting} waiting now.`,
        advice:
          'More is asked than can be done in time, or somebody holds a gate. Are the workers busy? Then start another one; else see what Postgres waits for.',
      },
    ];
  }
  if (busy > 0) {
    return [
      {
        code: 'busyReads',
        level: 'bad',
        sentence: `Postgres is too busy for lists: ${times(busy, 'request')} refused ${lately}.`,
        advice:
          'Somebody reads everything again and again, or Postgres has other work. See which client asks for what, and what Postgres is busy with.',
      },
    ];
  }
  if (signs.oldestWaitSeconds <= slowFromSeconds) return [];
  return [
    {
      code: 'slow',
      level: 'warn',
      sentence: `Transactions wait for up to ${signs.oldestWaitSeconds.toFixed(1)} s.`,
      advice: 'See whether the workers or Postgres are busy, and with what.',
    },
  ];
}

/** Finds problems that can come on top of others. */
function whatIsWrong(signs: Signs): FoundCause[] {
  const causes: FoundCause[] = [];
  const lately = `in the last ${signs.windowSeconds} s`;
  const internal = signs.failures.internal ?? 0;
  if (internal > 0) {
    causes.push({
      code: 'internal',
      level: 'bad',
      sentence: `${times(internal, 'request')} failed by a fault of the service ${lately}.`,
      advice: 'The log of the api has a line for it: "request failed" with cause "internal".',
    });
  }
  if (signs.unknown > 0) {
    causes.push({
      code: 'unknown',
      level: 'bad',
      sentence: `${times(signs.unknown, 'caller')} could not be told ${lately} whether a transaction was applied.`,
      advice: 'Postgres could not be asked. Resending with the same Idempotency-Key settles it.',
    });
  }
  if (signs.refusedAnswers > 0) {
    const answers = times(signs.refusedAnswers, 'answer');
    causes.push({
      code: 'forged',
      level: 'bad',
      sentence: `Somebody else writes to Redis: ${answers} in it came from no worker of this service.`,
      advice:
        'Nothing was believed. See who has its password, and whether all processes use the same database.',
    });
  }
  if (signs.driftPlaces > 0) {
    causes.push({
      code: 'drift',
      level: 'bad',
      sentence: `Stock and ledger do not agree in ${times(signs.driftPlaces, 'place')}.`,
      advice: `Somebody wrote to the tables by hand, or a disk or memory is bad. \`${inventoryCommand('doctor')}\` and the log of the workers name item and warehouse; \`${inventoryCommand('audit')}\` compares everything.`,
    });
  }
  if (Math.abs(signs.clockDifferenceSeconds) > clockFromSeconds) {
    causes.push({
      code: 'clock',
      level: 'warn',
      sentence: `The clock of this api is ${clockText(signs.clockDifferenceSeconds)} that of Postgres.`,
      advice: clockAdvice,
    });
  }
  return causes;
}

/** Finds problems of single workers, and problems that workers report. */
function whatWorkersSay(signs: Signs): FoundCause[] {
  const causes: FoundCause[] = [];
  const [lost] = signs.seen.filter(({ unseenMs }) => unseenMs > lostAfterMs);
  if (lost !== undefined && signs.workers > 0) {
    const seconds = Math.round(lost.unseenMs / 1000);
    causes.push({
      code: 'workerLost',
      level: 'warn',
      sentence: `The worker ${lost.name} has said nothing for ${seconds} s; ${signs.workers} ${signs.workers === 1 ? 'other takes' : 'others take'} work.`,
      advice: 'It was killed, is frozen, or is cut off from Redis. It is forgotten after a minute.',
    });
  }
  const live = signs.seen.filter(({ unseenMs }) => unseenMs <= lostAfterMs);
  const cutOff = live.find(({ note }) => note?.isPostgresUp === false);
  // While commits hang a worker begins no more of them, and says the same.
  if (cutOff !== undefined && signs.isPostgresUp && signs.hangingCommits === 0) {
    causes.push({
      code: 'workerPostgres',
      level: 'bad',
      sentence: `The worker ${cutOff.name} cannot reach Postgres, or is not answered there; this api is.`,
      advice:
        'The envelopes that it takes are answered late. See why its connections fail, its log says so; or whether its commits wait for a standby (wait_event SyncRep in pg_stat_activity).',
    });
  }
  const wrong = live.find(({ note }) => Math.abs(note?.clockDifferenceSeconds ?? 0) > clockFromSeconds);
  if (wrong !== undefined) {
    causes.push({
      code: 'workerClock',
      level: 'warn',
      sentence: `The clock of the worker ${wrong.name} is ${clockText(wrong.note!.clockDifferenceSeconds)} that of Postgres.`,
      advice: clockAdvice,
    });
  }
  return causes;
}

/** How far Postgres is ahead, said of the other clock. */
function clockText(differenceSeconds: number): string {
  const far = `${Math.abs(differenceSeconds).toFixed(1)} s`;
  return differenceSeconds > 0 ? `${far} behind` : `${far} ahead of`;
}

function times(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
