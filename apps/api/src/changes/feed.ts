import { lifeOf, readTouched } from '@inventory/db/changes/read-position';
import type { StatementPool, Wait } from '@inventory/postgres/statement-pool';
import { createPages, type ReadPage } from './pages.ts';
import { createPositions, type Positions } from './positions.ts';
import { createRests, type Rests } from './rests.ts';

/**
 * The changes that a caller follows: after a number, in these warehouses, of the scope of its client, and
 * those that concern everybody.
 */
type Followed = { clientId: string; wids: ReadonlySet<number>; after: number };

type Parts = Pick<Positions, 'recent' | 'soon' | 'isLate'>;

/**
 * The change feed of this process: one reader for all callers. A caller that waits holds no connection to
 * Postgres. Fails with 503 if Postgres is too busy.
 */
export type Feed = Parts & {
  position: Positions['read'];
  read: ReadPage;
  /** The same feed for the callers of one client, who have rests of their own. */
  of(clientId: string): ClientFeed;
  /**
   * Resolves when something that is followed may have changed, after `timeMs`, when the caller goes, or when
   * the feed stops.
   */
  untilTouched(followed: Followed, timeMs: number, onGone: Wait['onGone']): Promise<void>;
  waitingCount(): number;
  /** Whether no cursor was refused yet in this life of the database. */
  isFirstRefusal(life: string): boolean;
  hasStopped(): boolean;
  /** Ends every wait, now and later. */
  stop(): void;
};

export type ClientFeed = Omit<Feed, 'of'> & {
  /** Counts a caller that waits, until the returned function is called. */
  enter(): () => void;
  /** How many callers of the client wait. */
  callerCount(): number;
  /** See {@link Rests}. */
  noteAnswer(changes: number, isShared: boolean): void;
  /** Whether callers that wait are not answered now. */
  isResting(): boolean;
  /** Resolves when they are answered again, and as `untilTouched` does, which includes the rest. */
  untilRested(timeMs: number, onGone: Wait['onGone']): Promise<void>;
};

// The pause between two looks, while somebody waits.
const lookEveryMs = 50;
// A look on a slow machine must not follow the previous one at once.
const pausePerLook = 4;
const pauseMaxMs = 2000;
// A caller that only rests follows no changes.
const nothing: Followed = { clientId: '', wids: new Set(), after: Number.POSITIVE_INFINITY };

/**
 * `pool` reads pages. `positionPool` looks for what is new, whose statements hang while commits do, and which
 * never waits for pages.
 */
export function createFeed(pool: StatementPool, positionPool: StatementPool): Feed {
  const positions = createPositions(positionPool, pool);
  const rests = createRests();
  const waiting = createWaiting(positionPool, positions, rests);
  let refusedIn = '';
  const untilTouched: Feed['untilTouched'] = (followed, timeMs, onGone) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        forget?.();
        leave();
        resolve();
      };
      const timer = setTimeout(end, timeMs);
      const leave = waiting.add(followed, end);
      const forget = onGone?.(end);
    });
  const feed: Omit<Feed, 'of'> = {
    position: positions.read,
    recent: positions.recent,
    soon: positions.soon,
    isLate: positions.isLate,
    isFirstRefusal(life) {
      const isFirst = life !== refusedIn;
      refusedIn = life;
      return isFirst;
    },
    read: createPages(pool),
    untilTouched,
    waitingCount: waiting.count,
    hasStopped: waiting.hasStopped,
    stop: waiting.stop,
  };
  return { ...feed, of: (clientId) => ofClient(feed, rests, clientId) };
}

function ofClient(feed: Omit<Feed, 'of'>, rests: Rests, clientId: string): ClientFeed {
  const restMs = () => rests.restMs(clientId);
  const untilRested: ClientFeed['untilRested'] = (timeMs, onGone) =>
    feed.untilTouched(nothing, Math.min(restMs(), timeMs), onGone);
  return {
    ...feed,
    enter: () => rests.enter(clientId),
    callerCount: () => rests.callersOf(clientId),
    noteAnswer: (changes, isShared) => rests.noteAnswer(clientId, changes, isShared),
    isResting: () => restMs() > 0,
    untilRested,
    async untilTouched(followed, timeMs, onGone) {
      const until = performance.now() + timeMs;
      await feed.untilTouched(followed, timeMs, onGone);
      if (restMs() > 0) await untilRested(until - performance.now(), onGone);
    },
  };
}

/** The waiting callers, and the look for changes that concern them. */
function createWaiting(pool: StatementPool, positions: Positions, rests: Rests) {
  const all = new Set<{ followed: Followed; wake: () => void }>();
  // Everything up to this number has woken whom it concerns.
  let lookedAt = 0;
  let lookedIn = '';
  let isLooking = false;
  let stopped = false;

  const isBehind = ({ after }: Followed) => after < lookedAt;

  function wake(concerns: (followed: Followed) => boolean) {
    for (const each of [...all].filter(({ followed }) => concerns(followed))) each.wake();
  }

  async function look() {
    const position = await positions.read();
    const { knownNo, drawnNo } = position;
    const life = lifeOf(position);
    // The database was restored, or has moved and may have lost its last changes.
    if (life !== lookedIn || drawnNo < lookedAt) {
      lookedIn = life;
      lookedAt = knownNo;
      return wake(() => true);
    }
    rests.notePosition(knownNo);
    if (knownNo <= lookedAt) return wake(isBehind);
    const range = { after: lookedAt, until: knownNo };
    const touched = await pool.run((sql) => readTouched(sql, range));
    const isTouched = ({ clientId, wids, after }: Followed) =>
      after < knownNo &&
      (touched === null ||
        touched.forAll ||
        touched.clientIds.includes(clientId) ||
        touched.wids.some((wid) => wids.has(wid)));
    wake((followed) => isBehind(followed) || isTouched(followed));
    lookedAt = knownNo;
  }

  async function lookWhileAwaited() {
    if (isLooking) return;
    isLooking = true;
    while (all.size > 0) {
      const startedAt = performance.now();
      // Postgres is away or busy: other parts report that, and the next look sees the same changes.
      await look().catch(() => {});
      const tookMs = performance.now() - startedAt;
      await rest(Math.min(Math.max(lookEveryMs, pausePerLook * tookMs), pauseMaxMs));
    }
    isLooking = false;
  }

  return {
    /** Calls `end` once when something may have changed, which may be at once. Returns how to leave. */
    add(followed: Followed, end: () => void): () => void {
      if (!isLooking) {
        const last = positions.last();
        const { knownNo } = last;
        lookedIn = lifeOf(last);
        // Not beyond what is known: while commits hang, nobody can say whether a cursor is.
        lookedAt = Math.min(followed.after, knownNo);
      }
      const entry = { followed, wake: end };
      all.add(entry);
      // A look has passed this place already, so no later one wakes the caller for changes behind it: it is
      // woken at once. Other work of the process comes first, so a caller that keeps coming back does not
      // hold it up.
      if (stopped || isBehind(followed)) setImmediate(end);
      else void lookWhileAwaited();
      return () => all.delete(entry);
    },
    count: () => all.size,
    hasStopped: () => stopped,
    stop() {
      stopped = true;
      wake(() => true);
    },
  };
}

const rest = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
