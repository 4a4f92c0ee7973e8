import { type ChangePage, type ChangesAsked, readChanges } from '@inventory/db/changes/read-changes';
import { type FeedPosition, readFeedPosition, readTouched } from '@inventory/db/changes/read-position';
import type { StatementPool, Wait } from '@inventory/db/postgres/statement-pool';
import { asBusy } from '../http/as-busy.ts';
import { Failed, messages } from '../http/errors.ts';
import { createFairRoom } from '../turns/fair-room.ts';
import { gather } from '../turns/gather.ts';

/** What a caller follows: changes after a number in these warehouses, and those that concern everybody. */
type Followed = { wids: ReadonlySet<number>; after: number };

/**
 * The change feed of this process: one reader for all callers. A caller that waits holds no connection to
 * Postgres. Fails with 503 if Postgres is too busy.
 */
export type Feed = {
  /** How far the feed can be told. Includes every change that was answered before the call. */
  position(): Promise<FeedPosition>;
  /** Reads a page. Callers that ask for the same page at the same time share it. */
  read(asked: ChangesAsked, clientId: string, wait: Wait): Promise<ChangePage>;
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

export type FeedOptions = {
  /** The pause between two looks, while somebody waits. */
  lookEveryMs: number;
  /** If more numbers than this were drawn since the last look, everybody is woken. */
  numbersMax: number;
  /** Pages that are read at the same time, one of each client. */
  pagesAtOnce: number;
};

const feedOptions: FeedOptions = { lookEveryMs: 50, numbersMax: 5000, pagesAtOnce: 2 };
// A look on a slow machine must not follow the previous one at once.
const pausePerLook = 4;
const pageWithinMs = 4000;

export function createFeed(pool: StatementPool, options: FeedOptions = feedOptions): Feed {
  const room = createFairRoom({ total: () => options.pagesAtOnce, may: (_, own) => own === 0 });
  const pages = new Map<string, Promise<ChangePage>>();
  const waiting = new Set<{ followed: Followed; wake: () => void }>();
  let told: FeedPosition = { identity: '', knownNo: 0, drawnNo: 0 };
  // Everything up to this number has woken whom it concerns.
  let lookedAt = 0;
  let isLooking = false;
  let stopped = false;

  const readPosition = gather(pool, async (sql, inputs: readonly null[]) => {
    const position = await readFeedPosition(sql, told.knownNo);
    // After a restore, or the loss of its last changes, the database begins again elsewhere.
    const isOther = position.identity !== told.identity || position.drawnNo < told.knownNo;
    // A position never goes back: one that was known once stays known, though a writer that announces its
    // numbers late may have it look otherwise.
    told = isOther ? position : { ...position, knownNo: Math.max(told.knownNo, position.knownNo) };
    return inputs.map(() => told);
  });

  async function position(): Promise<FeedPosition> {
    try {
      return await readPosition(null);
    } catch (error) {
      throw asBusy(error);
    }
  }

  async function readPage(asked: ChangesAsked, clientId: string, wait: Wait): Promise<ChangePage> {
    const visit = room.enter(clientId, 1, { ...wait, until: performance.now() + pageWithinMs });
    try {
      if (!(await visit.admitted)) throw new Failed(503, messages.unavailable, { 'Retry-After': '1' });
      return await pool.run((sql) => readChanges(sql, asked));
    } catch (error) {
      throw asBusy(error);
    } finally {
      visit.leave();
    }
  }

  /** Wakes those whose warehouses were touched since the last look. */
  async function look() {
    const { identity } = told;
    const { identity: now, knownNo, drawnNo } = await position();
    if (identity !== now || drawnNo < lookedAt) {
      lookedAt = knownNo;
      return wake(() => true);
    }
    if (knownNo <= lookedAt) return;
    const range = { after: lookedAt, until: knownNo, numbersMax: options.numbersMax };
    const touched = await pool.run((sql) => readTouched(sql, range));
    lookedAt = knownNo;
    wake(
      ({ wids, after }) =>
        after < knownNo && (touched === null || touched.forAll || touched.wids.some((wid) => wids.has(wid))),
    );
  }

  function wake(concerns: (followed: Followed) => boolean) {
    for (const each of [...waiting]) if (concerns(each.followed)) each.wake();
  }

  async function lookWhileAwaited() {
    if (isLooking) return;
    isLooking = true;
    while (waiting.size > 0) {
      const startedAt = performance.now();
      // Postgres is away or busy: other parts report that, and the next look sees the same changes.
      await look().catch(() => {});
      const tookMs = performance.now() - startedAt;
      await new Promise((resolve) =>
        setTimeout(resolve, Math.max(options.lookEveryMs, pausePerLook * tookMs)),
      );
    }
    isLooking = false;
  }

  return {
    position,
    async read(asked, clientId, wait) {
      const { after, until, limit, wids } = asked;
      if (after >= until) return { changes: [], through: after, hasMore: false };
      const key = [after, until, limit, ...wids].join();
      const running = pages.get(key);
      if (running !== undefined) return running;
      const page = readPage(asked, clientId, wait);
      pages.set(key, page);
      // Not longer: a page shows lots as they are when it is read.
      const forget = () => pages.delete(key);
      page.then(forget, forget);
      return page;
    },
    untilTouched(followed, timeMs, onGone) {
      return new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer);
          forget?.();
          waiting.delete(entry);
          resolve();
        };
        const entry = { followed, wake: end };
        const timer = setTimeout(end, timeMs);
        const forget = onGone?.(end);
        if (!isLooking) lookedAt = followed.after;
        // What was touched since has woken others already.
        if (stopped || lookedAt > followed.after) return end();
        waiting.add(entry);
        void lookWhileAwaited();
      });
    },
    waitingCount: () => waiting.size,
    hasStopped: () => stopped,
    stop() {
      stopped = true;
      wake(() => true);
    },
  };
}
