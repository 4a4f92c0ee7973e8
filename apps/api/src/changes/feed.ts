import { readTouched } from '@inventory/db/changes/read-position';
import type { StatementPool, Wait } from '@inventory/db/postgres/statement-pool';
import { createPace, type Pace } from './pace.ts';
import { createPages, type ReadPage } from './pages.ts';
import { createPositions, type Positions } from './positions.ts';

/** What a caller follows: changes after a number in these warehouses, and those that concern everybody. */
type Followed = { wids: ReadonlySet<number>; after: number };

type Parts = Pick<Positions, 'recent' | 'soon'> & Pick<Pace, 'enter' | 'noteAnswer'>;

/**
 * The change feed of this process: one reader for all callers. A caller that waits holds no connection to
 * Postgres. Fails with 503 if Postgres is too busy.
 */
export type Feed = Parts & {
  position: Positions['read'];
  read: ReadPage;
  /** Whether callers that wait are not answered now. */
  isResting(): boolean;
  /** Resolves when they are answered again, and as `untilTouched` does. */
  untilRested(timeMs: number, onGone: Wait['onGone']): Promise<void>;
  /**
   * Resolves when something that is followed may have changed, after `timeMs`, when the caller goes, or when
   * the feed stops.
   */
  untilTouched(followed: Followed, timeMs: number, onGone: Wait['onGone']): Promise<void>;
  waitingCount(): number;
  hasStopped(): boolean;
  /** Ends every wait, now and later. */
  stop(): void;
};

// The pause between two looks, while somebody waits.
const lookEveryMs = 50;
// A look on a slow machine must not follow the previous one at once.
const pausePerLook = 4;
const pauseMaxMs = 2000;
// What a caller follows that only rests.
const nothing: Followed = { wids: new Set(), after: Number.POSITIVE_INFINITY };

/**
 * `pool` reads pages. `positionPool` looks for what is new, whose statements hang while commits do, and which
 * never waits for pages.
 */
export function createFeed(pool: StatementPool, positionPool: StatementPool): Feed {
  const positions = createPositions(positionPool, pool);
  const pace = createPace();
  const waiting = createWaiting(positionPool, positions, pace);
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
  return {
    position: positions.read,
    recent: positions.recent,
    soon: positions.soon,
    read: createPages(pool),
    enter: pace.enter,
    noteAnswer: pace.noteAnswer,
    untilTouched,
    isResting: () => pace.restMs() > 0,
    untilRested: (timeMs, onGone) => untilTouched(nothing, Math.min(pace.restMs(), timeMs), onGone),
    waitingCount: waiting.count,
    hasStopped: waiting.hasStopped,
    stop: waiting.stop,
  };
}

/** Those who wait, and the look for what concerns them. */
function createWaiting(pool: StatementPool, positions: Positions, pace: Pace) {
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
    const { identity, knownNo, drawnNo } = await positions.read();
    // The database was restored, or has lost its last changes.
    if (identity !== lookedIn || drawnNo < lookedAt) {
      lookedIn = identity;
      lookedAt = knownNo;
      return wake(() => true);
    }
    pace.notePosition(knownNo);
    if (knownNo <= lookedAt) return wake(isBehind);
    const range = { after: lookedAt, until: knownNo };
    const touched = await pool.run((sql) => readTouched(sql, range));
    const isTouched = ({ wids, after }: Followed) =>
      after < knownNo && (touched === null || touched.forAll || touched.wids.some((wid) => wids.has(wid)));
    wake((followed) => isBehind(followed) || isTouched(followed));
    lookedAt = knownNo;
  }

  async function lookWhileAwaited() {
    if (isLooking) return;
    isLooking = true;
    while (all.size > 0) {
      // Others are answered meanwhile.
      while (pace.restMs() > 0 && !stopped) await rest(pace.restMs());
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
        const { identity, knownNo } = positions.last();
        lookedIn = identity;
        // Not beyond what is known: while commits hang, nobody can say whether a cursor is.
        lookedAt = Math.min(followed.after, knownNo);
      }
      const entry = { followed, wake: end };
      all.add(entry);
      // What was touched since has woken others already. Other work of the process comes in between, so a
      // caller that comes back for the same again does not hold it up.
      if (stopped || (isBehind(followed) && pace.restMs() === 0)) setImmediate(end);
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
