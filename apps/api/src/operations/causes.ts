/** What is wrong, in words for whoever has to mend it. */
export type Cause = {
  code:
    | 'postgres'
    | 'redis'
    | 'noWorker'
    | 'busy'
    | 'busyReads'
    | 'internal'
    | 'unknown'
    | 'forged'
    | 'clock'
    | 'slow';
  /** `bad`: callers are refused or get errors. `warn`: nobody notices yet. */
  level: 'bad' | 'warn';
  sentence: string;
  advice: string;
};

/** What tells it. Counts are of the last seconds (`windowSeconds`). */
export type Signs = {
  isPostgresUp: boolean;
  isRedisUp: boolean;
  workers: number;
  waiting: number;
  oldestWaitSeconds: number;
  backlog: number;
  clockDifferenceSeconds: number;
  refusedAnswers: number;
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

/** All that is wrong, what explains the rest first. */
export function findCauses(signs: Signs): Cause[] {
  const causes: Cause[] = [];
  const add = (code: Cause['code'], level: Cause['level'], sentence: string, advice: string) =>
    causes.push({ code, level, sentence, advice });
  const failed = (cause: string) => signs.failures[cause] ?? 0;
  const lately = `in the last ${signs.windowSeconds} s`;

  if (!signs.isPostgresUp) {
    add(
      'postgres',
      'bad',
      'Postgres is away or does not answer: nothing can be read or written.',
      'See whether it runs, has room on its disk and can be reached from here. The service comes back by itself.',
    );
  }
  if (!signs.isRedisUp) {
    add(
      'redis',
      'bad',
      'Redis is away or takes no work: receive, move and issue are refused, lists are served.',
      'See whether it runs, has memory left and can be reached from here. Nothing in it has to be saved; the service comes back by itself.',
    );
  } else if (signs.workers === 0) {
    // Without Redis nobody can see a worker.
    add(
      'noWorker',
      'bad',
      'No worker takes work: receive, move and issue are refused, lists are served.',
      'Start a worker, or look into the log of the one that should run: it may be stopped, frozen or cut off from Redis.',
    );
  }
  const explained = causes.length > 0;
  const busyWrites = failed('busy') - signs.failedReads;
  if (busyWrites > 0 && !explained) {
    add(
      'busy',
      'bad',
      `The queue is full: ${times(busyWrites, 'request')} refused ${lately}, ${signs.waiting} waiting now.`,
      'More is asked than can be done in time, or somebody holds a gate. Are the workers busy? Then start another one; else see what Postgres waits for.',
    );
  } else if (failed('busy') > 0 && !explained) {
    add(
      'busyReads',
      'bad',
      `Postgres is too busy for lists: ${times(failed('busy'), 'request')} refused ${lately}.`,
      'Somebody reads everything again and again, or Postgres has other work. See which client asks for what, and what Postgres is busy with.',
    );
  }
  if (failed('internal') > 0) {
    add(
      'internal',
      'bad',
      `${times(failed('internal'), 'request')} failed by a fault of the service ${lately}.`,
      'The log of the api has a line for it: "request failed" with cause "internal".',
    );
  }
  if (signs.unknown > 0) {
    add(
      'unknown',
      'bad',
      `${times(signs.unknown, 'caller')} could not be told ${lately} whether a transaction was applied.`,
      'Postgres could not be asked. Resending with the same Idempotency-Key settles it.',
    );
  }
  if (signs.refusedAnswers > 0) {
    add(
      'forged',
      'bad',
      `Somebody else writes to Redis: ${times(signs.refusedAnswers, 'answer')} in it came from no worker of this service.`,
      'Nothing was believed. See who has its password, and whether all processes use the same database.',
    );
  }
  if (Math.abs(signs.clockDifferenceSeconds) > clockFromSeconds) {
    add(
      'clock',
      'warn',
      `The clock of this api is ${clockText(signs.clockDifferenceSeconds)} that of Postgres.`,
      'Deadlines go by the clock of Postgres, so nobody loses an answer. See which of the two machines does not follow its time server.',
    );
  }
  if (signs.oldestWaitSeconds > slowFromSeconds && causes.length === 0) {
    add(
      'slow',
      'warn',
      `Transactions wait for up to ${signs.oldestWaitSeconds.toFixed(1)} s.`,
      'See whether the workers or Postgres are busy, and with what.',
    );
  }
  const rank = { bad: 0, warn: 1 };
  return causes.sort((one, other) => rank[one.level] - rank[other.level]);
}

/** How far Postgres is ahead, said of the other clock. */
function clockText(differenceSeconds: number): string {
  const far = `${Math.abs(differenceSeconds).toFixed(1)} s`;
  return differenceSeconds > 0 ? `${far} behind` : `${far} ahead of`;
}

function times(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
