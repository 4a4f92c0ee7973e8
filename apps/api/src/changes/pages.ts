import { type ChangePage, type ChangesAsked, readChanges } from '@inventory/db/changes/read-changes';
import type { StatementPool } from '@inventory/postgres/statement-pool';
import { createPacer } from '@inventory/process/pacer';
import { createFairRoom } from '@inventory/turns/fair-room';
import { asBusy } from '../http/as-busy.ts';
import { Failed, messages } from '../http/errors.ts';

// Two pages are read at the same time, one of each client.
const pagesAtOnce = 2;
const pageWithinMs = 4000;
// Pages that are kept for a moment, for callers that wait.
const keptMax = 8;
const keptMs = 1000;

/**
 * Reads pages of the feed in turns. Callers that ask for the same page of the same database at the same time
 * share it. `life`: of the database to which the positions belong. `waits`: the caller is content with a page
 * of a moment ago, which may end earlier than was asked. `isShared`: the page was read for another caller.
 */
export type ReadPage = (
  asked: ChangesAsked,
  caller: { clientId: string; life: string; waits: boolean },
) => Promise<ChangePage & { isShared: boolean }>;

export function createPages(pool: StatementPool): ReadPage {
  const room = createFairRoom({ total: () => pagesAtOnce, may: (_, own) => own === 0 });
  const shared = new Map<string, { until: number; page: Promise<ChangePage>; readAt: number | null }>();
  // Of many that share a page, each answer has its part of a turn of the event loop.
  const pace = createPacer();

  // The first caller may go while others wait for the same page.
  async function readInTurn(asked: ChangesAsked, clientId: string): Promise<ChangePage> {
    const visit = room.enter(clientId, 1, { until: performance.now() + pageWithinMs });
    try {
      if (!(await visit.admitted)) throw new Failed(503, messages.unavailable, { 'Retry-After': '1' });
      return await pool.run((sql) => readChanges(sql, asked));
    } catch (error) {
      throw asBusy(error);
    } finally {
      visit.leave();
    }
  }

  function share(key: string, until: number, page: Promise<ChangePage>) {
    const entry = { until, page, readAt: null as number | null };
    shared.delete(key);
    shared.set(key, entry);
    const forget = () => {
      if (shared.get(key) === entry) shared.delete(key);
    };
    page.then(() => {
      entry.readAt = performance.now();
      const kept = [...shared].filter(([, { readAt }]) => readAt !== null);
      for (const [each] of kept.slice(0, -keptMax)) shared.delete(each);
      setTimeout(forget, keptMs).unref();
    }, forget);
  }

  return async (asked, { clientId, life, waits }) => {
    const { after, until, limit, bytesMax, wids } = asked;
    if (after >= until) return { changes: [], through: after, hasMore: false, isShared: true };
    const key = [life, after, limit, bytesMax, ...wids].join();
    const found = shared.get(key);
    // A page shows lots as they are when it is read.
    if (found !== undefined && (waits || (found.until === until && found.readAt === null))) {
      const page = await found.page;
      await pace();
      return { ...page, isShared: true };
    }
    const page = readInTurn(asked, clientId);
    share(key, until, page);
    return { ...(await page), isShared: false };
  };
}
